//! `rop create webhook`: what it writes, what it leaves alone, and how it goes again.

use crate::support::World;
use crate::support::world::differing;

const BOTH: &str = "create webhook --group app --kind AppService --defaulting --validation";
const POD: &str = "create webhook --group core --kind Pod --defaulting";

#[test]
fn one_of_the_projects_own_kinds() {
    let world = World::with_api();
    let outcome = world.rop(BOTH).ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
       update Cargo.toml
       update PROJECT
       create config/cert-manager/certificates.yaml
       create config/cert-manager/kustomization.yaml
       create config/cert-manager/name_reference.yaml
       create config/cert-manager/trust_patch.yaml
       create config/default/cert_manager.yaml
       update config/default/kustomization.yaml
       create config/webhook/kustomization.yaml
       create config/webhook/manager_patch.yaml
       create config/webhook/manifests.yaml
       create config/webhook/name_reference.yaml
       create config/webhook/role.yaml
       create config/webhook/role_binding.yaml
       create config/webhook/secret.yaml
       create config/webhook/service.yaml
       update src/lib.rs
       create src/webhook/app_service/default.rs
       create src/webhook/app_service/validate.rs
       create src/webhook/mod.rs
       update tests/e2e/samples.rs

    next:
      edit src/webhook/app_service/default.rs
      edit src/webhook/app_service/validate.rs
      cargo test
      rop dev
    ");
    assert!(world.read("PROJECT").ends_with(
        "  version: v1alpha1\n  webhooks:\n    defaulting: true\n    validation: true\n    webhookVersion: v1\nversion: \"3\"\n"
    ));
    let manifests = world.read("config/webhook/manifests.yaml");
    for name in ["mappservice-v1alpha1.kb.io", "vappservice-v1alpha1.kb.io"] {
        assert!(
            manifests.contains(&format!("- name: {name}\n")),
            "{manifests}"
        );
    }
    assert!(!manifests.contains("namespaceSelector"), "{manifests}");
}

/// kubebuilder's flags take a value.
#[test]
fn a_flag_may_say_no() {
    let world = World::with_api();
    let create = "create webhook --group app --kind AppService --programmatic-validation=false";
    insta::assert_snapshot!(world.rop(create).exits(2), @"
    exit: 2
    --- stderr
    error[conflicting-flags]: nothing to create: no webhook was requested
    hint: add `--defaulting`, `--validation` or `--conversion`
    ");
    world.rop(&format!("{create} --defaulting=true")).ok();
    let project = world.read("PROJECT");
    assert!(
        project.contains("defaulting: true") && !project.contains("validation"),
        "{project}"
    );
}

/// One after the other is as both at once.
#[test]
fn a_second_one_joins_the_first() {
    let (at_once, later) = (World::with_api(), World::with_api());
    at_once.rop(BOTH).ok();
    for flag in ["--programmatic-validation", "--defaulting"] {
        let create = "create webhook --group app --version v1alpha1 --kind AppService";
        later.rop(&format!("{create} {flag}")).ok();
    }
    assert_eq!(differing(&at_once.tree(), &later.tree()), [""; 0]);
}

/// While the operator is down, pods must be able to start.
#[test]
fn a_kind_of_kubernetes() {
    let world = World::with_project();
    world.rop(POD).ok();
    let manifests = world.read("config/webhook/manifests.yaml");
    for line in [
        "failurePolicy: Ignore",
        "namespaceSelector:",
        "- kube-system",
        "- \"\"",
    ] {
        assert!(manifests.contains(line), "{line}: {manifests}");
    }
    let code = world.read("src/webhook/pod/default.rs");
    assert!(
        code.contains("use k8s_openapi::api::core::v1::Pod;\n"),
        "{code}"
    );
}

/// What somebody has written into the library stays, and they are told what to add.
#[test]
fn an_edited_library_is_left_to_its_user() {
    let world = World::with_api();
    world.replace("src/lib.rs", "//!", "//! Ours.\n//!");
    let library = world.read("src/lib.rs");
    world
        .rop(BOTH)
        .ok()
        .says("note: you edited `src/lib.rs`: make this change yourself:")
        .says("+pub mod webhook;")
        .says("+    webhook::register(manager);");
    assert_eq!(world.read("src/lib.rs"), library);
}

#[test]
fn what_cannot_be_is_refused() {
    let world = World::with_api();
    world
        .rop("create api --group app --kind Pod --template minimal")
        .ok();
    world.rop(POD).ok();
    let tree = world.tree();
    let refused = |arguments: &str| world.rop(&format!("create webhook {arguments}")).exits(2);
    insta::assert_snapshot!(refused("--group app --kind AppService"), @"
    exit: 2
    --- stderr
    error[usage]: the following required arguments were not provided:
      <--defaulting[=<BOOL>]|--validation[=<BOOL>]|--conversion[=<BOOL>]>

    Usage: rop create webhook --group <GROUP> --kind <KIND> <--defaulting[=<BOOL>]|--validation[=<BOOL>]|--conversion[=<BOOL>]>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("--group app --kind AppService --defaulting --validation-path /x"), @"
    exit: 2
    --- stderr
    error[usage]: the following required arguments were not provided:
      --validation[=<BOOL>]

    Usage: rop create webhook --group <GROUP> --kind <KIND> --validation-path <PATH> <--defaulting[=<BOOL>]|--validation[=<BOOL>]|--conversion[=<BOOL>]>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("--group app --kind AppServic --defaulting"), @"
    exit: 2
    --- stderr
    error[unknown-kind]: unknown kind app AppServic: not in this project, and not built into Kubernetes
    hint: did you mean `AppService`?
    hint: to create the kind in this project: `rop create api --group app --kind AppServic`
    hint: to use a kind of another operator, pass its CRD: `rop create api --group app --kind AppServic --external-crd FILE`
    ");
    insta::assert_snapshot!(refused("--group app --kind Deployment --defaulting"), @"
    exit: 2
    --- stderr
    error[unknown-kind]: unknown kind app Deployment: not in this project, and not built into Kubernetes
    hint: did you mean `--group apps --kind Deployment`?
    ");
    insta::assert_snapshot!(refused("--group app --version v1 --kind AppService --defaulting"), @"
    exit: 2
    --- stderr
    error[unknown-version]: app AppService has no version `v1`
    hint: use one of its versions: v1alpha1
    ");
    insta::assert_snapshot!(refused("--group autoscaling --version v2beta2 --kind HorizontalPodAutoscaler --defaulting"), @"
    exit: 2
    --- stderr
    error[unknown-version]: autoscaling HorizontalPodAutoscaler has no version `v2beta2`
    hint: use one of its versions: v2, v1
    ");
    insta::assert_snapshot!(refused("--group app --kind AppService --defaulting --defaulting-path Mutate"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid webhook path `Mutate`: must start with `/`; each segment has lowercase letters, digits and `-`, but no `-` at an end
    hint: did you mean `/mutate`?
    ");
    insta::assert_snapshot!(refused("--group app --kind AppService --defaulting --defaulting-path /mutate--v1-pod"), @"
    exit: 2
    --- stderr
    error[path-taken]: webhooks of app/v1alpha1 AppService and of core/v1 Pod would both have the path `/mutate--v1-pod`
    hint: set another path with `--defaulting-path`
    ");
    insta::assert_snapshot!(refused("--group core --kind Pod --validation --validation-path /mutate--v1-pod"), @"
    exit: 2
    --- stderr
    error[path-taken]: both webhooks of core/v1 Pod would have the path `/mutate--v1-pod`
    hint: set another path with `--validation-path`
    ");
    insta::assert_snapshot!(refused("--group app --kind Pod --validation"), @"
    exit: 2
    --- stderr
    error[path-taken]: the webhooks of app/v1alpha1 Pod and of core/v1 Pod would both have the files `src/webhook/pod/`
    hint: use a directory for each group: `--multigroup` with `rop init` or `rop edit`
    ");
    assert_eq!(world.tree(), tree);
}

/// A function that nobody is told to ask.
#[test]
fn a_marker_that_was_taken_out_is_missed() {
    let world = World::with_api();
    world.rop(BOTH).ok();
    let file = "src/webhook/app_service/validate.rs";
    world.replace(
        file,
        "+kubebuilder:webhook:path=/validate-",
        "+kubebuilder:webhook:path=/other-",
    );
    insta::assert_snapshot!(world.rop(POD).exits(1), @"
    exit: 1
    --- stderr
    error[marker-missing]: no marker declares the validating webhook of app/v1alpha1 AppService that PROJECT lists
    hint: add `// +kubebuilder:webhook:path=/validate-app-example-com-v1alpha1-appservice,mutating=false,…` to src/webhook/app_service/validate.rs
    ");
}

#[test]
fn an_entry_that_kubernetes_does_not_have_is_refused() {
    let world = World::with_project();
    world.rop(POD).ok();
    world.replace("PROJECT", "kind: Pod", "kind: Pot");
    insta::assert_snapshot!(world.rop(POD).exits(1), @r#"
    exit: 1
    --- stderr
    error[malformed-project]: malformed PROJECT
      caused by: line 8 column 3: Kubernetes has no kind core/v1 Pot
        --> PROJECT:8:3
         |
       6 | projectName: app-operator
       7 | resources:
       8 | - core: true
         |   ^ Kubernetes has no kind core/v1 Pot
       9 |   group: core
      10 |   kind: Pot
         |
    hint: correct PROJECT at this place, or restore the file with git
    "#);
}

/// Takes the webhooks out of PROJECT again, by hand.
fn take_out(world: &World, before: &str) {
    world.write("PROJECT", before);
}

#[test]
fn what_was_taken_out_of_project_goes() {
    let elsewhere = &format!("{POD} --defaulting-path /pods");
    for create in [BOTH, POD, elsewhere] {
        let world = World::with_api();
        let (tree, project) = (world.tree(), world.read("PROJECT"));
        world.rop(create).ok();
        take_out(&world, &project);
        world.rop("generate project").ok();
        assert_eq!(differing(&tree, &world.tree()), [""; 0], "{create}");
        world.rop("generate project").did_nothing();
    }
}

#[test]
fn another_path_in_project_reaches_marker_and_wiring() {
    let (world, other) = (World::with_project(), World::with_project());
    world.rop(POD).ok();
    other.rop(&format!("{POD} --defaulting-path /pods")).ok();
    world.write("PROJECT", &other.read("PROJECT"));
    world.rop("generate project").ok();
    assert_eq!(differing(&other.tree(), &world.tree()), [""; 0]);
}

#[test]
fn a_kind_goes_with_its_webhooks() {
    let world = World::with_api();
    let tree = world.tree();
    let project = world.read("PROJECT");
    world
        .rop("create api --group shop --kind Cart --template minimal")
        .ok();
    world
        .rop("create webhook --group shop --kind Cart --validation")
        .ok();
    take_out(&world, &project);
    world.rop("generate project").ok();
    assert_eq!(differing(&tree, &world.tree()), [""; 0]);
}

#[test]
fn an_edited_webhook_is_not_deleted_unasked() {
    let world = World::with_api();
    let project = world.read("PROJECT");
    world.rop(BOTH).ok();
    world.replace(
        "src/webhook/app_service/validate.rs",
        "//! Validation",
        "//! Ours.\n//! Validation",
    );
    take_out(&world, &project);
    let tree = world.tree();
    insta::assert_snapshot!(world.rop("generate project").exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: a file has local changes; nothing was written:
      src/webhook/app_service/validate.rs would be deleted, but you edited it
    hint: move your changes elsewhere, or delete the files with `--force`
    ");
    assert_eq!(world.tree(), tree);
    world.rop("generate project --force").ok();
    assert!(!world.path().join("src/webhook").exists());
}

/// They are in a folder of their group, with what their user wrote.
#[test]
fn webhooks_move_with_multigroup() {
    let [flat, grouped] = ["", "--multigroup"].map(|flags| {
        let world = World::new();
        let init = "init --domain example.com --api app/AppService";
        world.rop(&format!("{init} {flags}")).ok();
        world.rop(BOTH).ok();
        world.rop(POD).ok();
        world
    });
    flat.replace(
        "src/webhook/app_service/validate.rs",
        "//! Validation",
        "//! Ours.\n//! Validation",
    );
    grouped.replace(
        "src/webhook/app/app_service/validate.rs",
        "//! Validation",
        "//! Ours.\n//! Validation",
    );
    flat.write("src/webhook/pod/helper.rs", "//! Ours.\n");
    grouped.write("src/webhook/core_/pod/helper.rs", "//! Ours.\n");
    flat.write("PROJECT", &grouped.read("PROJECT"));
    flat.rop("generate project").ok();
    assert_eq!(differing(&grouped.tree(), &flat.tree()), [""; 0]);
}
