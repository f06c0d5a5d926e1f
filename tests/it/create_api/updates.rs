//! Newer CRDs of other operators, kinds of any name, and all kinds of a file.

use crate::support::World;

/// A CRD with these versions, the first of which is stored: each with whether it is served.
fn crd(versions: &[(&str, bool)]) -> String {
    let versions = versions.iter().enumerate().map(|(index, (name, served))| {
        format!(
            "  - name: {name}\n    served: {served}\n    storage: {}\n    schema:\n      openAPIV3Schema:\n        type: object\n        \
             properties:\n          spec: {{type: object, properties: {{size: {{type: integer}}}}}}\n",
            index == 0
        )
    });
    let versions: String = versions.collect();
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.org\n\
         spec:\n  group: example.org\n  names: {{kind: Widget, plural: widgets}}\n  scope: Namespaced\n  versions:\n{versions}"
    )
}

const COMMAND: &str = "create api --group example.org --kind Widget --external-crd widget.yaml";

/// A project that has `v1beta1` of a kind, and a newer CRD.
fn updated(versions: &[(&str, bool)]) -> World {
    let world = World::with_project();
    world.write("widget.yaml", &crd(&[("v1beta1", true), ("v1", true)]));
    world.rop(COMMAND).ok();
    world
        .rop("create webhook --group example.org --kind Widget --validation")
        .ok();
    world.write("widget.yaml", &crd(versions));
    world
}

#[test]
fn a_newer_crd_that_stores_another_version_keeps_that_of_the_project() {
    let world = updated(&[("v1", true), ("v1beta1", true)]);
    let project = world.read("PROJECT");
    world.rop(COMMAND).ok();
    assert_eq!(world.read("PROJECT"), project);
    let kept = world.read("config/external/example.org_widgets.yaml");
    assert!(kept.contains("- name: v1\n"), "{kept}");
    world.rop(COMMAND).did_nothing();
}

/// The hint does what it says.
#[test]
fn a_newer_crd_without_the_version_says_how_to_move() {
    for versions in [&[("v1", true)][..], &[("v1", true), ("v1beta1", false)]] {
        let world = updated(versions);
        let tree = world.tree();
        insta::allow_duplicates! {
            insta::assert_snapshot!(world.rop(COMMAND).exits(2), @"
            exit: 2
            --- stderr
            error[unknown-version]: `widget.yaml` does not serve example.org/v1beta1 Widget, which PROJECT lists
            hint: to move to v1: `rop create api --group example.org --version v1 --kind Widget --external-crd widget.yaml`
            ");
        }
        assert_eq!(world.tree(), tree);
        let hint =
            "create api --group example.org --version v1 --kind Widget --external-crd widget.yaml";
        world
            .rop(hint)
            .ok()
            .says("moving example.org Widget from v1beta1 to v1");
        let project = world.read("PROJECT");
        assert!(!project.contains("v1beta1"), "{project}");
        assert!(project.contains("validation: true"), "{project}");
        assert!(
            world
                .path()
                .join("api/src/external/example_org/v1/widget.rs")
                .is_file()
        );
        assert!(
            !world
                .path()
                .join("api/src/external/example_org/v1beta1")
                .exists()
        );
        world.rop(hint).did_nothing();
        world.rop("generate project").did_nothing();
    }
}

/// A user may move while both versions are served, or have the types of both.
#[test]
fn a_version_that_is_named_takes_the_controller() {
    let world = updated(&[("v1", true), ("v1beta1", true)]);
    let other = updated(&[("v1", true), ("v1beta1", true)]);
    let command = format!("{COMMAND} --version v1");
    world
        .rop(&command)
        .ok()
        .says("moving example.org Widget from v1beta1 to v1");
    assert!(!world.read("PROJECT").contains("v1beta1"));
    other.rop(&format!("{command} --controller=false")).ok();
    let project = other.read("PROJECT");
    assert!(
        project.contains("v1beta1") && project.contains("version: v1\n"),
        "{project}"
    );
}

/// What rop wrote it moves itself; what was edited is named.
#[test]
fn what_still_names_the_old_version_is_named() {
    let world = updated(&[("v1", true), ("v1beta1", true)]);
    let code = "src/controller/widget/reconcile.rs";
    world.replace(code, "//! ", "//! Ours.\n//! ");
    world
        .rop(&format!("{COMMAND} --version v1"))
        .ok()
        .says("note: moving example.org Widget from v1beta1 to v1, with its controllers, webhooks and policies\n")
        .says(&format!("note: replace `v1beta1` with `v1` for example.org/v1beta1 Widget, in {code}\n"));
    let other = updated(&[("v1", true), ("v1beta1", true)]);
    let outcome = other.rop(&format!("{COMMAND} --version v1")).ok();
    assert!(!outcome.stderr.contains("replace"), "{outcome}");
}

/// A kind has its controller in one version.
#[test]
fn a_controller_in_another_version_says_how_it_moves() {
    let world = updated(&[("v1", true), ("v1beta1", true)]);
    world
        .rop(&format!("{COMMAND} --version v1 --controller=false"))
        .ok();
    let add = "create api --group example.org --kind Widget --version v1 --resource=false";
    insta::assert_snapshot!(world.rop(add).exits(2), @"
    exit: 2
    --- stderr
    error[controller-exists]: example.org/v1beta1 Widget already has the controller: a kind has its controller in one version
    hint: to move it to v1: `rop create api --group example.org --version v1 --kind Widget --external-crd config/external/example.org_widgets.yaml`
    hint: to add another controller, name it with `--controller-name`
    ");
    let once = "hint: a kind has them in one version: select it with `--version`\n";
    world
        .rop("create webhook --group example.org --version v1 --kind Widget --validation")
        .exits(2)
        .says(once);
    let kubernetes = World::with_project();
    let scaler = "create api --group autoscaling --kind HorizontalPodAutoscaler --resource=false";
    kubernetes.rop(scaler).ok();
    kubernetes
        .rop(&format!("{scaler} --version v1"))
        .exits(2)
        .says(once);
    let hint = "create api --group example.org --version v1 --kind Widget --external-crd config/external/example.org_widgets.yaml";
    world.rop(hint).ok();
    assert!(!world.read("PROJECT").contains("v1beta1"));
    world.rop("generate project").did_nothing();
}

#[test]
fn a_version_that_is_not_served_is_refused() {
    let world = World::with_project();
    world.write("widget.yaml", &crd(&[("v1", true), ("v1beta1", false)]));
    insta::assert_snapshot!(world.rop(&format!("{COMMAND} --version v1beta1")).exits(2), @"
    exit: 2
    --- stderr
    error[unknown-version]: `widget.yaml` does not serve example.org Widget in version `v1beta1`
    hint: served versions: v1
    ");
    world.write(
        "widget.yaml",
        &crd(&[("v1", false), ("v1beta1", true), ("stable", true)]),
    );
    world.rop(COMMAND).ok();
    assert!(world.read("PROJECT").contains("version: v1beta1\n"));
}

/// Several kinds in one file.
fn several() -> World {
    let world = World::with_project();
    let widget = crd(&[("v1api20230101", true)]);
    let gadget = widget
        .replace("Widget", "gad-get")
        .replace("widget", "gadget");
    let other = widget
        .replace("example.org", "other.org")
        .replace("v1api20230101", "stable");
    world.write("crds.yaml", &format!("{widget}---\n{gadget}---\n{other}"));
    world
}

#[test]
fn all_kinds_of_a_file_come_with_one_command() {
    let world = several();
    let command = "create api --external-crd crds.yaml";
    insta::assert_snapshot!(world.rop(command).ok(), @"
    exit: 0
    --- stderr
       update PROJECT
       create api/src/external/condition.rs
       create api/src/external/example_org/v1api20230101/gad_get.rs
       create api/src/external/example_org/v1api20230101/widget.rs
       create api/src/external/mod.rs
       create api/src/external/other_org/stable/widget.rs
       create api/src/external/schema.rs
       create api/src/external/values.rs
       update api/src/lib.rs
       create config/external/example.org_gadgets.yaml
       create config/external/example.org_widgets.yaml
       create config/external/other.org_widgets.yaml

    next:
      cargo test
    ");
    world.rop(command).did_nothing();
    world.rop("generate project").did_nothing();
    let modules = world.read("api/src/external/mod.rs");
    for line in [
        "pub use gad_get::GadGet;",
        "pub mod v1api20230101 {",
        "pub mod stable {",
    ] {
        assert!(modules.contains(line), "{modules}");
    }
    let types = world.read("api/src/external/example_org/v1api20230101/gad_get.rs");
    for line in [
        "pub struct GadGet {",
        "const KIND: &'static str = \"gad-get\";",
        "const VERSION: &'static str = \"v1api20230101\";",
    ] {
        assert!(types.contains(line), "{types}");
    }
    // Those of one group.
    let one = several();
    one.rop("create api --group other.org --external-crd crds.yaml")
        .ok();
    let project = one.read("PROJECT");
    assert_eq!(project.matches("external: true").count(), 1, "{project}");
    // And one that is named, with a controller.
    one.rop("create api --kind gad-get --external-crd crds.yaml")
        .ok();
    assert!(
        one.path()
            .join("src/controller/gad_get/reconcile.rs")
            .is_file()
    );
}

/// All or nothing.
#[test]
fn what_several_kinds_cannot_be_is_refused() {
    let world = several();
    let text = world.read("crds.yaml");
    let tree = world.tree();
    insta::assert_snapshot!(world.rop("create api --external-crd crds.yaml --controller").exits(2), @"
    exit: 2
    --- stderr
    error[ambiguous-kind]: a controller needs one kind, but `crds.yaml` also defines example.org/v1api20230101 gad-get
    hint: select the kind with `--group` and `--kind`, or remove `--controller`
    ");
    insta::assert_snapshot!(world.rop("create api --kind Widget --external-crd crds.yaml").exits(2), @"
    exit: 2
    --- stderr
    error[ambiguous-kind]: `crds.yaml` defines Widget in several groups
    hint: select one with `--group`: example.org Widget, other.org Widget
    ");
    insta::assert_snapshot!(world.rop("create api --group none.org --external-crd crds.yaml").exits(2), @"
    exit: 2
    --- stderr
    error[kind-not-in-file]: `crds.yaml` does not define a kind in the group none.org
    hint: the file defines example.org Widget, example.org gad-get, other.org Widget
    ");
    world.write(
        "crds.yaml",
        &text
            .replace("shortNames", "x")
            .replace("gadgets, ", "")
            .replacen("gad-get", "Gad Get", 1),
    );
    insta::assert_snapshot!(world.rop("create api --external-crd crds.yaml").exits(2), @r#"
    exit: 2
    --- stderr
    error[unusable-crd]: invalid CustomResourceDefinition gadgets.example.org in `crds.yaml`: `spec.names.kind` is `"Gad Get"`: only letters, digits and `-` are allowed, not ' '
    hint: an API server rejects it too: use another release of the CRD
    "#);
    world.write("crds.yaml", &text);
    assert_eq!(world.tree(), tree);
}

/// A kind that looks like somebody else's is said to be the project's own, and how the other is had.
#[test]
fn a_kind_of_somebody_elses_name_is_said_to_be_new() {
    let world = World::with_project();
    insta::assert_snapshot!(world.rop("create api --group cert-manager.io --kind Certificate --resource=false").exits(2), @"
    exit: 2
    --- stderr
    error[unknown-kind]: unknown kind cert-manager.io Certificate: not in this project, and not built into Kubernetes
    hint: to use a kind of another operator, pass its CRD: `rop create api --group cert-manager.io --kind Certificate --external-crd FILE`
    ");
    insta::assert_snapshot!(world.rop("create api --group app --kind Gadget --resource=false").exits(2), @"
    exit: 2
    --- stderr
    error[unknown-kind]: unknown kind app Gadget: not in this project, and not built into Kubernetes
    hint: to create the kind in this project: `rop create api --group app --kind Gadget`
    hint: to use a kind of another operator, pass its CRD: `rop create api --group app --kind Gadget --external-crd FILE`
    ");
    insta::assert_snapshot!(world.rop("create webhook --group app --kind my-gadget --validation").exits(2), @"
    exit: 2
    --- stderr
    error[unknown-kind]: unknown kind app my-gadget: not in this project, and not built into Kubernetes
    hint: did you mean `MyGadget`?
    hint: to use a kind of another operator, pass its CRD: `rop create api --group app --kind my-gadget --external-crd FILE`
    ");
    world
        .rop("create api --group apps --kind Deployment --controller=false")
        .ok()
        .says("note: `apps.example.com` Deployment is a new kind of this project; for a controller of the built-in apps/v1 Deployment instead: `rop delete api --group apps --kind Deployment`, then `rop create api --group apps --kind Deployment --resource=false`");
    world.rop("delete api --group apps --kind Deployment").ok();
    world
        .rop("create api --group apps --kind Deployment --resource=false")
        .ok()
        .says("create src/controller/deployment/reconcile.rs");
    world
        .rop("create api --group core --kind Podd --controller=false")
        .ok()
        .says("note: `core.example.com` Podd is a new kind of this project; did you mean the built-in core/v1 Pod?");
    world
        .rop("create api --group cert-manager.io --kind Certificate --controller=false")
        .ok()
        .says("for another operator's cert-manager.io Certificate: `rop create api --group cert-manager.io --kind Certificate --external-crd FILE`");
}
