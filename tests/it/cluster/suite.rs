//! The suite that generated projects bring along.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rop::project::{Project, ProjectKind};

use crate::support::World;
use crate::support::cargo::{ASSETS, cargo_with, rop};
use crate::support::control_plane::{assets, minor, sorts_of_policies};
use crate::support::memory::temporary;
use crate::support::tools::install;
use crate::support::turn::slot;

const SUITE: &str = "test --locked --test cluster";

/// One kind of each template, and a kind of the same name in two groups.
fn project(name: &str, options: &str) -> World {
    let world = World::new();
    let init = format!("init --project-name {name} --domain example.com {options}");
    for command in [
        &format!("{init} --api app/AppService --api shop/AppService"),
        "create api --group app --kind Setting --template minimal",
        "create api --group ops --version v1 --kind Runner --template pod",
        "create api --group end --kind Stack --finalizer",
        "create api --group end --kind Task --template pod --finalizer",
        "create api --group end --kind Record --template minimal --finalizer",
    ] {
        world.rop(command).ok();
    }
    world
}

/// It passes, and leaves nothing behind.
fn passes(world: &World, assets: &Path, count: usize) {
    let outcome = cargo_with(world, SUITE, [(ASSETS, assets.as_os_str())]).ok();
    assert!(!outcome.stderr.contains("skipped"), "{outcome}");
    outcome.says(&format!(" {count} passed"));
    let tmp = std::fs::read_dir(slot(world).expect("it was built").folder().join("tmp"))
        .expect("a folder");
    let project = Project::parse(&world.read("PROJECT")).expect("PROJECT");
    let is_its = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.starts_with(project.project_name.as_str())
    };
    let left: Vec<_> = tmp
        .map(|entry| entry.expect("an entry").path())
        .filter(is_its)
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn passes_in_the_whole_cluster() {
    let Some(assets) = assets() else { return };
    let world = project("whole-suite", "");
    // A role in a namespace that is not there.
    let marker = "groups=core,resources=secrets,verbs=get,namespace=vault";
    world.write("src/vault.rs", &format!("// +kubebuilder:rbac:{marker}\n"));
    let kind = "create api --group ops --version v1 --kind Region --cluster-scoped";
    world.rop(kind).ok();
    let webhook = "create webhook --group ops --kind Region --validation";
    world.rop(webhook).ok();
    let version = "--group shop --version v1 --kind AppService";
    world.rop(&format!("create api {version}")).ok();
    let conversion = "create webhook --group shop --kind AppService --conversion";
    world.rop(conversion).ok();
    for controller in [
        "--group apps --kind Deployment",
        "--group core --kind Namespace",
        "--group app --kind Setting --controller-name backup",
    ] {
        world
            .rop(&format!("create api --resource=false {controller}"))
            .ok();
    }
    // It is not there: the operator makes its certificate itself.
    world.use_cert_manager();
    let policy = "create policy --group app --kind AppService";
    let (sorts, count) = sorts_of_policies(&assets);
    world.rop(&format!("{policy} {sorts}")).ok();
    asks_about_pods(&world);
    passes(&world, &assets, 20 + count);
}

/// Adds a webhook for pods, without which there are none, and has a test of the pods of a kind look for what it sets.
fn asks_about_pods(world: &World) {
    let webhook = "create webhook --group core --kind Pod --defaulting";
    world.rop(webhook).ok();
    world.replace(
        "src/webhook/pod/default.rs",
        "failurePolicy=ignore",
        "failurePolicy=fail",
    );
    rop(world, "generate manifests").ok();
    let created = "    becomes(&pods, pod, IMAGE, \"busybox:1\").await;\n";
    let set = "    let creator = \"system:serviceaccount:whole-suite-system:whole-suite-controller-manager\";
    becomes(&pods, pod, \"/metadata/annotations/example.com~1created-by\", creator).await;\n";
    world.replace(
        "tests/cluster/runner.rs",
        created,
        &format!("{created}{set}"),
    );
}

#[test]
fn passes_in_one_namespace() {
    let Some(assets) = assets() else { return };
    let world = project("namespaced-suite", "--namespaced --multigroup");
    let sort = match sorts_of_policies(&assets) {
        (_, 1) => "--validating",
        _ => "--mutating",
    };
    let policy = "create policy --group end --kind Stack";
    world.rop(&format!("{policy} {sort}")).ok();

    // Flags of its own. One that ends is reported at once.
    let own =
        "    #[arg(long)]\n    zone: String,\n\n    #[arg(long, env)]\n    dns_url: String,\n\n";
    let runtime = "    #[command(flatten)]\n";
    world.replace("src/main.rs", runtime, &format!("{own}{runtime}"));
    cargo_with(&world, SUITE, [(ASSETS, assets.as_os_str())])
        .exits(101)
        .says("operator exited (exit status: 2); the end of its log:")
        .says("--zone <ZONE>");
    let manager = "config/manager/manager.yaml";
    let flags = "        - --leader-elect\n";
    world.replace(
        manager,
        flags,
        &format!("{flags}        - --zone=$(ZONE)\n"),
    );
    let variables = "        env:\n";
    let own = "        - name: ZONE\n          value: a\n        - name: DNS_URL\n          value: http://dns\n";
    world.replace(manager, variables, &format!("{variables}{own}"));
    passes(&world, &assets, 15);

    // As an API server that refuses a flag.
    let ending = temporary();
    for program in ["etcd", "kubectl"] {
        symlink(assets.join(program), ending.path().join(program)).expect("a link");
    }
    let refusal = "#!/bin/sh\necho no such flag >&2\nexit 1\n";
    install(ending.path(), "kube-apiserver", refusal);
    cargo_with(&world, SUITE, [(ASSETS, ending.path().as_os_str())])
        .exits(101)
        .says("api-server exited (exit status: 1); the end of its log:\nno such flag");
}

/// Policies of every kind of Kubernetes, in a project that has no kinds of its own.
#[test]
fn passes_for_each_kind_of_kubernetes() {
    let Some(assets) = assets() else { return };
    let world = World::new();
    world
        .rop("init --project-name policy-suite --domain example.com --multigroup")
        .ok();
    let mut count = 0;
    let (sorts, each) = sorts_of_policies(&assets);
    for kind in ProjectKind::all_built_in() {
        let (group, version, kind) = (kind.group, kind.hub, kind.name);
        let create = format!("create policy --group {group} --version {version} --kind {kind}");
        // Two versions of a kind would have the same files.
        if version.as_str() == "v1" && group.as_str() == "autoscaling" {
            continue;
        }
        // They became stable with 1.34.
        let is_new = group.as_str() == "resource" || kind.as_str() == "VolumeAttributesClass";
        if is_new && minor(&assets) < 34 {
            continue;
        }
        world.rop(&format!("{create} {sorts}")).ok();
        count += each;
    }
    passes(&world, &assets, count);
}

/// A policy that lets everything pass does not.
#[test]
fn fails_if_a_policy_does_nothing() {
    let Some(assets) = assets() else { return };
    let world = World::with_api_of("idle-suite");
    world
        .rop("create policy --group app --kind AppService --validating")
        .ok();
    world.replace(
        "config/policy/appservice_validating_policy.yaml",
        "  - Deny\n",
        "  - Warn\n",
    );
    world.replace(
        "tests/cluster/support.rs",
        "        .shared()",
        "        .timeout(std::time::Duration::from_secs(10))\n        .shared()",
    );
    cargo_with(&world, SUITE, [(ASSETS, assets.as_os_str())])
        .exits(101)
        .says("the_requester_is_the_creator ... FAILED");
}

/// An operator whose role lacks a verb does not pass.
#[test]
fn fails_where_the_role_is_too_small() {
    let Some(assets) = assets() else { return };
    let world = World::with_api_of("failing-suite");
    world.replace(
        "config/rbac/role.yaml",
        "  - deployments\n  verbs:\n  - create\n",
        "  - deployments\n  verbs:\n",
    );
    cargo_with(&world, SUITE, [(ASSETS, assets.as_os_str())])
        .exits(101)
        .says("cannot create resource");
}
