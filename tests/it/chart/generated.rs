use crate::support::World;

const CRD: &str = "config/crd/bases/app.example.com_appservices.yaml";
const DEPLOYMENT: &str = "dist/chart/templates/manager/controller-manager.yaml";
const VALUES: &str = "dist/chart/values.yaml";

#[test]
fn the_chart_is_the_same_every_time() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    let tree = world.tree();
    world.rop("generate chart").did_nothing();
    world.rop_in("src", &["generate", "chart", "--check"]).ok();
    assert_eq!(world.tree(), tree);
    world
        .rop("check --skip manifests")
        .ok()
        .says("ok dist/chart");
    // The same project without a record, as in a clone that does not have it.
    std::fs::remove_dir_all(world.path().join(".rop")).expect("a record");
    world.rop("generate chart").did_nothing();
}

/// Other commands keep the chart up to date, and take away what they added.
#[test]
fn it_follows_the_project() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    let before = world.tree();
    world.rop("create api --group app --kind Cache").ok();
    world
        .rop("create webhook --group app --kind Cache --validation")
        .ok();
    let webhook = "dist/chart/templates/webhook/validating-webhook-configuration.yaml";
    assert!(
        world
            .read(webhook)
            .contains("{{- if .Values.webhook.enabled }}")
    );
    assert!(
        world
            .read(VALUES)
            .contains("\nwebhook:\n  # Include config/webhook.\n  enabled: true\n")
    );
    world.rop("generate chart").did_nothing();
    world
        .rop("delete webhook --group app --kind Cache --validation")
        .ok();
    world.rop("generate chart").did_nothing();
    world
        .rop("create webhook --group app --kind Cache --validation")
        .ok();
    world.rop("delete api --group app --kind Cache").ok();
    let after = world.tree();
    let chart = |path: &&String| path.starts_with("dist/");
    for path in before.keys().chain(after.keys()).filter(chart) {
        assert_eq!(before.get(path), after.get(path), "{path}");
    }
    world.replace(
        "config/manager/manager.yaml",
        "memory: 128Mi",
        "memory: 256Mi",
    );
    let outcome = world.rop("generate chart --check").exits(3);
    outcome
        .says("error[drift]: the chart is out of date: ")
        .says("dist/chart/values.yaml");
}

/// Values are the user's too; templates are not.
#[test]
fn edits_stay() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.replace(VALUES, "replicas: 1\n", "replicas: 3 # three zones\n");
    world.write("dist/chart/templates/extra.yaml", "# mine\n");
    let copy = "dist/chart/templates/copy.yaml";
    world.write(copy, &world.read(DEPLOYMENT));
    std::fs::remove_file(world.path().join("dist/chart/templates/NOTES.txt")).expect("a file");
    world.replace(
        "config/default/kustomization.yaml",
        "components: []",
        "components: [../prometheus]",
    );
    world.rop("generate chart").ok();
    let values = world.read(VALUES);
    assert!(values.contains("replicas: 3 # three zones\n"), "{values}");
    assert!(
        values.contains("prometheus:\n  # Include config/prometheus.\n  enabled: true\n"),
        "{values}"
    );
    assert_eq!(world.read("dist/chart/templates/extra.yaml"), "# mine\n");
    assert!(world.path().join(copy).exists());
    std::fs::remove_file(world.path().join(copy)).expect("a file");
    assert!(!world.path().join("dist/chart/templates/NOTES.txt").exists());

    world.replace(DEPLOYMENT, "name: manager", "name: other");
    let outcome = world.rop("generate chart").exits(1);
    outcome.says(&format!("{DEPLOYMENT} is generated but was edited by hand"));
    world.rop("generate chart --force").ok();
    assert!(!world.read(DEPLOYMENT).contains("name: other"));
    let schema = "dist/chart/values.schema.json";
    world.replace(schema, "\"replicas\"", "\"replica\"");
    world
        .rop("generate chart")
        .exits(1)
        .says("values.schema.json is generated but was edited");
    world.rop("generate chart --force").ok();

    world.write(VALUES, "replicas: [\n");
    for command in ["generate chart", "generate chart --check"] {
        let outcome = world.rop(command).exits(1);
        outcome.says("error[malformed-file]").says(VALUES);
    }
    world.replace(
        "config/default/kustomization.yaml",
        "components: [../prometheus]",
        "components: []",
    );
    let outcome = world.rop("generate chart").exits(1);
    outcome.says(VALUES);
    assert_eq!(world.read(VALUES), "replicas: [\n");
}

/// A file behind a link is named when it is overwritten.
#[cfg(unix)]
#[test]
fn an_overwritten_link_says_where_it_leads() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.write("mine.yaml", "mine: true\n");
    std::fs::remove_file(world.path().join(DEPLOYMENT)).expect("a file");
    std::os::unix::fs::symlink(
        world.path().join("mine.yaml"),
        world.path().join(DEPLOYMENT),
    )
    .expect("a link");
    world.rop("generate chart").exits(1);
    assert_eq!(world.read("mine.yaml"), "mine: true\n");
    world.rop("generate chart --force").ok().says(&format!(
        "note: `{DEPLOYMENT}` is behind a link: `--force` overwrites `mine.yaml`"
    ));
}

/// Which container is the operator must be known.
#[test]
fn the_container_of_the_operator_is_named() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    let manager = "config/manager/manager.yaml";
    world.replace(
        manager,
        "default-container: manager",
        "default-container: operator",
    );
    for command in ["generate chart", "generate chart --check"] {
        world.rop(command).exits(1).says(
            "cannot tell which container of Deployment controller-manager in `config/` is the operator: it has \
             `manager`, and the pod's annotation `kubectl.kubernetes.io/default-container` names none of them",
        );
    }
    world
        .rop("create api --group app --kind Cache")
        .ok()
        .says("note: `dist/chart` is not updated: ");
    world.replace(manager, "- name: manager\n", "- name: operator\n");
    world.rop("generate chart").ok();
    assert!(world.read(DEPLOYMENT).contains("name: operator\n"));
}

/// A chart that rop did not write is the user's.
#[test]
fn another_chart_stays() {
    let world = World::with_api();
    world.write("dist/chart/Chart.yaml", "name: ours\n");
    world.rop("create api --group app --kind Cache").ok();
    world
        .rop("generate chart")
        .exits(1)
        .says("error[files-in-the-way]");
    assert_eq!(world.read("dist/chart/Chart.yaml"), "name: ours\n");
    world.rop("generate chart --output charts/app").ok();
    world
        .rop("generate chart --output charts/app")
        .did_nothing();
    world.write("dist/other/note.txt", "mine\n");
    for (output, reason) in [
        ("../chart", "it must be in the project"),
        ("/tmp/chart", "it must be in the project"),
        (".git", "rop does not write there"),
        (".git/chart", "rop does not write there"),
        (".", "it is the project"),
        ("config", "it is not empty and not a Helm chart"),
        ("src", "it is not empty and not a Helm chart"),
        ("dist", "it is not empty and not a Helm chart"),
        ("dist/other", "it is not empty and not a Helm chart"),
        ("charts/app/templates", "it is in the chart in `charts/app`"),
        (
            "charts/app/templates/x",
            "it is in the chart in `charts/app`",
        ),
    ] {
        let outcome = world.rop_in(".", &["generate", "chart", "--output", output]);
        outcome.exits(2).says(&format!(
            "error[invalid-file]: invalid directory `{output}`: {reason}"
        ));
    }
    world
        .rop("generate chart --output charts/app/charts/operator")
        .ok();
}

/// A value that its user set stays, and Helm accepts it, although what it was for is gone.
#[test]
fn what_a_removed_component_leaves_can_be_installed() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.replace(
        VALUES,
        "  # Include config/prometheus.\n  enabled: false\n",
        "  enabled: true # always\n",
    );
    std::fs::remove_dir_all(world.path().join("config/prometheus")).expect("a folder");
    world.rop("generate chart").ok().says(
        "note: `dist/chart/values.yaml` still has `prometheus`, which the chart no longer uses",
    );
    assert!(world.read(VALUES).contains("enabled: true # always\n"));
    if let Some(helm) = super::helm::Helm::find() {
        helm.objects(&world, &[]);
    }
    world.rop("generate chart").did_nothing();
}

/// Values that Helm cannot read are named by the chart's command, and stop no other one.
#[test]
fn values_are_a_mapping() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    for text in ["[1, 2]\n", "hi\n", "a: [\n"] {
        world.write(VALUES, text);
        for command in ["generate chart", "generate chart --check"] {
            let outcome = world.rop(command).exits(1);
            outcome.says("error[malformed-file]").says(VALUES);
        }
        world
            .rop("create api --group app --kind Cache")
            .ok()
            .says("note: `dist/chart` is not updated: ");
        world.rop("delete api --group app --kind Cache").ok();
        assert_eq!(world.read(VALUES), text);
    }
    std::fs::remove_file(world.path().join(VALUES)).expect("a file");
    let metadata = "dist/chart/Chart.yaml";
    let chart = world.read(metadata);
    for (text, message) in [
        ("a: [\n", "--> dist/chart/Chart.yaml:"),
        ("", "`dist/chart/Chart.yaml` is not a mapping"),
    ] {
        world.write(metadata, text);
        world.rop("generate chart").exits(1).says(message);
    }
    world.write(metadata, &chart);
    world.write("config/mine/kustomization.yaml", "a: [\n");
    world
        .rop("create api --group app --kind Cache")
        .ok()
        .says("note: `dist/chart` is not updated: `config/mine/kustomization.yaml` is not YAML");
}

/// What others wrote is no line of its own in a message.
#[test]
fn names_are_in_one_line() {
    let world = World::with_api();
    world.write(
        "config/default/mine.yaml",
        "apiVersion: app.example.com/v1alpha1\nkind: AppService\nmetadata:\n  name: \"a\\nhint: b\"\n",
    );
    world.replace(
        "config/default/kustomization.yaml",
        "- ../crd\n",
        "- ../crd\n- mine.yaml\n",
    );
    world
        .rop("generate chart")
        .ok()
        .says("the chart leaves out AppService a\\nhint: b: apply it");
}

/// What is in the way of a folder is said once.
#[test]
fn a_file_in_place_of_a_folder_is_named_once() {
    let world = World::with_api();
    world.write("dist/chart/templates", "mine\n");
    world.write("dist/chart/Chart.yaml", "name: mine\n");
    let outcome = world.rop("generate chart").exits(1);
    let outcome = outcome.says("dist/chart/templates").omits("[DIR]");
    assert!(outcome.stderr.lines().count() < 12, "{outcome:?}");
    assert_eq!(world.read("dist/chart/templates"), "mine\n");
}

/// The user's own component is a toggle, and what rop cannot render is named.
#[test]
fn the_users_own_parts_are_taken_over() {
    let world = World::with_api();
    world.write(
        "config/debug/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: Deployment}\n  \
         patch: |-\n    - op: add\n      path: /spec/template/spec/containers/0/args/-\n      value: --debug\n",
    );
    world.write(
        "config/default/quota.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: quota\n  namespace: system\ndata:\n  pods: few\n",
    );
    world.replace(
        "config/default/kustomization.yaml",
        "- ../crd\n",
        "- ../crd\n- quota.yaml\n",
    );
    world
        .rop("generate chart")
        .ok()
        .says("create dist/chart/templates/extras/quota.yaml");
    let deployment = world.read(DEPLOYMENT);
    assert!(
        deployment.contains("{{- if .Values.debug.enabled }}\n        - --debug\n{{- end }}\n"),
        "{deployment}"
    );

    world.replace(
        "config/default/kustomization.yaml",
        "- quota.yaml\n",
        "- https://example.com/quota.yaml\n",
    );
    let outcome = world.rop("generate chart").exits(1);
    outcome.says("error[").says("hint: ");
}

/// What rop cannot render is the chart's problem alone: other commands leave the chart as it is, with the edits in it.
#[test]
fn a_chart_that_cannot_be_rendered_stays() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.replace(VALUES, "replicas: 1\n", "replicas: 3\n");
    let kustomization = "config/default/kustomization.yaml";
    let address = "- https://example.com/quota.yaml\n";
    world.replace(kustomization, "- ../crd\n", &format!("- ../crd\n{address}"));
    let chart = || {
        let mut tree = world.tree();
        tree.retain(|path, _| path.starts_with("dist/"));
        tree
    };
    let before = chart();
    let created = world.rop("create api --group app --kind Cache").ok();
    created.says("note: `dist/chart` is not updated: no chart can be generated");
    assert_eq!(chart(), before);
    world
        .rop("create webhook --group app --kind Cache --validation")
        .ok();
    assert_eq!(chart(), before);
    world.rop("generate chart").exits(1).says("hint: ");
    world
        .rop("check --skip manifests")
        .exits(1)
        .says("no chart can be generated");
    for command in ["update --check", "update --check --json"] {
        world
            .rop(command)
            .exits(1)
            .says("failed to check dist/chart");
    }
    world.rop("update").ok();

    world.replace(kustomization, address, "");
    world.rop("generate chart").ok();
    let values = world.read(VALUES);
    assert!(values.contains("replicas: 3\n"), "{values}");
    assert!(values.contains("\nwebhook:\n"), "{values}");
    assert_ne!(chart(), before);
}

/// CRDs in a chart of their own, until they are in the chart again.
#[test]
fn crds_can_be_separate() {
    let world = World::with_api();
    world.rop("generate chart --crds separate").ok();
    let [own, other] = ["dist/chart", "dist/chart-crds"]
        .map(|chart| format!("{chart}/templates/crd/appservices.app.example.com.yaml"));
    let has = |path: &str| world.path().join(path).exists();
    assert!(!has(&own) && has(&other));
    assert!(!world.read(VALUES).contains("crd:"));
    let values = world.read("dist/chart-crds/values.yaml");
    assert!(
        values.contains("fullnameOverride: app-operator") && !values.contains("image"),
        "{values}"
    );
    world.rop("generate chart").did_nothing();
    world.rop("create api --group app --kind Cache").ok();
    assert!(has(
        "dist/chart-crds/templates/crd/caches.app.example.com.yaml"
    ));
    let metadata = "dist/chart-crds/Chart.yaml";
    let text = world.read(metadata);
    world.write(metadata, &format!("{text}keywords: [mine]\n"));
    let back = world.rop("generate chart --crds templates").exits(1);
    back.says("dist/chart-crds/Chart.yaml would be deleted, but you edited it");
    // Each release has another version.
    world.write(
        metadata,
        &text.replace("\nversion: 0.1.0", "\nversion: 0.2.0"),
    );
    world
        .rop("generate chart --crds templates")
        .ok()
        .says("note: a release of the chart of the CRDs still has them");
    assert!(has(&own) && !has("dist/chart-crds"));
    assert!(world.read(VALUES).contains("crd:\n"));
    world.rop("generate chart").did_nothing();
    // Nothing is remembered of what is gone.
    world.rop("generate chart --crds separate").ok();
    assert!(has(&other) && has(metadata) && has("dist/chart-crds/.helmignore"));
}

/// What the user decided about the CRDs moves with them.
#[test]
fn separate_crds_are_kept_as_before() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.replace(VALUES, "  keep: true\n", "  keep: false\n");
    world.rop("generate chart --crds separate").ok();
    let values = "dist/chart-crds/values.yaml";
    assert!(world.read(values).contains("  keep: false\n"));
    world.rop("generate chart").did_nothing();
    world.replace(values, "  keep: false\n", "  keep: true\n");
    world.rop("generate chart").did_nothing();
    world.replace(values, "  keep: true\n", "  keep: false\n");
    world.replace(VALUES, "\ncrd:\n", "\nmine:\n");
    world.rop("generate chart --crds templates").ok();
    assert!(
        world
            .read(VALUES)
            .contains("\ncrd:\n  # Install and upgrade the CRDs.\n")
    );
    world.rop("generate chart").did_nothing();
}

/// An image that Helm would refuse is no default.
#[test]
fn an_image_is_a_reference() {
    let world = World::with_api();
    let manager = world.read("config/manager/manager.yaml");
    for (image, part) in [
        ("${REGISTRY}/app", "${REGISTRY}/app"),
        ("example.com/app:${TAG}", "${TAG}"),
        ("example.com/app@sha256:12", "sha256:12"),
    ] {
        let edited = manager.replace("image: controller:latest", &format!("image: {image}"));
        assert_ne!(edited, manager);
        world.write("config/manager/manager.yaml", &edited);
        world.rop("generate chart").exits(1).says(&format!(
            "invalid image `{image}` in `config/manager`: `{part}` cannot be a default of the chart"
        ));
    }
}

/// A release that Helm could not store is noted.
#[test]
fn a_large_crd_is_noted() {
    let world = World::with_api();
    let mut state = 1_u64;
    let mut word = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        format!("{:x}", state >> 16)
    };
    let text: Vec<String> = (0..75_000).map(|_| word()).collect();
    let text = text.join(" ");
    let crd = world
        .read(CRD)
        .replacen("description: ", &format!("description: {text} "), 1);
    world.write(CRD, &crd);
    let outcome = world.rop("generate chart").ok();
    outcome.says("of the 1024 KiB that Helm can store: `--crds separate`");
}
