//! What values may be, and how they follow `config/` and the user's edits.

use serde_json::{Value, json};

use super::helm::Helm;
use crate::support::World;

const MANAGER: &str = "config/manager/manager.yaml";
const SCHEMA: &str = "dist/chart/values.schema.json";
const METADATA: &str = "dist/chart/Chart.yaml";
const VALUES: &str = "dist/chart/values.yaml";
const DEPLOYMENT: &str = "dist/chart/templates/manager/controller-manager.yaml";

/// A value that an API server would refuse, that would put other fields into a manifest, or without which a template
/// would fail, is refused by the schema.
#[test]
fn the_schema_refuses_what_cannot_be_applied() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    world.rop("generate chart").ok();
    for (flag, value) in [
        ("--set", "commonLabels.team=1"),
        ("--set", "annotations.a=1"),
        ("--set", "podAnnotations.a=1"),
        ("--set", "serviceAccount.annotations.a=1"),
        ("--set", "podLabels.a=true"),
        ("--set", "nodeSelector.x=true"),
        ("--set", "tolerations[0].value=true"),
        ("--set", "imagePullSecrets[0].name=1"),
        ("--set", "extraEnv[0].name=A,extraEnv[0].value=1"),
        ("--set", "extraEnv[0].value=a"),
        ("--set", "image.digest=abc"),
        ("--set", "image.tag=a b"),
        ("--set", "image.repository=r/x@sha256:abc"),
        ("--set", "image.repository=r/x:1"),
        ("--set", "fullnameOverride=A"),
        ("--set-string", "fullnameOverride=1"),
        ("--set", "nameOverride=a #b"),
        ("--set", "watchNamespaces={}"),
        ("--set", "watchNamespaces={a\\,b}"),
        ("--set", "watchNamespaces={A b}"),
        ("--set", "watchNamespaces={*}"),
        ("--set", "watchNamespaces={a,a}"),
        (
            "--set-string",
            "priorityClassName=x\n      hostNetwork: true",
        ),
        ("--set-string", "serviceAccount.name=a: b"),
        (
            "--set-string",
            "image.repository=x\n        command: [sh]\n #",
        ),
        ("--set", "metrics=null"),
        ("--set", "image=null"),
        ("--set", "crd.keep=null"),
        ("--set", "replicas=null"),
        ("--set", "prometheus=null"),
    ] {
        let said = helm.fails(&world, &["template", "dist/chart", flag, value]);
        assert!(
            said.contains("values don't meet the specifications"),
            "{value}: {said}"
        );
    }
    // What can be left out.
    for value in [
        "podAnnotations=null,podLabels=null,annotations=null,commonLabels=null,resources=null",
        "watchNamespaces=null,extraEnv=null,extraArgs=null,image.tag=null,image.digest=null",
        "nodeSelector=null,priorityClassName=null,serviceAccount.name=null,nameOverride=null",
    ] {
        helm.objects(&world, &["--set", value]);
    }
    let said = helm.fails(
        &world,
        &[
            "template",
            "dist/chart",
            "--set",
            "replicas=2,leaderElection.enabled=false",
        ],
    );
    assert!(
        said.contains("replicas is above 1, but leaderElection.enabled is false"),
        "{said}"
    );
}

/// Names that YAML would read as numbers stay texts.
#[test]
fn names_are_texts() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    world.rop("generate chart").ok();
    let objects = helm.objects(
        &world,
        &[
            "--set-string",
            "serviceAccount.name=123,priorityClassName=1e3",
        ],
    );
    let of_kind = |kind: &str| {
        let found = objects.iter().find(|object| object["kind"] == kind);
        found.unwrap_or_else(|| panic!("no {kind}"))
    };
    let pod = &of_kind("Deployment")["spec"]["template"]["spec"];
    assert_eq!(pod["serviceAccountName"], "123");
    assert_eq!(pod["priorityClassName"], "1e3");
    assert_eq!(of_kind("ServiceAccount")["metadata"]["name"], "123");
    assert_eq!(of_kind("RoleBinding")["subjects"][0]["name"], "123");
}

/// The user's own values, and those of other charts that this one depends on, are allowed; misspelt ones are not.
#[test]
fn own_values_are_allowed() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    let before = world.read(SCHEMA);
    let values = world.read(VALUES);
    world.write(
        VALUES,
        &values
            .replace("\nreplicas: 1\n", "\nmine: 1\nreplicas: 1\n")
            .replace("\nmetrics:\n", "\nmetrics:\n  port: 8443\n"),
    );
    let metadata = "dist/chart/Chart.yaml";
    let depends = "dependencies:\n- {name: redis, version: 1.0.0}\n- {name: redis, version: 1.0.0, alias: cache}\n";
    world.write(metadata, &format!("{}{depends}", world.read(metadata)));
    world.rop("generate chart").ok();
    world.rop("generate chart").did_nothing();
    let schema: Value = serde_json::from_str(&world.read(SCHEMA)).expect("JSON");
    assert_eq!(schema["additionalProperties"], false);
    for path in [
        "/properties/mine",
        "/properties/metrics/properties/port",
        "/properties/redis",
        "/properties/cache",
        "/properties/tags",
    ] {
        assert_eq!(schema.pointer(path), Some(&json!({})), "{path}");
    }
    world.write(VALUES, &values);
    world.replace(metadata, depends, "");
    world.rop("generate chart").ok();
    assert_eq!(world.read(SCHEMA), before);
}

/// What `config/` gains takes the place of a value that nobody edited, also if it was empty, and back.
#[test]
fn empty_values_follow() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.replace(VALUES, "replicas: 1\n", "replicas: 3\n");
    let manager = world.read(MANAGER);
    let values = world.read(VALUES);
    world.replace(
        MANAGER,
        "      serviceAccountName:",
        "      tolerations:\n      - operator: Exists\n      nodeSelector:\n        disk: ssd\n      serviceAccountName:",
    );
    world.rop("generate chart").ok();
    let new = world.read(VALUES);
    assert!(
        new.contains("\ntolerations:\n- operator: Exists\n"),
        "{new}"
    );
    assert!(new.contains("\nnodeSelector:\n  disk: ssd\n"), "{new}");
    assert!(new.contains("replicas: 3\n"), "{new}");
    world.rop("generate chart").did_nothing();
    world.write(MANAGER, &manager);
    world.rop("generate chart").ok();
    assert_eq!(world.read(VALUES), values);
}

/// The version of the operator is the tag of its image until somebody edits it, whatever else of `Chart.yaml` is edited.
#[test]
fn the_version_follows_the_image() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.replace(METADATA, "version: 0.1.0", "version: 0.2.0");
    let image = "config/manager/kustomization.yaml";
    world.replace(image, "newTag: latest", "newTag: v1.0.0");
    let checked = world.rop("generate chart --check").exits(3);
    checked.says("the chart is out of date: dist/chart/Chart.yaml");
    world.rop("generate chart").ok().omits("note:");
    let metadata = world.read(METADATA);
    assert!(metadata.contains("\nversion: 0.2.0\n"), "{metadata}");
    assert!(metadata.contains("\nappVersion: v1.0.0\n"), "{metadata}");
    world.replace(METADATA, "appVersion: v1.0.0", "appVersion: v0.9.0");
    world.replace(image, "newTag: v1.0.0", "newTag: v1.1.0");
    let note = "note: `dist/chart/Chart.yaml` has your appVersion `v0.9.0`, which the chart deploys: the image in `config/` \
                has the tag `v1.1.0`";
    for command in ["", " --check", " --package"] {
        world
            .rop(&format!("generate chart{command}"))
            .ok()
            .says(note);
    }
    assert!(world.read(METADATA).contains("\nappVersion: v0.9.0\n"));
    let archive = std::fs::read(world.path().join("dist/app-operator-0.2.0.tgz"));
    let mut text = String::new();
    std::io::Read::read_to_string(
        &mut flate2::read::GzDecoder::new(&*archive.expect("an archive")),
        &mut text,
    )
    .expect("text");
    assert!(text.contains("\nappVersion: v0.9.0\n"));
    // A value decides before the version does.
    world.replace(VALUES, "  tag: \"\"\n", "  tag: v1.1.0\n");
    world.rop("generate chart").ok().omits("note:");
}

/// Helm refuses a chart without its switches, so rop does not call it up to date.
#[test]
fn a_missing_switch_is_named() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    let values = world.read(VALUES);
    for (from, to, missing) in [
        ("replicas: 1\n", "", "`replicas: 1`"),
        (
            "  enabled: true\n  # Serve",
            "  # Serve",
            "`metrics.enabled: true`",
        ),
        (
            "prometheus:\n",
            "prometheus: on\nmine:\n",
            "`prometheus.enabled: false`",
        ),
    ] {
        let edited = values.replace(from, to);
        assert_ne!(edited, values, "{from}");
        world.write(VALUES, &edited);
        for command in ["generate chart", "generate chart --check"] {
            world.rop(command).exits(1).says(&format!(
                "`{VALUES}` lacks values that the templates need: {missing}"
            ));
        }
        assert_eq!(world.read(VALUES), edited);
    }
    for empty in ["", "# all mine\n", "...\n", "\u{feff}"] {
        world.write(VALUES, empty);
        let outcome = world.rop("generate chart --check").exits(1);
        outcome.says(&format!(
            "`{VALUES}` lacks values that the templates need: "
        ));
    }
}

/// Without a record, the schema tells which values nobody edited: these follow `config/`, others stay.
#[test]
fn without_a_record_values_follow() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.replace(VALUES, "\nreplicas: 1\n", "\nreplicas: 3\n");
    std::fs::remove_dir_all(world.path().join(".rop")).expect("a folder");
    world.rop("generate chart").did_nothing();
    let kustomization = "config/default/kustomization.yaml";
    world.replace(
        kustomization,
        "components: []",
        "components: [../prometheus]",
    );
    let on = "  # Include config/prometheus.\n  enabled: true\n";
    world.rop("generate chart --check").exits(3);
    world.rop("generate chart").ok().omits("note:");
    let values = world.read(VALUES);
    assert!(
        values.contains(on) && values.contains("\nreplicas: 3\n"),
        "{values}"
    );
    // A switch that the user turned stays.
    world.replace(VALUES, on, &on.replace("true", "false"));
    world.rop("generate chart").did_nothing();
    let off = world.read(VALUES);
    world.replace(
        kustomization,
        "components: [../prometheus]",
        "components: []",
    );
    world.rop("generate chart").ok();
    assert_eq!(world.read(VALUES), off);
}

/// Without a record and in a chart of an older rop, values are the user's: those that are missing are added, and those
/// that differ are named.
#[test]
fn without_a_record_values_are_kept() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    std::fs::remove_dir_all(world.path().join(".rop")).expect("a folder");
    world.rop("generate chart").did_nothing();
    let schema = world.read(SCHEMA);
    let older = schema
        .lines()
        .filter(|line| !line.trim_start().starts_with("\"default\":"));
    let older: String = older.map(|line| format!("{line}\n")).collect();
    world.write(SCHEMA, &older);
    world.replace(VALUES, "\nreplicas: 1\n", "\nmine: 1\n");
    world.replace(
        MANAGER,
        "      serviceAccountName:",
        "      tolerations:\n      - operator: Exists\n      serviceAccountName:",
    );
    world.replace(
        "config/default/kustomization.yaml",
        "components: []",
        "components: [../prometheus]",
    );
    // The schema is not as this rop writes it.
    let outcome = world.rop("generate chart --force").ok();
    outcome.says(&format!(
        "note: `{VALUES}` keeps its `tolerations`, `prometheus.enabled`, unlike `config/`: without the record in `.rop`"
    ));
    let values = world.read(VALUES);
    for kept in ["\nmine: 1\n", "\nreplicas: 1\n", "\ntolerations: []\n"] {
        assert!(values.contains(kept), "{kept}: {values}");
    }
    world.rop("create api --group app --kind Cache").ok();
    assert_eq!(world.read(VALUES), values);
}

/// An edited template is a matter of the chart's own command.
#[test]
fn an_edited_template_stops_only_the_chart() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.replace(DEPLOYMENT, "name: manager", "name: other");
    let edited = world.read(DEPLOYMENT);
    world.rop("create api --group app --kind Cache").ok().says(&format!(
        "note: `dist/chart` is not updated: `{DEPLOYMENT}` is generated but was edited by hand; see `rop generate chart`"
    ));
    assert_eq!(world.read(DEPLOYMENT), edited);
    assert!(
        !world
            .path()
            .join("dist/chart/templates/crd/caches.app.example.com.yaml")
            .exists()
    );
    world
        .rop("check --skip manifests")
        .exits(3)
        .says("run `rop generate chart --force`");
    world.rop("generate chart").exits(1);
    world.rop("generate chart --force").ok();
    world.rop("check --skip manifests").ok();
}

/// A webhook for pods leaves out the namespace of the release, in which the operator itself starts.
#[test]
fn webhooks_leave_out_the_namespace_of_the_release() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    world
        .rop("create webhook --group core --version v1 --kind Pod --validation")
        .ok();
    world.rop("generate chart").ok();
    let objects = helm.objects(&world, &["--namespace", "ops"]);
    let mut all = objects.iter();
    let webhook = all.find(|object| object["kind"] == "ValidatingWebhookConfiguration");
    assert_eq!(
        webhook.expect("a webhook")["webhooks"][0]["namespaceSelector"]["matchExpressions"][0]["values"],
        json!(["ops", "kube-system"])
    );
}

/// The notes name the CRDs, in the order of the commands that delete them.
#[test]
fn notes_name_the_crds() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    world.rop("create api --group app --kind Cache").ok();
    world.rop("generate chart").ok();
    let install = [
        "install",
        "app-operator",
        "dist/chart",
        "--dry-run=client",
        "--set",
    ];
    let notes = |value: &str| helm.ok(&world, &[&install[..], &[value]].concat());
    let kept = notes("crd.keep=true");
    assert!(
        kept.ends_with("  kubectl delete crd appservices.app.example.com caches.app.example.com\n"),
        "{kept}"
    );
    for value in ["crd.keep=false", "crd.enabled=false"] {
        assert!(!notes(value).contains("kubectl delete crd"), "{value}");
    }
}
