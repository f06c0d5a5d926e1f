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
    let map = |part: &str| {
        let mut child = ConfigMap {
            metadata: named(format!("{}-{part}", region.name_any())),
            data: Some(BTreeMap::from([("map".to_owned(), "drawn".to_owned())])),
            ..ConfigMap::default()
        };
        child.metadata.namespace = Some(region.spec.namespace.clone());
        child
    };
    context.apply(&*region, map("north")).await?;
    sleep(Duration::from_millis(region.spec.milliseconds)).await;
    context.apply(&*region, map("south")).await?;
    info!("ends");
    Ok(Action::await_change())
}

async fn cleanup(region: Arc<Region>, context: Context<State>) -> Result<Cleanup, Error> {
    info!("begins");
    sleep(Duration::from_millis(region.spec.milliseconds)).await;
    let namespace = &region.spec.namespace;
    let mut state = Cleanup::Done;
    for part in ["north", "south"] {
        let name = format!("{}-{part}", region.name_any());
        let gone = context.remove_in::<ConfigMap>(namespace, &*region, &name);
        state = state.and(gone.await?);
    }
    info!("ends");
    Ok(state)
}
