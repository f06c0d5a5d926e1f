//! Kinds of other operators.

use crate::support::world::differing;
use crate::support::{World, cargo, control_plane};

const WIDGET: &str = include_str!("widget.yaml");
const KEPT: &str = "config/external/example.org_widgets.yaml";
const TYPES: &str = "api/src/external/example_org/v1/widget.rs";
const COMMAND: &str =
    "create api --group example.org --kind Widget --resource=false --external-crd widget.yaml";

/// A project beside a file with the CRD.
fn world() -> World {
    let world = World::with_project();
    world.write("widget.yaml", WIDGET);
    world
}

#[test]
fn has_types_a_controller_and_tests() {
    let world = world();
    let outcome = world.rop(COMMAND).ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
    note: example.org/v1 Widget: `spec.settings` may hold anything, and is a `serde_json::Value`
       update .github/workflows/ci.yml
       update AGENTS.md
       update Makefile
       update PROJECT
       update README.md
       create api/src/external/condition.rs
       create api/src/external/example_org/v1/widget.rs
       create api/src/external/mod.rs
       create api/src/external/schema.rs
       create api/src/external/values.rs
       update api/src/lib.rs
       create config/external/example.org_widgets.yaml
       update config/rbac/role.yaml
       update src/controller/mod.rs
       create src/controller/widget/fixture.rs
       create src/controller/widget/fixture.yaml
       create src/controller/widget/mod.rs
       create src/controller/widget/reconcile.rs
       create tests/cluster/main.rs
       create tests/cluster/support.rs
       create tests/cluster/widget.rs
       create tests/e2e/main.rs
       create tests/e2e/samples.rs
       create tests/simulation.rs

    next:
      edit src/controller/widget/reconcile.rs
      cargo test
    ");
    let project = world.read("PROJECT");
    let entry = "\
- controller: true
  domain: org
  external: true
  group: example
  kind: Widget
  path: app_operator_api::external::example_org::v1
  plural: widgets
  version: v1
";
    assert!(project.contains(entry), "{project}");
    let role = world.read("config/rbac/role.yaml");
    let rule = "- apiGroups:\n  - example.org\n  resources:\n  - widgets\n  verbs:\n  - list\n  - patch\n  - watch\n";
    assert!(role.contains(rule), "{role}");
    let fixture = world.read("src/controller/widget/fixture.yaml");
    assert!(fixture.ends_with("spec:\n  size: Small\n"), "{fixture}");
    assert!(!world.path().join("config/crd/bases").exists());
    world.rop(COMMAND).did_nothing();
    world
        .rop("create api --group example.org --kind Widget --no-resource")
        .did_nothing();
    world.rop("generate project").did_nothing();
}

/// What a schema does not tell about an object is for the user to fill in.
#[test]
fn what_the_fixture_lacks_is_named() {
    let world = world();
    world.replace(
        "widget.yaml",
        "            required: [size]\n",
        "            required: [size]\n            minProperties: 9\n            x-kubernetes-validations: [{rule: self.size != 'Huge', message: too large}]\n",
    );
    let fixture = "`src/controller/widget/fixture.yaml`";
    let outcome = world.rop(COMMAND).ok();
    outcome
        .says(&format!("note: edit {fixture}: `spec` must have at least 9 fields\n"))
        .says(&format!(
            "note: check {fixture} against the CEL rules, which rop does not evaluate: `spec` (too large)\n"
        ));
    let webhook = "create webhook --group example.org --kind Widget --validation";
    world
        .rop(webhook)
        .ok()
        .says("fixture.yaml`: `spec` must have at least 9 fields\n");
}

/// The domain is a part of the group, or is named by itself as kubebuilder has it.
#[test]
fn the_domain_may_be_named() {
    let [one, other] = ["example.org", "example --external-api-domain org"].map(|group| {
        let world = world();
        world.rop(&COMMAND.replace("example.org", group)).ok();
        world
    });
    assert_eq!(differing(&one.tree(), &other.tree()), [""; 0]);
}

#[test]
fn may_have_types_alone() {
    let world = world();
    world.rop(&format!("{COMMAND} --controller=false")).ok();
    assert!(!world.path().join("src/controller/widget").exists());
    let types = world.read("api/src/external/example_org/v1/widget.rs");
    assert!(types.contains("pub struct WidgetSpec {"), "{types}");
    // Later a controller comes to them.
    world.rop(COMMAND).ok();
    let other = self::world();
    other.rop(COMMAND).ok();
    assert_eq!(differing(&other.tree(), &world.tree()), [""; 0]);
}

/// A newer CRD changes the types, and nothing of the user's.
#[test]
fn a_newer_crd_refreshes_the_types() {
    let world = world();
    world.rop(COMMAND).ok();
    world.replace(
        "src/controller/widget/reconcile.rs",
        "//! Reconciles",
        "//! Ours.\n//! Reconciles",
    );
    world.replace("widget.yaml", "[Small, Large]", "[Small, Large, Huge]");
    insta::assert_snapshot!(world.rop(COMMAND).ok(), @"
    exit: 0
    --- stderr
    note: example.org/v1 Widget: `spec.settings` may hold anything, and is a `serde_json::Value`
       update api/src/external/example_org/v1/widget.rs
       update config/external/example.org_widgets.yaml

    next:
      cargo test
    ");
    let types = world.read("api/src/external/example_org/v1/widget.rs");
    assert!(types.contains("    Huge,\n"), "{types}");
    // An edit is not overwritten unasked.
    world.replace(
        "api/src/external/example_org/v1/widget.rs",
        "    Huge,\n",
        "    Giant,\n",
    );
    world.replace("widget.yaml", "[Small, Large, Huge]", "[Small]");
    let tree = world.tree();
    insta::assert_snapshot!(world.rop(COMMAND).exits(1), @"
    exit: 1
    --- stderr
    note: example.org/v1 Widget: `spec.settings` may hold anything, and is a `serde_json::Value`
    error[files-in-the-way]: a file has local changes; nothing was written:
      api/src/external/example_org/v1/widget.rs is generated but was edited by hand
    hint: move your changes elsewhere, or overwrite them with `--force`
    ");
    assert_eq!(world.tree(), tree);
    world.rop(&format!("{COMMAND} --force")).ok();
    assert!(
        !world
            .read("api/src/external/example_org/v1/widget.rs")
            .contains("Giant")
    );
}

/// What is generated follows from PROJECT and the CRD that is kept.
#[test]
fn project_and_crd_say_what_there_is() {
    let world = world();
    let (tree, project) = (world.tree(), world.read("PROJECT"));
    world.rop(COMMAND).ok();
    let (with, with_project) = (world.tree(), world.read("PROJECT"));
    // Taken out.
    world.write("PROJECT", &project);
    world.rop("generate project").ok();
    assert_eq!(differing(&tree, &world.tree()), [""; 0]);
    // And back, but for the CRD.
    world.write("PROJECT", &with_project);
    insta::assert_snapshot!(world.rop("generate project").exits(1), @"
    exit: 1
    --- stderr
    error[files-missing]: the CRD of example.org/v1 Widget does not exist: `config/external/example.org_widgets.yaml`
    hint: add the CRD again: `rop create api --group example.org --version v1 --kind Widget --external-crd FILE`
    ");
    world.write("config/external/example.org_widgets.yaml", WIDGET);
    world.rop("generate project --force").ok();
    assert_eq!(differing(&with, &world.tree()), [""; 0]);
}

/// The same CRD once more puts back what was edited, if that is asked for.
#[test]
fn the_same_crd_finds_what_was_edited() {
    let world = world();
    world.rop(COMMAND).ok();
    let made = world.tree();
    for (path, from, to) in [
        (TYPES, "    Small,\n", "    Tiny,\n"),
        (KEPT, "- Small", "- Tiny"),
    ] {
        world.replace(path, from, to);
        let edited = world.tree();
        for command in [COMMAND, "generate project"] {
            let refused = format!("{path} is generated but was edited by hand");
            world.rop(command).exits(1).says(&refused);
            assert_eq!(world.tree(), edited);
        }
        let restored = world.rop(&format!("{COMMAND} --force")).ok();
        restored.says(&format!("overwrite {path}\n"));
        assert_eq!(differing(&made, &world.tree()), [""; 0]);
    }
    // What is lost comes back.
    std::fs::remove_file(world.path().join(TYPES)).expect("a file");
    world.rop(COMMAND).ok().says(&format!("create {TYPES}\n"));
    assert_eq!(differing(&made, &world.tree()), [""; 0]);
}

/// In CI: the CRD that is kept, and the types that are made of it.
#[test]
fn a_check_finds_what_is_stale() {
    let world = world();
    world.rop(COMMAND).ok();
    let check = "generate manifests --check";
    let (types, kept) = (world.read(TYPES), world.read(KEPT));
    let drift = "error[drift]: generated types do not match the CRDs in config/external: ";
    // Edited types, a newer CRD with the older types, and lost types.
    world.replace(TYPES, "    Small,\n", "    Tiny,\n");
    insta::assert_snapshot!(world.rop(check).exits(3).stderr, @"
    error[drift]: generated types do not match the CRDs in config/external: api/src/external/example_org/v1/widget.rs
    hint: run `rop generate project` and commit the result
    ");
    world.write(TYPES, "");
    world.rop(check).exits(3).says(&format!("{drift}{TYPES}\n"));
    std::fs::remove_file(world.path().join(TYPES)).expect("a file");
    world.rop(check).exits(3).says(&format!("{drift}{TYPES}\n"));
    world.write(TYPES, &types);
    world.write(
        KEPT,
        &WIDGET.replace("[Small, Large]", "[Small, Large, Huge]"),
    );
    world
        .rop(check)
        .exits(3)
        .says(&format!("{drift}{TYPES}, {KEPT}\n"));
    // What cannot be read is named, with what puts it back.
    let back = "rop create api --group example.org --version v1 --kind Widget --external-crd FILE";
    world.write(KEPT, &kept.replace("  scope: Namespaced\n", ""));
    for command in [check, "generate manifests", "generate project"] {
        let broken = world.rop(command);
        assert_ne!(broken.code, 0, "{broken}");
        broken
            .says(&format!("in `{KEPT}`: `spec.scope` "))
            .says(back);
    }
    world.rop(COMMAND).exits(1).says("edited by hand");
    world.rop(&format!("{COMMAND} --force")).ok();
    assert_eq!(world.read(KEPT), kept);
    std::fs::remove_file(world.path().join(KEPT)).expect("a file");
    for command in [check, "generate manifests"] {
        world
            .rop(command)
            .exits(1)
            .says(&format!("does not exist: `{KEPT}`"))
            .says(back);
    }
    world.rop(COMMAND).ok();
    assert_eq!(world.read(TYPES), types);
}

/// What a flag asks for that cannot be is refused, with a kind and without.
#[test]
fn flags_without_a_kind_count_too() {
    let world = world();
    let all = "create api --external-crd widget.yaml";
    for command in [COMMAND, all, &format!("{COMMAND} --controller=false")] {
        world.rop(&format!("{command} --finalizer")).exits(2).says(
            "error[unsupported-finalizer]: `--finalizer` is only for the project's own kinds",
        );
    }
    world
        .rop("create api --external-crd https://example.org/a.yaml?b=c")
        .exits(2)
        .says("hint: download it to stdin: `curl -fsSL 'https://example.org/a.yaml?b=c' | rop create api … --external-crd -`");
    world
        .rop(&format!("{all} --hub"))
        .ok()
        .says("note: --hub has no effect without types");
    world.rop(&format!("{all} --controller-name other")).ok();
    assert!(
        world
            .path()
            .join("src/controller/other/reconcile.rs")
            .is_file()
    );
}

/// RBAC goes by resources.
#[test]
fn a_marker_with_a_kind_has_its_resource_named() {
    let world = world();
    world.rop(COMMAND).ok();
    let code = "src/controller/widget/reconcile.rs";
    let text = world.read(code);
    let marker = |groups: &str, resources: &str| {
        let marker =
            format!("// +kubebuilder:rbac:groups={groups},resources={resources},verbs=get\n{text}");
        world.write(code, &marker);
        world.rop("generate project").ok().stderr
    };
    for (resource, meant) in [
        ("widget/status", "widgets/status"),
        ("Widget", "widgets"),
        ("Widgets", "widgets"),
    ] {
        let said = marker("example.org", resource);
        let note = format!(
            "note: {code}:1: `{resource}` is not a resource of example.org: the resource of Widget is `{meant}`\n"
        );
        assert!(said.contains(&note), "{said}");
    }
    for (groups, resources) in [
        ("example.org", "widgets;gadgets/status"),
        ("other.org", "widget"),
    ] {
        let said = marker(groups, resources);
        assert!(!said.contains("is no resource"), "{said}");
    }
}

/// What is said of one field is not said of two.
#[test]
fn two_fields_without_a_type_are_a_plural() {
    let world = world();
    let field = |name: &str| {
        format!(
            "              {name}:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n"
        )
    };
    let (one, two) = (field("settings"), field("settings") + &field("others"));
    world.replace("widget.yaml", &one, &two);
    world.rop(COMMAND).ok().says("`spec.settings` and `spec.others` may hold anything, and are of the type `serde_json::Value`\n");
}

/// What was probably meant.
#[test]
fn a_slip_in_a_kind_is_seen() {
    let world = world();
    world.rop(&format!("{COMMAND} --controller=false")).ok();
    for (group, kind, meant) in [
        ("example.org", "Wigdet", "Widget"),
        ("apps", "Deploymnt", "Deployment"),
    ] {
        world
            .rop(&format!(
                "create policy --group {group} --kind {kind} --validating"
            ))
            .exits(2)
            .says(&format!("hint: did you mean `{meant}`?\n"));
    }
}

/// The simulation serves what the operator may watch.
#[test]
fn the_simulation_has_types_without_a_controller() {
    let world = world();
    world
        .rop("create api --group app --kind Cart --template minimal")
        .ok();
    world.rop(&format!("{COMMAND} --controller=false")).ok();
    let simulation = world.read("tests/simulation.rs");
    let crds = ".crds([app_operator_api::external::example_org::v1::Widget::crd()])";
    assert!(simulation.contains(crds), "{simulation}");
}

/// Where rop makes the types, PROJECT cannot have them elsewhere.
#[test]
fn a_path_to_nowhere_is_refused() {
    let world = world();
    world.rop(&format!("{COMMAND} --controller=false")).ok();
    world.replace(
        "PROJECT",
        "  path: app_operator_api::external::example_org::v1\n",
        "  path: nonsense::v1\n",
    );
    insta::assert_snapshot!(world.rop("generate project").exits(2), @"
    exit: 2
    --- stderr
    error[wrong-types-path]: malformed PROJECT
      caused by: the types of example.org/v1 Widget are in `app_operator_api::external::example_org::v1`, but `path` in PROJECT is `nonsense::v1`
    hint: set `path: app_operator_api::external::example_org::v1`; if a crate provides the types, set `module: NAME@VERSION`
    ");
}

/// A crate may have the types: then there is the CRD alone.
#[test]
fn a_crate_may_have_the_types() {
    let world = world();
    let before = world.tree();
    let command = format!(
        "{COMMAND} --external-api-crate widget-types@1.2 --external-api-path widget_types::v1"
    );
    insta::assert_snapshot!(world.rop(&command).ok(), @"
    exit: 0
    --- stderr
       update .github/workflows/ci.yml
       update AGENTS.md
       update Cargo.toml
       update Makefile
       update PROJECT
       update README.md
       create config/external/example.org_widgets.yaml
       update config/rbac/role.yaml
       update src/controller/mod.rs
       create src/controller/widget/fixture.rs
       create src/controller/widget/fixture.yaml
       create src/controller/widget/mod.rs
       create src/controller/widget/reconcile.rs
       create tests/cluster/main.rs
       create tests/cluster/support.rs
       create tests/cluster/widget.rs
       create tests/e2e/main.rs
       create tests/e2e/samples.rs
       create tests/simulation.rs

    next:
      edit src/controller/widget/reconcile.rs
      cargo test
    ");
    let manifest = world.read("Cargo.toml");
    assert!(manifest.contains("widget-types = \"1.2\"\n"), "{manifest}");
    let listed = world.read("PROJECT");
    assert!(
        listed.contains("  module: widget-types@1.2\n  path: widget_types::v1\n"),
        "{listed}"
    );
    let code = world.read("src/controller/widget/reconcile.rs");
    assert!(code.contains("use widget_types::v1::Widget;"), "{code}");
    world.rop(&command).did_nothing();

    // Without the CRD there is nothing to test with.
    std::fs::remove_file(world.path().join(KEPT)).expect("a file");
    insta::assert_snapshot!(world.rop("generate project").exits(1), @"
    exit: 1
    --- stderr
    error[files-missing]: the CRD of example.org/v1 Widget does not exist: `config/external/example.org_widgets.yaml`
    hint: add the CRD again: `rop create api --group example.org --version v1 --kind Widget --external-crd FILE --external-api-crate widget-types@1.2 --external-api-path widget_types::v1`
    ");
    world.rop(&command).ok();
    // What was generated goes where a crate has it, and comes back.
    let with_crate = world.tree();
    world.rop(COMMAND).ok();
    assert!(world.path().join(TYPES).is_file());
    world.rop(&command).ok();
    world.rop("generate project").ok();
    assert_eq!(differing(&with_crate, &world.tree()), [""; 0]);
    world.rop(&command).did_nothing();
    world.write("PROJECT", &before["PROJECT"]);
    world.rop("generate project").ok();
    assert_eq!(differing(&before, &world.tree()), [""; 0]);
}

/// Its other operator converts it.
#[test]
fn a_conversion_it_cannot_have() {
    let world = world();
    world.rop(&format!("{COMMAND} --controller=false")).ok();
    let tree = world.tree();
    world
        .rop("create webhook --kind Widget --conversion --group example.org")
        .exits(2)
        .says("which converts it");
    assert_eq!(world.tree(), tree);
}

#[test]
fn what_cannot_be_is_refused() {
    let world = world();
    world.write("pod.yaml", "apiVersion: v1\nkind: Pod\n");
    world.write("broken.yaml", "a: [\n");
    let tree = world.tree();
    let refused = |arguments: &str| {
        let outcome = world.rop(&format!("create api {arguments}"));
        assert_ne!(outcome.code, 0, "{outcome}");
        outcome
    };
    insta::assert_snapshot!(refused("--group example.org --kind Widget --resource --external-crd widget.yaml"), @"
    exit: 2
    --- stderr
    error[not-external]: `--external-crd` is for another operator's kind, which this project does not define
    hint: remove `--resource`
    ");
    insta::assert_snapshot!(refused("--group example --kind Widget --resource=false --external-crd widget.yaml"), @"
    exit: 2
    --- stderr
    error[invalid-group]: the group `example` has no domain, which a CRD's group needs
    hint: use the whole group, or set its domain with `--external-api-domain`
    ");
    insta::assert_snapshot!(refused("--group example.org --kind Gadget --resource=false --external-crd widget.yaml"), @"
    exit: 2
    --- stderr
    error[kind-not-in-file]: `widget.yaml` does not define the kind example.org Gadget
    hint: it defines example.org Widget
    ");
    insta::assert_snapshot!(refused("--group example.org --version v2 --kind Widget --resource=false --external-crd widget.yaml"), @"
    exit: 2
    --- stderr
    error[unknown-version]: example.org Widget has no version `v2` in `widget.yaml`
    hint: use one of its versions: v1
    ");
    insta::assert_snapshot!(refused("--group example.org --kind Widget --resource=false --external-crd pod.yaml"), @"
    exit: 2
    --- stderr
    error[kind-not-in-file]: `pod.yaml` contains no CustomResourceDefinition, but Pod
    hint: pass a file with CustomResourceDefinitions
    ");
    insta::assert_snapshot!(refused("--group example.org --kind Widget --resource=false --external-crd broken.yaml"), @"
    exit: 1
    --- stderr
    error[malformed-file]: `broken.yaml` is not YAML: line 1, column 4: unclosed bracket '['
    ");
    insta::assert_snapshot!(refused("--group example.org --kind Widget --resource=false --external-crd absent.yaml"), @"
    exit: 1
    --- stderr
    error[unreadable-file]: failed to read `absent.yaml`
      caused by: No such file or directory (os error 2)
    ");
    assert_eq!(world.tree(), tree);
}

/// Nothing is read for ever, and only text is read.
#[cfg(unix)]
#[test]
fn what_is_no_text_is_refused() {
    let world = world();
    let made = std::process::Command::new("mkfifo")
        .arg(world.path().join("pipe"))
        .status();
    assert!(made.expect("mkfifo").success());
    let utf16 = "\u{feff}kind: Pod\n".encode_utf16();
    let utf16: Vec<u8> = utf16.flat_map(u16::to_le_bytes).collect();
    std::fs::write(world.path().join("utf16.yaml"), utf16).expect("a file");
    std::fs::write(world.path().join("latin.yaml"), b"a: b\nc: \xF6\n").expect("a file");
    let project = world.read("PROJECT");
    for (file, says) in [
        ("/dev/zero", "`/dev/zero` is too large: at most 16 MiB"),
        (
            "/dev/null",
            "`/dev/null` contains no CustomResourceDefinition",
        ),
        ("api", "`api` is a directory: `--external-crd` needs a file"),
        ("pipe", "`pipe` is a named pipe"),
        ("utf16.yaml", "`utf16.yaml` is UTF-16: CRDs must be UTF-8"),
        (
            "latin.yaml",
            "`latin.yaml` is not UTF-8: invalid byte in line 2",
        ),
    ] {
        let outcome = world.rop(&COMMAND.replace("widget.yaml", file));
        outcome.exits(2).says(says);
    }
    assert_eq!(world.read("PROJECT"), project);
}

/// The CRD that is asked for is taken, and what is wrong elsewhere in the file is reported.
#[test]
fn a_bad_document_does_not_spoil_the_others() {
    let world = world();
    world.write("widget.yaml", &format!("a: [\n---\n{WIDGET}"));
    world
        .rop(COMMAND)
        .ok()
        .says("note: a part of `widget.yaml` is not YAML: line 1, column 4: unclosed bracket '['");
    world.write("widget.yaml", WIDGET);
    world.rop(COMMAND).did_nothing();
}

#[test]
fn flags_that_do_not_go_together_are_refused() {
    let world = world();
    let tree = world.tree();
    let refused = |arguments: &str| world.rop(&format!("create api {arguments}")).exits(2);
    insta::assert_snapshot!(refused("--group apps --external-api-domain example.org --kind Deployment --resource=false"), @"
    exit: 2
    --- stderr
    error[unknown-kind]: unknown kind apps.example.org Deployment: not in this project, and not built into Kubernetes
    hint: did you mean `--group apps --kind Deployment`?
    ");
    insta::assert_snapshot!(refused("--group networking.k8s.io --kind Ingress --resource=false --external-crd widget.yaml"), @"
    exit: 2
    --- stderr
    error[not-external]: networking.k8s.io Ingress is a kind of Kubernetes
    hint: remove `--external-crd` and `--external-api-crate`
    ");
    insta::assert_snapshot!(refused("--group example.org --kind Widget --resource=false --external-crd widget.yaml --finalizer"), @"
    exit: 2
    --- stderr
    note: example.org/v1 Widget: `spec.settings` may hold anything, and is a `serde_json::Value`
    error[unsupported-finalizer]: `--finalizer` is only for the project's own kinds: without the operator, example.org/v1 Widget objects with its finalizer could not be deleted
    hint: remove `--finalizer`; for a cleanup by hand, see the page Finalizers of rop's book
    ");
    insta::assert_snapshot!(refused("--group example.org --kind Widget --resource=false --external-crd widget.yaml --external-api-crate widgets --external-api-path a::b"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid crate `widgets`: expected NAME@VERSION
    hint: for example `cert-manager-types@1.2`
    ");
    insta::assert_snapshot!(refused("--group example.org --kind Widget --resource=false --external-api-crate widgets@1 --external-api-path a::b"), @"
    exit: 2
    --- stderr
    error[usage]: the following required arguments were not provided:
      --external-crd <FILE>

    Usage: rop create api --external-crd <FILE> --external-api-crate <CRATE> --external-api-path <PATH> --group <GROUP> --kind <KIND> --resource[=<BOOL>]

    For more information, try '--help'.
    ");
    assert_eq!(world.tree(), tree);
}

/// The types of gadgets, which are as widgets are, in a crate. rop makes it as well.
fn gadgets() -> World {
    let types = World::new();
    types
        .rop("init --project-name gadgets --domain example.com")
        .ok();
    let crd = WIDGET.replace("Widget", "Gadget");
    types.write("gadget.yaml", &crd.replace("widgets", "gadgets"));
    types
        .rop("create api --group example.org --kind Gadget --resource=false --controller=false --external-crd gadget.yaml")
        .ok();
    types
}

/// Their tests pass, on a real API server too: of a kind whose types are generated, and of one whose types a crate
/// has.
#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn passes_its_own_tests() {
    // Tests that CI asks for run beside the others: no other project has this name.
    let (world, gadgets) = (World::with_project_of("widget-operator"), gadgets());
    world.write("widget.yaml", WIDGET);
    world.rop(COMMAND).ok();
    let gadget = gadgets.path().join("gadget.yaml");
    let create = format!(
        "create api --group example.org --kind Gadget --resource=false --external-crd {} \
         --external-api-crate gadgets-api@0.1 --external-api-path gadgets_api::external::example_org::v1",
        gadget.display()
    );
    world.rop(&create).ok();
    // A kind and a version as some operators have them.
    let crd = WIDGET
        .replace("Widget", "gizmo")
        .replace("widgets", "gizmos");
    let crd = crd.replace("name: v1\n", "name: v1api20230101\n");
    world.write("gizmo.yaml", &crd);
    let create = COMMAND
        .replace("Widget", "gizmo")
        .replace("widget", "gizmo");
    world.rop(&create).ok();
    for (admission, kind) in [
        ("webhook --defaulting --validation", "Widget"),
        ("policy --validating --mutating", "Widget"),
        ("webhook --validation", "Gadget"),
        ("webhook --defaulting --validation", "gizmo"),
        ("policy --validating --mutating", "gizmo"),
    ] {
        let command = format!("create {admission} --group example.org --kind {kind}");
        world.rop(&command).ok();
        world.rop(&command).did_nothing();
    }
    for file in ["widget.yaml", "gizmo.yaml"] {
        std::fs::remove_file(world.path().join(file)).expect("a file");
    }
    // Nobody has published it.
    let api = gadgets.path().join("api");
    let patch = format!(
        "\n[patch.crates-io]\ngadgets-api = {{ path = \"{}\" }}\n",
        api.display()
    );
    world.write("Cargo.toml", &(world.read("Cargo.toml") + &patch));
    cargo::cargo(&world, "fmt --all --check").ok();
    let both = "--offline --package widget-operator --package widget-operator-api";
    let assets = control_plane::assets();
    let assets = assets.as_deref().map(std::path::Path::as_os_str);
    let assets = assets.map(|assets| (cargo::ASSETS, assets));
    let outcome = cargo::cargo_with(&world, &format!("test {both}"), assets);
    outcome.ok().has_no_warning();
}

/// What the project has cannot be a crate of somebody else.
#[test]
fn crates_of_the_project_are_refused() {
    let world = World::with_project_of("base");
    world.write("widget.yaml", WIDGET);
    let before = world.tree();
    for (name, why) in [
        ("k8s-openapi@0.1", "the project itself depends on it"),
        ("k8s_openapi@0.1", "the project itself depends on it"),
        ("base-api@1.0", "it is a package of the project"),
        ("base@1.0", "it is a package of the project"),
        ("rop-runtime@1", "the project itself depends on it"),
        ("std@1.0", "it is a crate of the Rust distribution"),
        ("fn@1.0", "it is a Rust keyword"),
    ] {
        let flags = format!("--external-api-crate {name} --external-api-path a::b");
        let outcome = world.rop(&format!("{COMMAND} {flags}")).exits(2);
        let message = format!(
            "error[unusable-crate]: `--external-api-crate {name}` cannot provide the types of example.org/v1 Widget: {why}\nhint: "
        );
        assert!(outcome.stderr.contains(&message), "{outcome}");
    }
    assert_eq!(differing(&before, &world.tree()), [""; 0]);
}
