//! A cluster-scoped kind, whose children are not in the operator's namespace.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResourceExt, ResourceExt};
use rop_runtime::simulation::{Simulation, World};
use rop_runtime::{Action, Context, Error, Manager, Watch};
use serde_json::json;

use crate::kinds::{Status, Zone};
use crate::{MINUTE, operator, rules};

/// The namespace of the maps.
const ATLAS: &str = "atlas";

fn register(manager: &mut Manager<()>) {
    manager
        .controller(reconcile)
        .owns_with::<ConfigMap>(Watch::new().everywhere())
        .on_failure(|zone: &Zone, error| operator::failed(zone, zone.status.as_ref(), error))
        .start();
}

fn map(zone: &Zone, number: i32) -> ConfigMap {
    let mut map = operator::map(zone, number);
    map.metadata.namespace = Some(ATLAS.to_owned());
    map
}

async fn reconcile(zone: Arc<Zone>, context: Context) -> Result<Action, Error> {
    for number in 0..4 {
        let map = map(&zone, number);
        if number < zone.spec.maps {
            context.apply(&*zone, map).await?;
        } else {
            context.remove_child(&*zone, &map).await?;
        }
    }
    let before = zone.status.as_ref();
    let conditions = operator::conditions(&*zone, before, true, "Drawn", "all maps are drawn");
    context.report(&*zone, Status { conditions }).await?;
    Ok(Action::await_change())
}

/// A ready object has as many maps as its spec says.
fn maps(world: &World) -> Result<(), String> {
    let ready = |zone: &Zone| rules::is_ready(zone.status.as_ref());
    for zone in world.list::<Zone>().into_iter().filter(ready) {
        for number in 0..zone.spec.maps {
            let name = map(&zone, number).name_any();
            if world.get::<ConfigMap>(Some(ATLAS), &name).is_none() {
                return Err(format!("the map {name} is missing"));
            }
        }
    }
    Ok(())
}

pub(crate) fn simulation() -> Simulation {
    let zone = json!({
        "apiVersion": "app.example.com/v1", "kind": "Zone",
        "metadata": { "name": "zone" }, "spec": { "maps": 2 },
    });
    let atlas = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": ATLAS } });
    Simulation::new(operator::IDENTITY, register, || ())
        .crds([Zone::crd()])
        .objects([zone])
        .given([atlas])
        .eventually("zones have their maps", MINUTE * 20, maps)
}

#[test]
fn an_operator_of_children_elsewhere_holds() {
    simulation().seeds(0..4).run();
}
