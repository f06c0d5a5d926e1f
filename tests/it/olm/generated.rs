//! Bundles as files: what is in them, what becomes of edits, and what goes.

use std::fs;

use serde_json::{Value, json};

use crate::support::World;

const CSV: &str = "bundle/manifests/app-operator.clusterserviceversion.yaml";
const BASE: &str = "config/manifests/bases/app-operator.clusterserviceversion.yaml";
const CRD: &str = "bundle/manifests/app.example.com_appservices.yaml";

/// A project with webhooks, a conversion, a policy and a role in another namespace.
pub(super) fn with_everything() -> World {
    let world = World::with_api();
    for create in [
        "webhook --group app --kind AppService --defaulting --validation",
        "api --group app --version v1 --kind AppService",
        "webhook --group app --kind AppService --conversion",
        "policy --group app --kind AppService --validating",
    ] {
        world.rop(&format!("create {create}")).ok();
    }
    world
}

pub(super) fn csv(world: &World) -> Value {
    serde_yaml::from_str(&world.read(CSV)).expect("YAML")
}

fn exists(world: &World, path: &str) -> bool {
    world.path().join(path).exists()
}

#[test]
fn a_bundle_has_all_that_the_operator_needs() {
    let world = with_everything();
    let outcome = world.rop("bundle --image example.com/app:v1").ok();
    // Nothing is dropped without a word.
    outcome
        .says("so the bundle omits Role app-operator-system/app-operator-webhook-role")
        .says("an OLM bundle cannot contain ValidatingAdmissionPolicy app-operator-appservice-validating-policy");
    let csv = csv(&world);
    insta::assert_snapshot!(serde_yaml::to_string(&summary(&csv)).expect("YAML"));
    let files = world.tree();
    let names: Vec<_> = files
        .keys()
        .filter(|path| path.starts_with("bundle"))
        .map(|path| &**path)
        .collect();
    insta::assert_snapshot!(names.join("\n"));
    for (path, text) in files
        .iter()
        .filter(|(path, _)| path.starts_with("bundle/manifests/"))
    {
        let object: Value = serde_yaml::from_str(text).expect("YAML");
        let namespace = &object["metadata"]["namespace"];
        assert!(namespace.is_null() || path == CSV, "{path}");
    }
}

/// What a person reads first in a `ClusterServiceVersion`.
fn summary(csv: &Value) -> Value {
    let spec = &csv["spec"];
    let install = &spec["install"]["spec"];
    let owned = spec["customresourcedefinitions"]["owned"].as_array();
    let examples = csv["metadata"]["annotations"]["alm-examples"].as_str();
    let examples: Value = serde_json::from_str(examples.expect("examples")).expect("JSON");
    let container = &install["deployments"][0]["spec"]["template"]["spec"]["containers"][0];
    json!({
        "name": csv["metadata"]["name"],
        "owned": owned.into_iter().flatten().map(|kind| {
            json!([kind["name"], kind["version"], kind["displayName"], kind["resources"], kind["specDescriptors"][0]])
        }).collect::<Vec<_>>(),
        "examples": examples.as_array().map(|all| all.iter().map(|example| example["apiVersion"].clone()).collect::<Vec<_>>()),
        "modes": spec["installModes"],
        "images": spec["relatedImages"],
        "webhooks": spec["webhookdefinitions"],
        "args": container["args"],
        "env": container["env"],
        "permissions": install["permissions"],
        "cluster": install["clusterPermissions"],
        "oldest": spec["minKubeVersion"],
    })
}

#[test]
fn the_same_again_is_nothing_to_do() {
    let world = with_everything();
    world.rop("bundle").ok();
    world.rop("bundle").did_nothing();
    world
        .rop("bundle --check")
        .ok()
        .says("the bundle is up to date");
    // Another locale, another time zone.
    let mut command = world.command(".");
    command
        .args(["bundle", "--check"])
        .envs([("LC_ALL", "tr_TR.UTF-8"), ("TZ", "Asia/Kolkata")]);
    world.run(&mut command).ok();
    let crd = "config/crd/bases/app.example.com_appservices.yaml";
    world.replace(
        crd,
        "kind: AppService\n",
        "kind: AppService\n    shortNames: [a]\n",
    );
    world
        .rop("bundle --check")
        .exits(3)
        .says(CRD)
        .says("shortNames");
    world.rop("bundle").ok();
    world.rop("bundle --check").ok();
}

#[test]
fn edits_of_the_base_and_of_the_bundle_stay() {
    let world = World::with_api();
    world.rop("bundle").ok();
    world.replace(
        BASE,
        "  maturity: alpha\n",
        "  maturity: beta\n  x-unknown: {kept: true}\n",
    );
    world.replace(BASE, "keywords:\n", "customresourcedefinitions:\n    owned:\n    - name: appservices.app.example.com\n      version: v1alpha1\n      kind: AppService\n      displayName: Service\n      specDescriptors:\n      - path: image\n        displayName: Container image\n  keywords:\n");
    world.replace(
        CSV,
        "  maturity: alpha\n",
        "  maturity: alpha\n  replaces: app-operator.v0.0.9\n",
    );
    world.replace(
        CRD,
        "metadata:\n",
        "metadata:\n  annotations:\n    example.com/a: b\n",
    );
    world.rop("bundle").ok();
    let csv = csv(&world);
    assert_eq!(csv["spec"]["maturity"], "beta");
    assert_eq!(csv["spec"]["replaces"], "app-operator.v0.0.9");
    assert_eq!(csv["spec"]["x-unknown"], json!({"kept": true}));
    let owned = &csv["spec"]["customresourcedefinitions"]["owned"][0];
    assert_eq!(owned["displayName"], "Service");
    let descriptors = owned["specDescriptors"].as_array().expect("descriptors");
    let image = &descriptors[0];
    assert_eq!(image["displayName"], "Container image");
    assert!(
        image["description"].is_string() && descriptors.len() > 1,
        "{owned}"
    );
    assert!(world.read(CRD).contains("example.com/a: b"));
    world.rop("bundle").did_nothing();
    // The same line, twice.
    world.replace(CSV, "  maturity: beta\n", "  maturity: stable\n");
    world.replace(BASE, "  maturity: beta\n", "  maturity: mature\n");
    world
        .rop("bundle")
        .ok()
        .says("`spec.maturity` in `bundle/manifests");
    assert!(world.read(CSV).contains("  maturity: stable\n"));
}

/// Where lines cannot be merged, fields are: what only the file has stays around them.
#[test]
fn comments_and_order_stay() {
    let world = World::with_api();
    world.rop("bundle").ok();
    world.replace(
        CSV,
        "  maturity: alpha\n",
        "  # as of spring\n  maturity: beta # not yet stable\n",
    );
    // The line beside it, and an order of fields that is not rop's.
    world.replace(
        BASE,
        "spec:\n",
        "spec:\n  relatedImages:\n  - name: other\n    image: example.com/other:v1\n  customresourcedefinitions:\n    required: []\n",
    );
    world.replace(BASE, "Manages AppService", "Runs AppService");
    world.rop("bundle").ok();
    let text = world.read(CSV);
    assert!(
        text.contains("  # as of spring\n  maturity: beta # not yet stable\n"),
        "{text}"
    );
    assert!(text.contains("Runs AppService"), "{text}");
    let order = |csv: &str| {
        let fields = [
            "relatedImages:",
            "customresourcedefinitions:",
            "displayName:",
        ];
        fields.map(|field| csv.find(&format!("\n  {field}")))
    };
    assert!(text.contains("example.com/other:v1"), "{text}");
    world.rop("bundle").did_nothing();
    // A new bundle has the order of the base.
    std::fs::remove_file(world.path().join(CSV)).expect("a file");
    world.rop("bundle").ok();
    assert!(order(&world.read(CSV)).is_sorted(), "{}", world.read(CSV));
}

#[test]
fn what_the_operator_has_no_more_goes() {
    let world = World::with_api();
    world
        .rop("create api --group app --kind Other --template minimal")
        .ok();
    world.rop("bundle").ok();
    let other = "bundle/manifests/app.example.com_others.yaml";
    let role = "bundle/manifests/app-operator-other-viewer-role_rbac.authorization.k8s.io_v1_clusterrole.yaml";
    assert!(exists(&world, other) && exists(&world, role));
    let mine = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n";
    world.write("bundle/manifests/mine.yaml", mine);
    world.rop("delete api --group app --kind Other").ok();
    assert!(exists(&world, other), "a bundle changes by its own command");
    world.rop("bundle").ok();
    assert!(!exists(&world, other) && !exists(&world, role));
    assert!(exists(&world, "bundle/manifests/mine.yaml"));
    // What is missing is made again.
    fs::remove_file(world.path().join("bundle/metadata/annotations.yaml")).expect("a file");
    world.rop("bundle").ok();
    assert!(exists(&world, "bundle/metadata/annotations.yaml"));
}

/// What is written is checked at once, with what its user added.
#[test]
fn a_bundle_that_breaks_rules_is_reported() {
    let world = World::with_api();
    world.rop("bundle").ok();
    world.write("bundle/manifests/mine.yaml", "kind: ConfigMap\n");
    for command in ["bundle", "bundle --check"] {
        let outcome = world.rop(command).exits(1);
        outcome
            .says("error[invalid-bundle]: `bundle` has 1 error")
            .says("  --> bundle/manifests/mine.yaml:1");
    }
    world
        .rop("bundle validate bundle")
        .exits(1)
        .says("mine.yaml");
}

/// Another command neither touches the bundle nor forgets what was in it.
#[test]
fn other_commands_leave_it_alone() {
    let world = World::with_api();
    world
        .rop("bundle --channels stable,fast --default-channel fast")
        .ok();
    let before = world.read(CSV);
    world
        .rop("create api --group app --kind Other --template minimal")
        .ok();
    world.rop("generate project").ok();
    assert_eq!(world.read(CSV), before);
    world.replace(
        CSV,
        "  maturity: alpha\n",
        "  maturity: alpha\n  replaces: app-operator.v0.0.9\n",
    );
    world.rop("bundle --version 1.2.3").ok();
    let csv = csv(&world);
    assert_eq!(csv["spec"]["replaces"], "app-operator.v0.0.9");
    assert_eq!(csv["metadata"]["name"], "app-operator.v1.2.3");
    // Channels are those of the last bundle.
    let annotations = world.read("bundle/metadata/annotations.yaml");
    assert!(
        annotations.contains("channels.v1: stable,fast\n"),
        "{annotations}"
    );
    assert!(
        annotations.contains("channel.default.v1: fast\n"),
        "{annotations}"
    );
}

#[test]
fn images_can_be_pinned() {
    let world = World::with_api();
    let digest = format!("sha256:{}", "0a".repeat(32));
    world.write(
        "digests.yaml",
        &format!("example.com:5000/app:v1: {digest}\n"),
    );
    let bundle = "bundle --image-digests digests.yaml --image example.com:5000/app";
    world
        .rop(&format!("{bundle}:v2"))
        .exits(2)
        .says("`example.com:5000/app:v2`");
    assert!(!exists(&world, "bundle"));
    world.rop(&format!("{bundle}:v1")).ok();
    let csv = csv(&world);
    let pinned = format!("example.com:5000/app@{digest}");
    assert_eq!(
        csv["spec"]["relatedImages"],
        json!([{"image": pinned, "name": "manager"}])
    );
    assert_eq!(
        csv["metadata"]["annotations"]["containerImage"],
        json!(pinned)
    );
}

#[test]
fn bad_input_leaves_the_tree_alone() {
    let world = World::with_api();
    let before = world.tree();
    for (arguments, message) in [
        ("--version 1.2", "1.2"),
        ("--version 1.2.3+build.4", "leave out `+build.4`"),
        ("--output ../elsewhere", "`../elsewhere`"),
        ("--output .git/bundle", "`.git/bundle`"),
        ("--output my*bundle", "`my*bundle`"),
        ("--channels stable --default-channel fast", "`fast`"),
        ("--channels stable,$x", "invalid channel `$x`"),
        ("--channels stable,,fast", "invalid channel ``"),
        ("--image-digests nothing.yaml", "`nothing.yaml`"),
        ("--image-digests Makefile", "`Makefile`"),
    ] {
        let outcome = world.rop(&format!("bundle {arguments}"));
        assert!(
            outcome.code == 1 || outcome.code == 2,
            "{arguments}: {outcome}"
        );
        outcome.says(message);
        assert_eq!(world.tree(), before, "{arguments}");
    }
    world.write(BASE, "spec: [\n");
    assert_ne!(world.rop("bundle").says(BASE).code, 0);
    world.write(BASE, "- a\n");
    assert_ne!(world.rop("bundle").says("is not an object").code, 0);
    world.write(BASE, "spec: {relatedImages: text}\n");
    let outcome = world.rop("bundle");
    assert_ne!(outcome.says("`spec.relatedImages` in").code, 0);
}

/// A check names what a user knows, and what breaks a rule is shown where it is found.
#[test]
fn findings_and_drift_are_shown() {
    let world = World::with_api();
    world.rop("bundle").ok();
    let drift = world.rop("bundle --check --version 0.2.0").exits(3);
    drift.says(
        "the bundle is out of date: bundle/manifests/app-operator.clusterserviceversion.yaml\n",
    );
    let csv = "bundle/manifests/app-operator.clusterserviceversion.yaml";
    world.replace(csv, "installModes:", "installMode:");
    for command in ["bundle", "bundle --check"] {
        let outcome = world.rop(command).exits(1);
        let text = format!("  --> {csv}");
        assert!(
            outcome.stderr.contains("error[install-modes-missing]"),
            "{outcome}"
        );
        assert!(outcome.stderr.contains(&text), "{outcome}");
        outcome.says("`bundle` has ");
    }
}

/// Channels of the last bundle become labels in its Dockerfile.
#[test]
fn a_foreign_channel_brings_no_instruction_into_the_dockerfile() {
    let world = World::with_api();
    world.rop("bundle").ok();
    let annotations = "bundle/metadata/annotations.yaml";
    world.replace(
        annotations,
        "channels.v1: candidate",
        r#"channels.v1: "a\nRUN x""#,
    );
    let dockerfile = world.read("bundle.Dockerfile");
    let refused = world.rop("bundle").exits(2);
    refused
        .says("invalid channel")
        .says("`--channels candidate,stable`");
    assert_eq!(world.read("bundle.Dockerfile"), dockerfile);
    world
        .rop("bundle --channels stable")
        .exits(1)
        .says("error[channel-characters]");
    assert!(!world.read("bundle.Dockerfile").contains("RUN"));
}

/// Nothing of a file elsewhere is merged into a bundle, which its user publishes.
#[test]
fn a_link_out_of_the_project_is_refused() {
    let world = World::with_api();
    world.rop("bundle").ok();
    let elsewhere = world.path().with_file_name("elsewhere.yaml");
    fs::write(&elsewhere, "kind: Config\ntoken: secret\n").expect("a file");
    let csv = world.path().join(CSV);
    fs::remove_file(&csv).expect("a file");
    std::os::unix::fs::symlink(&elsewhere, &csv).expect("a link");
    let outcome = world.rop("bundle --version 0.2.0");
    assert_ne!(outcome.code, 0);
    outcome.says("error[outside-project]").says(CSV);
    assert!(csv.is_symlink());
}
