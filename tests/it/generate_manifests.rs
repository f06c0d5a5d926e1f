use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::support::World;
use crate::support::cargo::{built, cargo, rop, settings};
use crate::support::tools::install;
use crate::support::turn::turn;

const TYPES: &str = "api/src/app/v1alpha1/setting.rs";
const CRD: &str = "config/crd/bases/app.example.com_settings.yaml";

fn project() -> World {
    let world = World::with_project_of("manifest-operator");
    world
        .rop("create api --group app --kind Setting --template minimal")
        .ok();
    world
}

/// A CRD that no type makes any more would still be installed.
#[test]
fn a_crd_without_a_type_is_named() {
    let world = project();
    rop(&world, "generate manifests --check").ok();
    let orphan = "config/crd/bases/app.example.com_olds.yaml";
    world.write(orphan, &world.read(CRD));
    world.write(
        "config/crd/bases/theirs.yaml",
        "kind: CustomResourceDefinition\n",
    );
    rop(&world, "generate manifests --check").exits(3).says(
        "manifests are out of date: config/crd/bases/app.example.com_olds.yaml (no longer generated)",
    );
    rop(&world, "generate manifests").ok().says(
        "note: `config/crd/bases/app.example.com_olds.yaml` has no type in `api/` any more: remove the file",
    );
    std::fs::remove_file(world.path().join(orphan)).expect("a file");
    rop(&world, "generate manifests --check").ok();
}

/// It would not be installed, and the operator would wait for it.
#[test]
fn a_crd_that_nothing_lists_is_named() {
    let world = project();
    let (list, entry) = (
        "config/crd/kustomization.yaml",
        "- bases/app.example.com_settings.yaml\n",
    );
    world.replace(list, entry, &format!("# {entry}"));
    rop(&world, "generate manifests --check").ok();
    world.replace(list, &format!("# {entry}"), "");
    rop(&world, "generate manifests --check").exits(3).says(
        "manifests are out of date: config/crd/kustomization.yaml (does not list bases/app.example.com_settings.yaml)",
    );
    rop(&world, "generate manifests").ok().says(
        "note: `config/crd/kustomization.yaml` does not list `bases/app.example.com_settings.yaml`",
    );
    world.rop("generate project").ok();
    rop(&world, "generate manifests --check").ok();
}

/// What `create api` wrote without compiling is what the derive gives.
#[test]
fn a_fresh_project_has_nothing_to_generate() {
    let image = format!("registry.example.com:5000/a/b@sha256:{}", "0a".repeat(32));
    let pinned = format!("--template workload --image {image} --port 65535");
    for arguments in [
        "--template workload",
        &pinned,
        "--template minimal",
        "--template pod --image on",
        "--template pod --cluster-scoped --short-name y --short-name no --category on --category all --plural n",
    ] {
        let world = World::with_project_of("manifest-operator");
        world
            .rop(&format!("create api --group app --kind Option {arguments}"))
            .ok();
        let tree = world.tree();
        rop(&world, "generate manifests").did_nothing();
        assert_eq!(world.tree(), tree);
    }
}

#[test]
fn a_change_of_a_type_reaches_the_crd() {
    let world = project();
    world.replace(TYPES, "max = 64", "max = 65");
    let tree = world.tree();
    let drift = rop(&world, "generate manifests --check").exits(3);
    insta::assert_snapshot!(without_sums(&drift.to_string()), @r#"
    exit: 3
    --- stdout
    --- a/config/crd/bases/app.example.com_settings.yaml
    +++ b/config/crd/bases/app.example.com_settings.yaml
    @@ -1,4 +1,4 @@
    -# Owned by rop: its commands rewrite this file, so make changes elsewhere [SUM]
    +# Owned by rop: its commands rewrite this file, so make changes elsewhere [SUM]
     apiVersion: apiextensions.k8s.io/v1
     kind: CustomResourceDefinition
     metadata:
    @@ -28,7 +28,7 @@
                 properties:
                   message:
                     description: "An example field: replace it with the fields of your API."
    -                maxLength: 64
    +                maxLength: 65
                     nullable: true
                     type: string
                 type: object
    --- stderr
     building the types in `api/`
    error[drift]: manifests are out of date: config/crd/bases/app.example.com_settings.yaml
    hint: run `rop generate manifests`, follow its notes, and commit the result
    "#);
    assert_eq!(world.tree(), tree);
    rop(&world, "generate manifests").ok();
    assert!(world.read(CRD).contains("maxLength: 65"));
    rop(&world, "generate manifests --check").ok();
}

/// The values of a chart change with its templates, and its edited template stops nothing else.
#[test]
fn a_chart_follows_as_a_whole() {
    let world = project();
    world.rop("generate chart").ok();
    world.write(
        "config/debug/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: Deployment}\n  \
         patch: |-\n    - op: add\n      path: /spec/template/spec/containers/0/args/-\n      value: --debug\n",
    );
    rop(&world, "generate manifests").ok();
    assert!(
        world
            .read("dist/chart/values.yaml")
            .contains("\ndebug:\n  # Include config/debug.\n  enabled: false\n")
    );
    world.rop("generate chart").did_nothing();

    world.replace(TYPES, "max = 64", "max = 65");
    let template = "dist/chart/templates/manager/controller-manager.yaml";
    world.replace(template, "name: manager", "name: other");
    rop(&world, "generate manifests")
        .ok()
        .says("note: `dist/chart` is not updated");
    assert!(world.read(CRD).contains("maxLength: 65"));
    assert!(world.read(template).contains("name: other"));
}

#[test]
fn a_marker_reaches_the_role() {
    let world = project();
    let path = "src/controller/setting/reconcile.rs";
    let marker = "// +rop:rbac:groups=batch,resources=jobs,verbs=get;create\n";
    world.write(path, &format!("{}{marker}", world.read(path)));
    rop(&world, "generate manifests --check")
        .exits(3)
        .says("+  - jobs");
    rop(&world, "generate manifests").ok();
    assert!(world.read("config/rbac/role.yaml").contains("  - jobs\n"));
}

/// What is not rop's in the folder stays as its user has it, also when no marker is left.
#[test]
fn a_webhook_marker_reaches_its_configuration() {
    let world = project();
    let marker = "// +kubebuilder:webhook:path=/validate,mutating=false,groups=app.example.com,resources=settings,verbs=delete,versions=v1alpha1,name=vsetting-v1alpha1.kb.io\n";
    world.write("src/webhook.rs", marker);
    rop(&world, "generate manifests --check")
        .exits(3)
        .says("+kind: ValidatingWebhookConfiguration");
    let kustomization = "config/default/kustomization.yaml";
    world.replace(kustomization, "components: []", "components:");
    let note = "note: to deploy the webhooks, add `../webhook` to `components:` in config/default/kustomization.yaml";
    rop(&world, "generate manifests").ok().says(note);
    let configurations = "config/webhook/manifests.yaml";
    assert!(world.read(configurations).contains("  - DELETE\n"));
    let patch = world.read("config/webhook/manager_patch.yaml");
    assert!(patch.contains("VALIDATING") && !patch.contains("MUTATING_"));

    world.replace(kustomization, "components:", "components: [../webhook]");
    let service = "config/webhook/service.yaml";
    world.replace(service, "port: 443", "port: 8443");
    std::fs::remove_file(world.path().join("config/webhook/secret.yaml")).expect("a file");
    world.replace("src/webhook.rs", "verbs=delete", "verbs=create");
    let said = rop(&world, "generate manifests").ok().to_string();
    assert!(!said.contains("note:"), "{said}");
    assert!(world.read(configurations).contains("  - CREATE\n"));
    assert!(world.read(service).contains("port: 8443"));
    rop(&world, "generate manifests --check").ok();

    world.replace("src/webhook.rs", "+kubebuilder:webhook", "a webhook");
    rop(&world, "generate manifests --check")
        .exits(3)
        .says("config/webhook/manifests.yaml (no longer generated)");
    rop(&world, "generate manifests")
        .ok()
        .says("note: `config/webhook/manifests.yaml` has no marker any more");
    assert!(world.read(service).contains("port: 8443"));
}

/// An edited manifest is drift to a check, and in the way of a command.
#[test]
fn an_edited_manifest() {
    let world = project();
    world.replace(CRD, "maxLength: 64", "maxLength: 63");
    rop(&world, "generate manifests --check")
        .exits(3)
        .says("-                maxLength: 63");
    rop(&world, "generate manifests")
        .exits(1)
        .says("is generated but was edited by hand");
    rop(&world, "generate manifests --force").ok();
    assert!(world.read(CRD).contains("maxLength: 64"));
}

#[test]
fn types_that_do_not_compile() {
    let world = project();
    world.replace(TYPES, "Option<String>", "Optoin<String>");
    let tree = world.tree();
    let outcome = rop(&world, "generate manifests").exits(1);
    let cargo = "cannot find type `Optoin` in this scope";
    assert!(
        outcome.stderr.contains(cargo),
        "cargo's own message: {outcome}"
    );
    let ours = outcome
        .stderr
        .split("\nerror[build-failed]: failed to build")
        .nth(1)
        .map(|rest| format!("error[build-failed]: failed to build{rest}"));
    insta::assert_snapshot!(ours.expect("our message"), @"
    error[build-failed]: failed to build the types in `api/`: see the cargo output above
    hint: fix the errors above and run the command again; nothing was written
    ");
    assert_eq!(world.tree(), tree);
}

/// A derive that panics when it runs: kube refuses a struct that has a mix of tagged variants.
#[test]
fn types_without_a_schema() {
    let world = project();
    world.replace(
        TYPES,
        "pub message: Option<String>,",
        "pub message: Option<Mixed>,",
    );
    world.replace(TYPES, "#[schemars(length(max = 64))]\n", "");
    world.write(
        TYPES,
        &format!(
            "{}\n/// One of several.\n#[derive(Clone, Debug, Deserialize, schemars::JsonSchema, PartialEq, Serialize)]\n\
             #[serde(tag = \"type\")]\npub enum Mixed {{\n    /// One.\n    A {{\n        /// Text.\n        x: String,\n    }},\n    /// Another.\n    B {{\n        /// Number.\n        x: i32,\n    }},\n}}\n",
            world.read(TYPES)
        ),
    );
    let tree = world.tree();
    let outcome = rop(&world, "generate manifests").exits(1);
    outcome
        .says("the project's `crdgen` failed")
        .says("panicked")
        .says("hint: ");
    assert_eq!(world.tree(), tree);
}

/// Fields whose schemas an API server refuses, or whose values it would drop.
const UNFIT: &str = r#"
    /// By number.
    #[serde(default)]
    pub by_number: std::collections::BTreeMap<u16, String>,
    /// By name.
    #[serde(default)]
    pub by_name: std::collections::BTreeMap<String, serde_json::Value>,
    /// Anything.
    #[serde(default)]
    pub anything: Option<serde_json::Value>,
    /// Of its own kind.
    #[serde(default)]
    pub children: Vec<Child>,
    #[serde(default)]
    pub raw: Option<k8s_openapi::apimachinery::pkg::runtime::RawExtension>,
    /// A port.
    #[serde(default)]
    pub port: Option<u16>,
    /// A name.
    #[serde(default)]
    #[schemars(regex(pattern = "^(?!kube-)"))]
    pub name: Option<String>,
}

/// A child.
#[derive(Clone, Debug, Deserialize, schemars::JsonSchema, PartialEq, Serialize)]
pub struct Child {
    /// Its children.
    #[serde(default)]
    pub children: Vec<Child>,
}
"#;

/// The types compile, and their CRDs would be refused. With the attributes that the hints say they are right.
#[test]
fn schemas_that_an_api_server_refuses_are_named() {
    let world = project();
    let end = "    pub message: Option<String>,\n}\n";
    world.replace(
        TYPES,
        end,
        &format!("    pub message: Option<String>,\n{UNFIT}"),
    );
    let tree = world.tree();
    let outcome = rop(&world, "generate manifests").exits(1);
    let said = outcome.stderr.split("\nerror[crd-refused]: ").nth(1);
    insta::assert_snapshot!(said.unwrap_or_default(), @r#"
    an API server would reject the CRDs of the types in `api/`:
      settings.app.example.com v1alpha1 .spec.anything: has no type
      settings.app.example.com v1alpha1 .spec.name: the pattern `^(?!kube-)` has `(?!`, which Go does not have
      settings.app.example.com v1alpha1 .spec.byNumber: `patternProperties` is not supported
      settings.app.example.com v1alpha1 .spec.children[*].children[*]: `$ref` is not supported
      settings.app.example.com v1alpha1 .spec.byName: a map of values without a schema: the API server would prune fields in the values
      settings.app.example.com v1alpha1 .spec.raw: an object without fields: the API server would prune all its fields
    hint: a type that contains itself has no schema in a CRD: add `#[schemars(with = "serde_json::Value", extend("x-kubernetes-preserve-unknown-fields" = true))]` to the field that does
    hint: if it may hold anything, add `#[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]`
    hint: if it may hold anything, add `#[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]`, and if it is empty, `#[schemars(extend("additionalProperties" = false))]`
    hint: if the values may be anything, add `#[schemars(extend("additionalProperties" = {"x-kubernetes-preserve-unknown-fields": true}))]`
    hint: patterns use Go's RE2 syntax, without look-ahead, look-behind and backreferences
    hint: the keys of a map are strings: add `#[schemars(with = "std::collections::BTreeMap<String, …>")]` with the type of the values
    "#);
    assert_eq!(world.tree(), tree);

    let anything = r#"#[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]"#;
    let strings = r#"#[schemars(with = "std::collections::BTreeMap<String, String>")]"#;
    let values = r#"#[schemars(extend("additionalProperties" = {"x-kubernetes-preserve-unknown-fields": true}))]"#;
    let value = r#"#[schemars(with = "serde_json::Value", extend("x-kubernetes-preserve-unknown-fields" = true))]"#;
    for (field, attribute) in [
        ("by_number: std", strings),
        ("by_name: std", values),
        ("anything: Opt", anything),
        (
            "children: Vec<Child>,\n    #[serde(default)]\n    pub raw",
            value,
        ),
        ("raw: Opt", anything),
    ] {
        let line = format!("    pub {field}");
        world.replace(TYPES, &line, &format!("    {attribute}\n{line}"));
    }
    world.replace(TYPES, "^(?!kube-)", "^[a-z]");
    rop(&world, "generate manifests").ok();
    let crd = world.read(CRD);
    for expected in [
        "additionalProperties:\n                  x-kubernetes-preserve-unknown-fields: true",
        "maximum: 65535",
        "additionalProperties:\n                  type: string",
        "pattern: ^[a-z]",
    ] {
        assert!(crd.contains(expected), "{expected}: {crd}");
    }
    assert!(!crd.contains("format: uint16"), "{crd}");
    rop(&world, "generate manifests --check").ok();
}

/// What was saved while the types compiled is younger than the start of the build, and older than its program. What
/// `mv` or `tar` put in place is older than both.
#[test]
fn a_type_with_an_older_time_reaches_the_crd() {
    let world = project();
    rop(&world, "generate manifests --check").ok();
    let types = world.path().join(TYPES);
    let set_time = |time| {
        let file = std::fs::File::options().append(true).open(&types);
        file.and_then(|file| file.set_modified(time))
            .expect("a time");
    };
    let program = built(&world, "crdgen").metadata().expect("a program");
    let end = program.modified().expect("a time");
    world.replace(TYPES, "max = 64", "max = 65");
    set_time(end - Duration::from_millis(1));
    rop(&world, "generate manifests --check").exits(3);
    rop(&world, "generate manifests").ok();
    assert!(world.read(CRD).contains("maxLength: 65"));

    world.replace(TYPES, "max = 65", "max = 66");
    set_time(end - Duration::from_hours(24));
    rop(&world, "generate manifests").ok();
    assert!(world.read(CRD).contains("maxLength: 66"));
    rop(&world, "generate manifests --check").ok();
}

/// Cargo, which keeps what it says.
const CARGO: &str = r#"#!/bin/sh
cargo "$@" >"$0.said"
code=$?
cat "$0.said"
exit $code
"#;

/// What is built for the tests of a project is what the types are built from: with other features
/// everything below them would be compiled once more.
#[test]
fn no_dependency_is_built_twice() {
    let world = World::with_project_of("manifest-operator");
    world
        .rop("create api --group app --kind Setting --no-controller")
        .ok();
    // The operator itself does not matter.
    world.write("src/lib.rs", "//! Nothing.\n");
    world.write("src/main.rs", "//! Nothing.\n\nfn main() {}\n");
    let tests = cargo(&world, "test --locked --no-run --message-format json");
    let built = dependencies(&tests.ok().stdout);
    let folder = world.path().with_file_name("bin");
    std::fs::create_dir(&folder).expect("a folder");
    install(&folder, "cargo", CARGO);
    let _turn = turn(&world);
    let mut command = world.command(".");
    command
        .args(["generate", "manifests"])
        .envs(settings())
        .env("CARGO", folder.join("cargo"));
    world.run(&mut command).ok();
    let said = std::fs::read_to_string(folder.join("cargo.said")).expect("messages");
    let needed = dependencies(&said);
    assert!(needed.len() > 40, "{needed:?}");
    let more: Vec<_> = needed.difference(&built).collect();
    assert!(more.is_empty(), "{more:#?}");
}

/// The files that cargo built, but for those of the project itself.
fn dependencies(messages: &str) -> BTreeSet<String> {
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let artifacts = messages.filter(|message| {
        let package = message["package_id"].as_str().unwrap_or("path+file:");
        message["reason"] == "compiler-artifact" && !package.starts_with("path+file:")
    });
    artifacts
        .filter_map(|artifact| artifact["filenames"].as_array().cloned())
        .flatten()
        .map(|file| file.to_string())
        .collect()
}

#[test]
fn no_cargo() {
    let world = project();
    let mut command = world.command(".");
    command
        .args(["generate", "manifests"])
        .env("PATH", "/nonexistent")
        .env_remove("CARGO");
    insta::assert_snapshot!(world.run(&mut command).exits(1), @"
    exit: 1
    --- stderr
     building the types in `api/`
    error[cargo-missing]: failed to run `cargo`
      caused by: No such file or directory (os error 2)
    hint: install Rust (https://rustup.rs) and put it on PATH
    ");
}

/// The sums in the first lines of files change with every template.
fn without_sums(text: &str) -> String {
    let sum = regex::Regex::new(r"\[[0-9a-f]{12}\]").expect("a pattern");
    sum.replace_all(text, "[SUM]").into_owned()
}
