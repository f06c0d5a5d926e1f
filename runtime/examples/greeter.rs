//! An operator by hand, without rop: every namespace with the label `greet` gets a `ConfigMap` that says
//! hello.
//!
//! ```text
//! cargo run --example greeter -- --greeting "Good morning"
//! kubectl create namespace shop && kubectl label namespace shop greet=yes
//! kubectl get configmap greeting --namespace shop --output yaml
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Parser;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::ResourceExt;
use kube::api::ObjectMeta;
use rop_runtime::{Action, Context, Error, Identity, Manager, ManagerError, Options, Watch};

#[derive(Parser)]
struct Args {
    /// What every namespace is told
    #[arg(long, default_value = "Hello")]
    greeting: String,

    #[command(flatten)]
    runtime: Options,
}

/// What every reconcile can reach.
struct State {
    greeting: String,
}

async fn reconcile(namespace: Arc<Namespace>, context: Context<State>) -> Result<Action, Error> {
    let text = format!("{}, {}!", context.state.greeting, namespace.name_any());
    let greeting = ConfigMap {
        metadata: ObjectMeta {
            name: Some("greeting".to_owned()),
            namespace: Some(namespace.name_any()),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("text".to_owned(), text)])),
        ..ConfigMap::default()
    };
    context.apply(&*namespace, greeting).await?;
    Ok(Action::await_change())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ManagerError> {
    let Args { greeting, runtime } = Args::parse();
    let identity = Identity::new("greeter", env!("CARGO_PKG_VERSION"));
    let mut manager = Manager::new(identity, runtime, State { greeting }).await?;
    let controller = manager.controller(reconcile).labels("greet");
    // A cluster-scoped object may own in every namespace.
    controller
        .owns_with::<ConfigMap>(Watch::new().everywhere())
        .start();
    manager.run().await
}
