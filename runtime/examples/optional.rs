//! An operator of three kinds, of which one has no CRD and one is forbidden to it: the third is served, and
//! the probe and the log say what is missing. The tests of the library run it.

use std::sync::Arc;

use clap::Parser;
use k8s_openapi::api::core::v1::{ConfigMap, LimitRange, Secret};
use kube::{CustomResource, ResourceExt};
use rop_runtime::{Action, Context, Error, Identity, Manager, ManagerError, Options};
use serde::{Deserialize, Serialize};
use tracing::info;

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    runtime: Options,
}

/// A kind whose CRD is not installed.
#[derive(Clone, CustomResource, Debug, Deserialize, Serialize)]
#[kube(
    group = "haunt.example.com",
    version = "v1",
    kind = "Ghost",
    namespaced,
    schema = "disabled"
)]
struct GhostSpec {}

async fn reconcile<K: ResourceExt>(object: Arc<K>, _: Context) -> Result<Action, Error> {
    info!("reconciled {}", object.name_any());
    Ok(Action::await_change())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ManagerError> {
    let identity = Identity::new("optional", env!("CARGO_PKG_VERSION"));
    let mut manager = Manager::new(identity, Args::parse().runtime, ()).await?;
    manager.controller(reconcile::<Ghost>).start();
    manager.controller(reconcile::<LimitRange>).start();
    manager
        .controller(reconcile::<ConfigMap>)
        .owns::<Secret>()
        .start();
    manager.run().await
}
