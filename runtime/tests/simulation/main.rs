//! The library in simulated clusters, with an operator that uses most of it.

#![cfg(feature = "testing")]

mod beside;
mod contested;
mod deadline;
mod digest;
mod drawn;
mod elsewhere;
mod found;
mod kinds;
mod left;
mod mistakes;
mod operator;
mod plain;
mod registered;
mod right;
mod rules;
#[cfg(feature = "webhook")]
mod standby;
mod teeth;
#[cfg(feature = "webhook")]
mod versions;
#[cfg(feature = "webhook")]
mod webhooks;

use std::time::Duration;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment};
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;
use kube::api::{Patch, PatchParams};
use rop_runtime::simulation::{Simulation, World};
use serde_json::{Value, json};

const MINUTE: Duration = Duration::from_secs(60);

/// The operator passes every seed. CI continues after these.
#[test]
fn an_operator_holds_in_every_seed() {
    simulation().seeds(0..12).run();
}

#[test]
fn an_operator_that_waits_for_its_workloads_is_not_named() {
    assert_eq!(simulation().hasty_statuses(), [""; 0]);
}

/// A `DaemonSet` has other fields in its status, and a paused Deployment starts no Pods.
#[test]
fn workloads_are_rolled_out_as_their_kind_is() {
    let of = |kind: &str, spec: Value| {
        let labels = json!({ "app": "given" });
        let pod = json!({ "containers": [{ "name": "main", "image": "busybox" }] });
        let mut object = json!({
            "apiVersion": "apps/v1", "kind": kind, "metadata": { "name": "given", "namespace": "shop" }, "spec": spec,
        });
        object["spec"]["selector"] = json!({ "matchLabels": labels });
        object["spec"]["template"] = json!({ "metadata": { "labels": labels }, "spec": pod });
        object
    };
    let agents = of("DaemonSet", json!({}));
    let paused = of("Deployment", json!({ "paused": true }));
    let rolled_out = |world: &World| {
        let agents = world.get::<DaemonSet>(Some("shop"), "given");
        let status = agents.and_then(|agents| agents.status).unwrap_or_default();
        let paused = world.get::<Deployment>(Some("shop"), "given");
        let ready = paused.and_then(|paused| paused.status?.ready_replicas);
        match (status.number_ready, status.number_available, ready) {
            (1, Some(1), None) => Ok(()),
            other => Err(format!("{other:?}")),
        }
    };
    simulation()
        .given([agents, paused])
        .eventually("workloads are rolled out", MINUTE, rolled_out)
        .seeds(0..1)
        .run();
}

/// The vault is ready at once, and the app when its Deployment is.
#[test]
fn an_operator_that_does_not_wait_for_what_a_spec_names_is_named() {
    let mut objects = kinds::objects();
    let vault = objects.iter_mut().find(|object| object["kind"] == "Vault");
    vault.expect("a vault")["spec"]["content"] = json!("app");
    assert_eq!(of(objects).hasty_statuses(), ["vaults before apps"]);
}

/// For an invariant without an object, the report has the whole history, except for noise.
#[test]
fn what_is_told_has_no_leases() {
    let simulation = simulation().always("never", |world| {
        if world.is_calm() {
            Err("on purpose".to_owned())
        } else {
            Ok(())
        }
    });
    let told = simulation.seeds(0..1).report().to_string();
    assert!(told.contains("never: on purpose"), "{told}");
    assert!(!told.contains(" leases/"), "{told}");
}

/// For each write, the history shows what changed.
#[test]
fn what_a_write_changed_is_told() {
    let touch = async |world: World| {
        tokio::time::sleep(MINUTE).await;
        let namespaces = Api::<Namespace>::all(world.client());
        let touched = json!({ "metadata": { "labels": { "touched": "yes" } } });
        let (params, patch) = (PatchParams::default(), Patch::Merge(&touched));
        let patched = namespaces.patch("default", &params, &patch);
        patched.await.expect("a namespace");
    };
    let simulation = simulation().actor(touch);
    let table = simulation.simulate(&simulation.plan(0)).table;
    let mut lines = table.lines().filter(|line| line.contains(" actor "));
    let line = lines.next().expect(&table);
    assert!(line.contains(" PATCH "), "{line}");
    assert!(
        line.ends_with("metadata.labels.touched none -> \"yes\""),
        "{line}"
    );
    assert!(table.contains("status."), "{table}");
}

/// An apparent bug of the operator may be a CRD that the simulation lacks.
#[test]
fn a_watch_of_what_is_not_served_is_named() {
    let apps = kinds::crds()
        .into_iter()
        .filter(|crd| crd.spec.names.kind != "Vault");
    let apps: Vec<_> = apps.collect();
    let simulation = Simulation::new(operator::IDENTITY, operator::register, || ())
        .crds(apps)
        .objects(
            kinds::objects()
                .into_iter()
                .filter(|object| object["kind"] != "Vault"),
        )
        .given(kinds::given());
    let broken = simulation.simulate(&simulation.plan(0)).broken;
    let told = broken.expect("an operator that cannot work").to_string();
    let named = "does not serve what the operator watches: app.example.com/v1/vaults: give the CRD with `.crds([…])`";
    assert!(told.contains(named), "{told}");
}

fn simulation() -> Simulation {
    of(kinds::objects()).eventually("children are as specs ask", MINUTE * 20, rules::children)
}

fn of(objects: Vec<Value>) -> Simulation {
    Simulation::new(operator::IDENTITY, operator::register, || ())
        .crds(kinds::crds())
        .objects(objects)
        .given(kinds::given())
}
