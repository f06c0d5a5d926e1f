//! `rop create policy`: what it writes, what it leaves alone, and how it goes again.

use crate::support::World;
use crate::support::world::differing;

const BOTH: &str = "create policy --group app --kind AppService --validating --mutating";
const POD: &str = "create policy --group core --kind Pod --validating";

#[test]
fn one_of_the_projects_own_kinds() {
    let world = World::with_api();
    let outcome = world.rop(BOTH).ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
       update PROJECT
       update config/default/kustomization.yaml
       create config/policy/appservice_mutating_policy.yaml
       create config/policy/appservice_validating_policy.yaml
       create config/policy/kustomization.yaml
       create config/policy/name_reference.yaml
       update tests/cluster/main.rs
       create tests/cluster/policies/app_service/mutating.rs
       create tests/cluster/policies/app_service/validating.rs

    next:
      edit config/policy/appservice_mutating_policy.yaml
      edit config/policy/appservice_validating_policy.yaml
      make test-cluster
      rop dev
    ");
    assert!(world.read("PROJECT").ends_with(
        "  version: v1alpha1\n  policies:\n    mutating: true\n    validating: true\nversion: \"3\"\n"
    ));
    for sort in ["mutating", "validating"] {
        let policy = world.read(&format!("config/policy/appservice_{sort}_policy.yaml"));
        assert!(!policy.contains("namespaceSelector"), "{policy}");
    }
}

/// One after the other is as both at once.
#[test]
fn a_second_one_joins_the_first() {
    let (at_once, later) = (World::with_api(), World::with_api());
    at_once.rop(BOTH).ok();
    for flag in ["--mutating", "--validating"] {
        let create = "create policy --group app --version v1alpha1 --kind AppService";
        later.rop(&format!("{create} {flag}")).ok();
    }
    assert_eq!(differing(&at_once.tree(), &later.tree()), [""; 0]);
}

/// The cluster and the operator go on, whatever a rule says. There is no controller to test beside it.
#[test]
fn a_kind_of_kubernetes() {
    let world = World::with_project();
    insta::assert_snapshot!(world.rop(POD).ok(), @"
    exit: 0
    --- stderr
       update PROJECT
       update config/default/kustomization.yaml
       create config/policy/kustomization.yaml
       create config/policy/name_reference.yaml
       create config/policy/pod_validating_policy.yaml
       create tests/cluster/main.rs
       create tests/cluster/policies/pod/validating.rs
       create tests/cluster/support.rs

    next:
      edit config/policy/pod_validating_policy.yaml
      make test-cluster
      rop dev
    ");
    let policy = world.read("config/policy/pod_validating_policy.yaml");
    for line in [
        "      - \"\"\n",
        "      - pods\n",
        "        - kube-system\n",
        "        - system #",
    ] {
        assert!(policy.contains(line), "{line}: {policy}");
    }
    // One that is in no namespace has none to be left out.
    world
        .rop("create policy --group core --kind Node --mutating")
        .ok();
    let policy = world.read("config/policy/node_mutating_policy.yaml");
    assert!(!policy.contains("namespaceSelector"), "{policy}");
}

#[test]
fn beside_webhooks() {
    let world = World::with_api();
    world.rop(BOTH).ok();
    let policies = world.tree();
    let webhook = "create webhook --group app --kind AppService --validation";
    world.rop(webhook).ok();
    let components = "components: [../policy, ../webhook]\n";
    assert!(
        world
            .read("config/default/kustomization.yaml")
            .ends_with(components)
    );
    // Each is taken out by itself.
    world.write("PROJECT", &policies["PROJECT"]);
    world.rop("generate project").ok();
    assert_eq!(differing(&policies, &world.tree()), [""; 0]);
}

#[test]
fn a_multigroup_project_names_the_groups() {
    let world = World::new();
    world
        .rop("init --domain example.com --multigroup --api app/AppService")
        .ok();
    world.rop(BOTH).ok();
    world.rop(POD).ok();
    for (file, name) in [
        (
            "app_appservice_mutating_policy",
            "app-appservice-mutating-policy",
        ),
        ("core_pod_validating_policy", "core-pod-validating-policy"),
    ] {
        let policy = world.read(&format!("config/policy/{file}.yaml"));
        assert!(policy.contains(&format!("  name: {name}\n")), "{policy}");
    }
    world.read("tests/cluster/policies/app/app_service/mutating.rs");
    world.read("tests/cluster/policies/core_/pod/validating.rs");
}

#[test]
fn a_dry_run_writes_nothing() {
    let world = World::with_api();
    let tree = world.tree();
    let outcome = world.rop(&format!("{BOTH} --dry-run")).ok();
    outcome.says("create config/policy/appservice_validating_policy.yaml");
    assert_eq!(world.tree(), tree);
}

#[test]
fn a_file_in_the_way_stays_unless_forced() {
    let world = World::with_project();
    let file = "config/policy/pod_validating_policy.yaml";
    world.write(file, "# Ours.\n");
    let tree = world.tree();
    insta::assert_snapshot!(world.rop(POD).exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: a file is in the way; nothing was written:
      config/policy/pod_validating_policy.yaml already exists
    hint: move your changes elsewhere, or overwrite them with `--force`
    ");
    assert_eq!(world.tree(), tree);
    world.rop(&format!("{POD} --force")).ok();
    assert!(
        world
            .read(file)
            .contains("kind: ValidatingAdmissionPolicy\n")
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let world = World::with_api();
    world
        .rop("create api --group app --kind Pod --template minimal")
        .ok();
    world.rop(POD).ok();
    let tree = world.tree();
    let refused = |arguments: &str| world.rop(&format!("create policy {arguments}")).exits(2);
    insta::assert_snapshot!(refused("--group app --kind AppService"), @"
    exit: 2
    --- stderr
    error[usage]: the following required arguments were not provided:
      <--validating|--mutating>

    Usage: rop create policy --group <GROUP> --kind <KIND> <--validating|--mutating>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(refused("--group app --kind AppServic --validating"), @"
    exit: 2
    --- stderr
    error[unknown-kind]: unknown kind app AppServic: not in this project, and not built into Kubernetes
    hint: did you mean `AppService`?
    hint: to create the kind in this project: `rop create api --group app --kind AppServic`
    hint: to use a kind of another operator, pass its CRD: `rop create api --group app --kind AppServic --external-crd FILE`
    ");
    insta::assert_snapshot!(refused("--group app --version v1 --kind AppService --mutating"), @"
    exit: 2
    --- stderr
    error[unknown-version]: app AppService has no version `v1`
    hint: use one of its versions: v1alpha1
    ");
    insta::assert_snapshot!(refused("--group app --kind Pod --mutating"), @"
    exit: 2
    --- stderr
    error[path-taken]: the policies of app/v1alpha1 Pod and of core/v1 Pod would both have the files `config/policy/pod_*_policy.yaml`
    hint: use a directory for each group: `--multigroup` with `rop init` or `rop edit`
    ");
    assert_eq!(world.tree(), tree);
}

/// Their tests are in a folder that the tests of such a controller are beside.
#[test]
fn a_kind_that_is_called_as_their_folder() {
    let world = World::with_project();
    world
        .rop("create api --group app --kind Policies --template minimal")
        .ok();
    world.rop(POD).ok();
    let tree = world.tree();
    assert!(tree.contains_key("tests/cluster/policies_.rs"));
    assert!(tree.contains_key("tests/cluster/policies/pod/validating.rs"));
}

/// The folder of operator-sdk 0.x has them too.
#[test]
fn the_folder_deploy_follows() {
    let world = World::with_api();
    world.rop("generate deploy").ok();
    let (tree, project) = (world.tree(), world.read("PROJECT"));
    world.rop(POD).ok();
    let policy = world.read("deploy/policies/pod_validating_policy.yaml");
    assert!(policy.contains("        - REPLACE_NAMESPACE\n"), "{policy}");
    assert!(!policy.contains("- system"), "{policy}");
    let file = "config/policy/pod_validating_policy.yaml";
    world.replace(file, "failurePolicy: Fail", "failurePolicy: Ignore");
    world
        .rop("generate deploy")
        .ok()
        .says("update deploy/policies/pod_validating_policy.yaml");
    world.replace(file, "failurePolicy: Ignore", "failurePolicy: Fail");
    world.rop("generate deploy").ok();
    world.write("PROJECT", &project);
    world.rop("generate project").ok();
    assert_eq!(differing(&tree, &world.tree()), [""; 0]);
}

#[test]
fn what_was_taken_out_of_project_goes() {
    for create in [BOTH, POD] {
        let world = World::with_api();
        let (tree, project) = (world.tree(), world.read("PROJECT"));
        world.rop(create).ok();
        world.write("PROJECT", &project);
        world.rop("generate project").ok();
        assert_eq!(differing(&tree, &world.tree()), [""; 0], "{create}");
        world.rop("generate project").did_nothing();
    }
    // One of two.
    let (world, validating) = (World::with_api(), World::with_api());
    world.rop(BOTH).ok();
    validating.rop(&BOTH.replace(" --mutating", "")).ok();
    world.write("PROJECT", &validating.read("PROJECT"));
    world.rop("generate project").ok();
    assert_eq!(differing(&validating.tree(), &world.tree()), [""; 0]);
}

#[test]
fn a_kind_goes_with_its_policies() {
    let world = World::with_api();
    let (tree, project) = (world.tree(), world.read("PROJECT"));
    world
        .rop("create api --group shop --kind Cart --template minimal")
        .ok();
    world
        .rop("create policy --group shop --kind Cart --validating --mutating")
        .ok();
    world.write("PROJECT", &project);
    world.rop("generate project").ok();
    assert_eq!(differing(&tree, &world.tree()), [""; 0]);
}

#[test]
fn an_edited_policy_is_not_deleted_unasked() {
    let world = World::with_api();
    let project = world.read("PROJECT");
    world.rop(BOTH).ok();
    let file = "config/policy/appservice_validating_policy.yaml";
    world.replace(file, "failurePolicy: Fail", "failurePolicy: Ignore");
    world.write("PROJECT", &project);
    let tree = world.tree();
    insta::assert_snapshot!(world.rop("generate project").exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: a file has local changes; nothing was written:
      config/policy/appservice_validating_policy.yaml would be deleted, but you edited it
    hint: move your changes elsewhere, or delete the files with `--force`
    ");
    assert_eq!(world.tree(), tree);
    world.rop("generate project --force").ok();
    assert!(!world.path().join("config/policy").exists());
}

/// A policy of the user's own stays beside them, and nobody takes it off the list unasked.
#[test]
fn a_policy_of_the_users_own_stays() {
    let world = World::with_api();
    let project = world.read("PROJECT");
    world.rop(POD).ok();
    world.write("config/policy/node_validating_policy.yaml", "# Ours.\n");
    let list = "config/policy/kustomization.yaml";
    world.replace(
        list,
        "resources:\n",
        "resources:\n- node_validating_policy.yaml\n",
    );
    world.rop("generate project").did_nothing();
    world.rop(BOTH).ok();
    assert!(world.read(list).contains("- node_validating_policy.yaml\n"));
    world.write("PROJECT", &project);
    insta::assert_snapshot!(world.rop("generate project").exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: a file has local changes; nothing was written:
      config/policy/kustomization.yaml would be deleted, but you edited it
    hint: move your changes elsewhere, or delete the files with `--force`
    ");
}

/// They are named after their group then, with what their user wrote.
#[test]
fn policies_move_with_multigroup() {
    let [flat, grouped] = ["", "--multigroup"].map(|flags| {
        let world = World::new();
        world
            .rop(&format!("init --domain example.com {flags}"))
            .ok();
        world.rop(POD).ok();
        world
    });
    let ours =
        |world: &World, file| world.replace(file, "failurePolicy: Fail", "failurePolicy: Ignore");
    ours(&flat, "config/policy/pod_validating_policy.yaml");
    ours(&grouped, "config/policy/core_pod_validating_policy.yaml");
    flat.write("PROJECT", &grouped.read("PROJECT"));
    flat.rop("generate project").ok();
    assert_eq!(differing(&grouped.tree(), &flat.tree()), [""; 0]);
}

/// The API server converts what they are asked about to the version that objects are stored in.
#[test]
fn policies_are_of_the_hub() {
    let world = World::with_api();
    world.rop(BOTH).ok();
    let create = "create api --group app --version v1 --kind AppService";
    world.rop(create).ok();
    let policy = "create policy --group app --version v1 --kind AppService --validating";
    insta::assert_snapshot!(world.rop(policy).exits(2), @"
    exit: 2
    --- stderr
    error[invalid-hub]: app/v1 AppService has policies but is not the storage version (hub) of its kind
    hint: create them for `--version v1alpha1`: the API server converts requests to that version
    ");
    world.rop(&format!("{create} --hub")).ok();
    let entries = world.read("PROJECT");
    let (_, newer) = entries
        .split_once("  version: v1alpha1\n")
        .expect("two versions");
    assert!(
        newer.contains("policies:\n    mutating: true\n    validating: true\n"),
        "{entries}"
    );
    assert_eq!(entries.matches("policies:").count(), 1, "{entries}");
    world.rop("generate project").did_nothing();
}
