//! A second controller of shops, which sets a condition and a field of the `ConfigMap` of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::predicates;
use kube::{Resource, ResourceExt};
use rop_runtime::conditions::Conditions;
use rop_runtime::{Action, Context, Error, Manager};
use tracing::info;

use crate::State;
use crate::kinds::{Shop, ShopStatus, named};

pub(crate) fn register(manager: &mut Manager<State>) {
    manager
        .controller(reconcile)
        .named("audit")
        .filter(predicates::generation)
        .concurrency(2)
        .owns::<ConfigMap>()
        .start();
}

async fn reconcile(shop: Arc<Shop>, context: Context<State>) -> Result<Action, Error> {
    info!("begins");
    let seal = format!("{:?}", shop.meta().generation);
    let child = ConfigMap {
        metadata: named(shop.name_any()),
        data: Some(BTreeMap::from([("seal".to_owned(), seal)])),
        ..ConfigMap::default()
    };
    context.apply(&*shop, child).await?;
    let before = shop.status.as_ref().map(|status| &*status.conditions);
    let mut conditions = Conditions::of(before.unwrap_or_default(), shop.meta().generation);
    conditions.set("Audited", true, "Sealed", "the books are closed");
    let status = ShopStatus {
        conditions: conditions.into(),
        ..ShopStatus::default()
    };
    context.report(&*shop, status).await?;
    info!("ends");
    Ok(Action::await_change())
}
