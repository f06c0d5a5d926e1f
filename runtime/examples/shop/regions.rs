//! The controller of regions, which are cluster-scoped and slow.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use rop_runtime::{Action, Cleanup, Context, Error, Manager, Watch};
use tokio::time::sleep;
use tracing::info;

use crate::State;
use crate::kinds::{Region, named};

pub(crate) fn register(manager: &mut Manager<State>, fleet: &str) {
    manager
        .controller(reconcile)
        .labels(format!("fleet={fleet}"))
        .owns_with::<ConfigMap>(Watch::new().everywhere())
        .finalizer(cleanup)
        .start();
}

async fn reconcile(region: Arc<Region>, context: Context<State>) -> Result<Action, Error> {
    info!("begins");
    context.apply(&*region, map(&region, "north")).await?;
    sleep(Duration::from_millis(region.spec.milliseconds)).await;
    context.apply(&*region, map(&region, "south")).await?;
    info!("ends");
    Ok(Action::await_change())
}

/// The map of a part of the region.
fn map(region: &Region, part: &str) -> ConfigMap {
    let mut map = ConfigMap {
        metadata: named(format!("{}-{part}", region.name_any())),
        data: Some(BTreeMap::from([("map".to_owned(), "drawn".to_owned())])),
        ..ConfigMap::default()
    };
    map.metadata.namespace = Some(region.spec.namespace.clone());
    map
}

async fn cleanup(region: Arc<Region>, context: Context<State>) -> Result<Cleanup, Error> {
    info!("begins");
    sleep(Duration::from_millis(region.spec.milliseconds)).await;
    let mut state = Cleanup::Done;
    for part in ["north", "south"] {
        let map = map(&region, part);
        state = state.and(context.remove_child(&*region, &map).await?);
    }
    info!("ends");
    Ok(state)
}
