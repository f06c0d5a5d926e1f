//! A controller of a built-in kind: each `ConfigMap` with the label `shop.example.com/copy` has a Secret
//! with the same contents.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use rop_runtime::{Action, Cleanup, Context, Error, Manager};
use tracing::info;

use crate::State;
use crate::kinds::named;

pub(crate) fn register(manager: &mut Manager<State>) {
    manager
        .controller(reconcile)
        .labels("shop.example.com/copy")
        .filter_by(|old, new| old.data != new.data)
        .owns::<Secret>()
        .finalizer(cleanup)
        .start();
}

async fn reconcile(original: Arc<ConfigMap>, context: Context<State>) -> Result<Action, Error> {
    info!("begins");
    let copy = Secret {
        metadata: named(original.name_any()),
        string_data: original.data.clone(),
        ..Secret::default()
    };
    context.apply(&*original, copy).await?;
    info!("ends");
    Ok(Action::await_change())
}

async fn cleanup(original: Arc<ConfigMap>, context: Context<State>) -> Result<Cleanup, Error> {
    let name = original.name_any();
    context.remove::<Secret>(&*original, &name).await
}
