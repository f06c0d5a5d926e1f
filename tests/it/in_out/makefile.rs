//! The Makefile of projects: the targets that tutorials name.

use serde_json::Value;

use super::{CRD, DEPLOYMENT, NAMESPACE, image};
use crate::support::cargo::settings;
use crate::support::control_plane::ControlPlane;
use crate::support::kubelet::while_pods_run;
use crate::support::turn::turn;
use crate::support::{Outcome, World, kubectl};

/// Runs make, with this rop.
fn make(world: &World, plane: &ControlPlane, arguments: &str) -> Outcome {
    let mut make = world.program("make", ".");
    make.args(["--no-print-directory"])
        .args(arguments.split_whitespace())
        .arg(format!("ROP={}", env!("CARGO_BIN_EXE_rop")))
        .arg(format!(
            "KUBECTL={}",
            kubectl().expect("a kubectl").display()
        ))
        .env("KUBECONFIG", plane.kubeconfig())
        .envs(settings());
    world.run(&mut make)
}

#[test]
fn the_targets_of_the_tutorials() {
    let Some(plane) = ControlPlane::with_controllers() else {
        return;
    };
    if !plane.has_controllers() {
        return;
    }
    let world = World::with_api();
    let _turn = turn(&world);
    let tree = world.tree();
    make(&world, &plane, "install").ok();
    assert_ne!(plane.api().get(CRD), Value::Null);
    make(&world, &plane, "uninstall").ok();
    assert_eq!(plane.api().get(CRD), Value::Null);
    for (arguments, expected) in [
        ("deploy IMG=localhost:5000/a/b:v1", "localhost:5000/a/b:v1"),
        ("deploy", "app-operator:latest"),
    ] {
        while_pods_run(&plane, NAMESPACE, || make(&world, &plane, arguments)).ok();
        assert_eq!(image(&plane), expected);
    }
    make(&world, &plane, "undeploy ROPFLAGS=--timeout=60s").ok();
    assert_eq!(plane.api().get(DEPLOYMENT), Value::Null);
    assert_eq!(world.tree(), tree, "no file is touched");
    make(&world, &plane, "build-installer IMG=localhost:5000/a/b").ok();
    assert!(
        world
            .read("dist/install.yaml")
            .contains("image: localhost:5000/a/b\n")
    );
}
