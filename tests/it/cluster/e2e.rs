//! The end-to-end tests that generated projects bring along. No containers run here: the operator's pods are processes,
//! and a kubectl leads to their metrics instead of a port of a pod.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::chart::helm::Helm;
use crate::support::cargo::{built, cargo, cargo_with};
use crate::support::control_plane::ControlPlane;
use crate::support::node::Node;
use crate::support::tools::install;
use crate::support::{Outcome, World, kubectl};

const TESTS: &str = "test --locked --test e2e";
const NAMESPACE: &str = "e2e-operator-system";

/// A project with a webhook and a chart, and with roles in other namespaces: one exists, one does not.
fn project() -> World {
    let world = World::with_api_of("e2e-operator");
    let markers = ["default", "vault"].map(|namespace| {
        format!(
            "// +kubebuilder:rbac:groups=core,resources=secrets,verbs=get,namespace={namespace}\n"
        )
    });
    world.write("src/vault.rs", &markers.concat());
    for command in [
        "create webhook --group app --kind AppService --validation",
        "create api --group app --kind Setting --template minimal --finalizer",
        "generate chart",
    ] {
        world.rop(command).ok();
    }
    world
}

/// Runs the tests of a project in a cluster.
struct Suite<'a> {
    world: &'a World,
    plane: &'a ControlPlane,
    kubectl: PathBuf,
    helm: PathBuf,
}

impl Suite<'_> {
    fn run(&self, test: &str, variables: &[(&str, &str)]) -> Outcome {
        let kubeconfig = self.plane.kubeconfig();
        let mut all: Vec<(&str, OsString)> = vec![
            ("KUBECONFIG", kubeconfig.into()),
            ("KUBECTL", self.kubectl.clone().into()),
            ("HELM", self.helm.clone().into()),
            ("E2E_CONTEXT", "rop".into()),
        ];
        all.extend(
            variables
                .iter()
                .map(|(name, value)| (*name, (*value).into())),
        );
        let all = all.iter().map(|(name, value)| (*name, value.as_os_str()));
        cargo_with(self.world, &format!("{TESTS} {test}"), all)
    }

    /// The names of objects of a kind in all namespaces.
    fn names(&self, kind: &str) -> String {
        let get = [
            "get",
            kind,
            "--all-namespaces",
            "--output=name",
            "--ignore-not-found",
        ];
        self.plane.kubectl_ok(&get)
    }
}

#[test]
fn the_operator_is_deployed_used_upgraded_and_removed() {
    let Some(plane) = ControlPlane::with_controllers() else {
        return;
    };
    let (Some(helm), true) = (Helm::find(), plane.has_controllers()) else {
        return;
    };
    let world = project();
    cargo(&world, TESTS).ok().says(
        "skipped: E2E_CONTEXT is not set; `make test-e2e` creates a kind cluster and sets it",
    );
    let program = program(&world, &plane);
    let suite = Suite {
        world: &world,
        plane: &plane,
        kubectl: Node::kubectl(&plane, &kubectl().expect("a kubectl")),
        helm: helm.path().to_owned(),
    };

    // A cluster that nobody marked is not touched.
    suite
        .run("config", &[])
        .exits(101)
        .says("the cluster of the context rop is not changed, because kind did not create it");
    assert_eq!(suite.names("crd"), "");

    let marked = ("E2E_DISPOSABLE", "true");
    let images = [
        marked,
        ("E2E_UPGRADE_FROM", "e2e-operator:v1"),
        ("E2E_IMAGE", "r.example.com:5000/e2e:v2"),
    ];
    Node::while_it_runs(&plane, &program, NAMESPACE, || {
        for test in ["config", "chart"] {
            let outcome = suite.run(test, &images).ok();
            assert!(!outcome.stderr.contains("skipped"), "{outcome}");
            outcome.says("1 passed");
            // Nothing is left.
            assert_eq!(suite.names("crd"), "");
            let namespaces = suite.names("namespaces");
            let is_left = |name: &str| namespaces.contains(name);
            assert!(
                is_left("default") && !is_left("e2e") && !is_left("vault"),
                "{namespaces}"
            );
            assert!(
                !suite
                    .names("clusterroles,clusterrolebindings")
                    .contains("e2e"),
                "{test}"
            );
        }
    });
    let images: Vec<_> = deployed_images(&plane);
    assert_eq!(
        images,
        ["e2e-operator:v1", "r.example.com:5000/e2e:v2"].repeat(2)
    );

    // Neither is one in which the operator may be in use.
    plane.kubectl_ok(&["create", "namespace", NAMESPACE]);
    suite
        .run("config", &[marked])
        .exits(101)
        .says("the cluster already has the operator or a part of it");
    assert!(suite.names("namespaces").contains(NAMESPACE));
}

/// A copy of the operator: the tests of the project may build it again.
fn program(world: &World, plane: &ControlPlane) -> PathBuf {
    cargo(world, "build --locked").ok();
    let program = plane.dir().join("e2e-operator");
    std::fs::copy(built(world, "e2e-operator"), &program).expect("a program");
    program
}

/// The images of the pods of the operator, in order.
fn deployed_images(plane: &ControlPlane) -> Vec<String> {
    let created = plane.audited().into_iter().filter(|event| {
        let object = &event["objectRef"];
        event["verb"] == "create"
            && object["resource"] == "pods"
            && object["namespace"] == NAMESPACE
    });
    created
        .filter(|event| event["responseStatus"]["code"] == 201)
        .map(|event| event["requestObject"]["spec"]["containers"][0]["image"].clone())
        .filter_map(|image| image.as_str().map(str::to_owned))
        .collect()
}

/// The Makefile's target has a cluster of its own, and removes it also when the tests fail.
#[test]
fn make_creates_the_cluster_and_deletes_it() {
    let world = World::with_api_of("e2e-make");
    let programs = world.path().join("programs");
    std::fs::create_dir(&programs).expect("a folder");
    let log =
        "echo \"$(basename $0) $* $(basename ${KUBECONFIG:-none}) ${E2E_CONTEXT:-none}\" >>log\n";
    for program in ["docker", "kind"] {
        install(&programs, program, &format!("#!/bin/sh\n{log}"));
    }
    let make = |cargo: &str| {
        install(&programs, "cargo", &format!("#!/bin/sh\n{log}{cargo}\n"));
        let path = format!(
            "{}:{}",
            programs.display(),
            std::env::var("PATH").expect("a PATH")
        );
        let mut make = world.program("make", ".");
        let outcome = world.run(make.arg("test-e2e").env("PATH", path));
        let said = world.read("log");
        std::fs::remove_file(world.path().join("log")).expect("a log");
        (outcome, said)
    };
    let (passed, said) = make("exit 0");
    passed.ok();
    let own = "e2e-make-e2e.kubeconfig";
    insta::assert_snapshot!(said.replace(own, "[OWN]"), @"
    docker build --tag e2e-make:e2e . [OWN] none
    kind create cluster --name e2e-make-e2e [OWN] none
    kind load docker-image e2e-make:e2e --name e2e-make-e2e [OWN] none
    cargo test --test e2e [OWN] kind-e2e-make-e2e
    kind delete cluster --name e2e-make-e2e [OWN] none
    ");
    let (failed, after) = make("exit 101");
    assert_ne!(failed.code, 0);
    assert_eq!(after, said);
}
