//! `rop run`: the operator on this machine, against a real API server.

use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use rop::project::Template;
use serde_json::Value;

use super::{CRD_FILE, OBJECTS, cluster, command, create, rop};
use crate::support::World;
use crate::support::cargo::settings;
use crate::support::control_plane::{ControlPlane, eventually};
use crate::support::turn::turn;

/// What the operator makes of an object that is called `a`.
const CHILD: &str = "/apis/apps/v1/namespaces/default/deployments/a";

#[test]
fn the_crds_have_to_be_the_projects() {
    let Some(plane) = cluster() else {
        return;
    };
    let world = World::with_api();
    insta::assert_snapshot!(rop(&world, &plane, "run").exits(1), @"
    exit: 1
    --- stderr
    error[crds-out-of-date]: the cluster's CRDs are out of date:
      appservices.app.example.com is not installed
    hint: run `rop install` first
    ");
    rop(&world, &plane, "install").ok();
    world.replace(CRD_FILE, "minimum: 0", "minimum: 1");
    rop(&world, &plane, "run")
        .exits(1)
        .says("appservices.app.example.com differs from config/crd");
    rop(&world, &plane, "install").ok();
    insta::assert_snapshot!(rop(&world, &plane, "run --dry-run").ok(), @"
    exit: 0
    --- stdout
    cargo run --bin app-operator
    ");
}

/// What the API server keeps of a CRD is what the project has, whatever its types started from.
#[test]
fn installed_crds_are_current() {
    let Some(plane) = cluster() else {
        return;
    };
    for template in Template::all() {
        let world = World::with_project();
        let more = "--short-name x --category all --cluster-scoped";
        let create =
            format!("create api --group {template} --kind Thing --template {template} {more}");
        world.rop(&create).ok();
        rop(&world, &plane, "install").ok();
        rop(&world, &plane, "run --dry-run").ok();
    }
}

/// `rop run`, started in a process group of its own, as a shell does. It builds first.
fn start(world: &World, plane: &ControlPlane, arguments: &str) -> Child {
    let mut command = command(world, plane.kubeconfig(), arguments);
    command
        .envs(settings())
        .env("ENABLE_WEBHOOKS", "false")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .process_group(0);
    command.spawn().expect("rop starts")
}

#[test]
fn the_operator_takes_the_place_of_the_command() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api_of("running-operator");
    rop(&world, &plane, "install").ok();
    // A context that is not the current one.
    let text = std::fs::read_to_string(plane.kubeconfig()).expect("a kubeconfig");
    let text = text.replace("current-context: test", "current-context: none");
    std::fs::write(plane.kubeconfig(), text).expect("a kubeconfig");
    let flags = "--context rop --namespace default -- --health-probe-bind-address 127.0.0.1:0";
    let turn = turn(&world);
    let mut child = start(&world, &plane, &format!("run {flags}"));
    create(&plane, "a", &[]);
    eventually("the operator works", Duration::from_mins(10), || {
        assert!(child.try_wait().expect("a state").is_none(), "it ended");
        (plane.api().get(CHILD) != Value::Null).then_some(())
    });
    drop(turn);
    // The process is the operator by now, with what it was given.
    let process = format!("/proc/{}", child.id());
    let program = std::fs::read_link(format!("{process}/exe")).expect("a program");
    assert!(
        program.ends_with("debug/running-operator"),
        "{}",
        program.display()
    );
    let environment = std::fs::read(format!("{process}/environ")).expect("an environment");
    let environment = String::from_utf8_lossy(&environment).into_owned();
    for variable in ["ENABLE_WEBHOOKS=false", "WATCH_NAMESPACE=default"] {
        assert!(
            environment.split('\0').any(|v| v == variable),
            "{variable}: {environment}"
        );
    }
    // Ctrl-C goes to the whole process group.
    let mut kill = std::process::Command::new("kill");
    kill.args(["-s", "INT", "--", &format!("-{}", child.id())]);
    assert!(kill.status().expect("kill runs").success());
    assert_eq!(child.wait().expect("an end").code(), Some(0));
    plane.api().delete(&format!("{OBJECTS}/a"));
}

/// What the operator ends with is what the command ends with.
#[test]
fn the_exit_code_is_the_operators() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api_of("running-operator");
    rop(&world, &plane, "install").ok();
    let _turn = turn(&world);
    let mut command = command(&world, plane.kubeconfig(), "run -- --no-such-flag");
    command.envs(settings());
    world
        .run(&mut command)
        .exits(2)
        .says("unexpected argument '--no-such-flag'");
}

#[test]
fn an_operator_that_does_not_compile() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api_of("running-operator");
    rop(&world, &plane, "install").ok();
    world.replace("src/main.rs", "    register(", "    none(");
    let _turn = turn(&world);
    let mut command = command(&world, plane.kubeconfig(), "run");
    command.envs(settings());
    world
        .run(&mut command)
        .exits(1)
        .says("cannot find function `none`")
        .says("failed to build the operator: see the cargo output above");
}
