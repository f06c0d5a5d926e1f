//! A kind in two versions, whose operator converts: it makes a certificate in place of one that has ended, clients use
//! both versions while it restarts, and the old version goes when nothing needs it.

mod clients;

use std::time::Duration;

use serde_json::{Value, json};

use super::app_service;
use super::operator::Installed;
use crate::in_out::rop;
use crate::support::control_plane::{ControlPlane, eventually, free_port};
use crate::support::{World, certificate};

const CRD: &str =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/appservices.app.example.com";

/// It waits for half a minute until all API servers know of a change.
const LATE: Duration = Duration::from_mins(3);

const V1: &str = "create api --group app --version v1 --kind AppService";

/// Where the operator keeps its certificate.
const SECRET: &str = "app-operator-webhook-server-cert";

#[test]
fn the_operator_converts_restarts_and_retires_a_version() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let world = World::with_api();
    plane.install(&world.path().join("config/crd"));
    for name in ["a", "b"] {
        let object = app_service(name, json!({"image": "nginx", "replicas": 1}));
        assert!(plane.apply(&object.to_string()).status.success());
    }

    // The hub moves, and the operator converts.
    for command in [
        V1,
        "create webhook --group app --kind AppService --conversion",
        &format!("{V1} --hub --controller"),
    ] {
        world.rop(command).ok();
    }
    let installed = Installed::new(&world, &plane, "app-operator");
    let port = free_port();
    let converts = json!({
        "service": null, "url": format!("https://127.0.0.1:{port}/convert"),
    });
    let webhook = json!({"webhook": {"clientConfig": converts}});
    let patch = json!({"spec": {"conversion": webhook}});
    plane.api().merge(CRD, &patch);
    assert_eq!(stored(&plane), json!(["v1alpha1", "v1"]));
    // Whoever has only the new version has to wait.
    let last = World::with_project();
    last.rop(V1).ok();
    rop(&last, &plane, "install")
        .exits(1)
        .says("`v1alpha1` of appservices.app.example.com cannot be removed yet")
        .says("objects may still be stored in it");

    has_an_expired_certificate(&plane);
    let port = port.to_string();
    let flags = ["--webhook-port", &port, "--metrics-bind-address=0"];
    let kubeconfig = installed.kubeconfig(&plane, None);
    let run = || {
        installed.run(
            &plane,
            &kubeconfig,
            &[("WEBHOOK_SECRET_NAME", SECRET)],
            &flags,
        )
    };
    let operator = clients::lose_nothing(&plane, run);
    eventually("all is stored in the hub", LATE, || {
        (stored(&plane) == json!(["v1"])).then_some(())
    });
    // How many remember it depends on which version the clients used last.
    rop(&last, &plane, "install")
        .exits(1)
        .says("`v1alpha1` of appservices.app.example.com cannot be removed yet")
        .says("objects still carry fields set in it")
        .says("default/a, default/b")
        .says("--served=false");

    // Not served any more, it is forgotten.
    world
        .rop("create api --group app --version v1alpha1 --kind AppService --served=false")
        .ok();
    rop(&world, &plane, "install").ok();
    for name in ["a", "b"] {
        eventually("its fields are of the hub", LATE, || {
            let versions = versions(&plane, name);
            assert!(!versions.is_empty(), "{}", operator.log());
            let mut versions = versions.iter();
            versions
                .all(|version| version == "app.example.com/v1")
                .then_some(())
        });
    }
    rop(&last, &plane, "install").ok();
    let object = json!({
        "apiVersion": "app.example.com/v1",
        "kind": "AppService",
        "metadata": {"name": "a", "namespace": "default"},
        "spec": {"image": "nginx", "replicas": 2},
    });
    let applied = plane.apply(&object.to_string());
    let said = String::from_utf8_lossy(&applied.stderr);
    assert!(applied.status.success(), "{said}");
}

/// The operator finds a certificate that ended yesterday, of an authority that is good.
fn has_an_expired_certificate(plane: &ControlPlane) {
    let hosts = [
        "webhook-service.app-operator-system.svc",
        "localhost",
        "127.0.0.1",
    ];
    let secret = certificate::secret(SECRET, &hosts, (-100, 265), (-91, -1));
    let path = format!("/api/v1/namespaces/app-operator-system/secrets/{SECRET}");
    plane.api().merge(&path, &secret);
}

fn stored(plane: &ControlPlane) -> Value {
    plane.api().get(CRD)["status"]["storedVersions"].clone()
}

/// The versions that fields of an object were set in.
fn versions(plane: &ControlPlane, name: &str) -> Vec<String> {
    let path = format!("/apis/app.example.com/v1/namespaces/default/appservices/{name}");
    let object = plane.api().get(&path);
    let managed = object["metadata"]["managedFields"].as_array().into_iter();
    let versions = managed.flatten().map(|entry| entry["apiVersion"].as_str());
    versions.flatten().map(str::to_owned).collect()
}
