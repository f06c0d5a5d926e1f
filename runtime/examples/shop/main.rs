//! A larger operator by hand, without rop, that uses most of what the library has: two controllers of one
//! kind, one of a cluster-scoped kind and one of a built-in kind, children of every sort, tasks, checks and
//! metrics. The tests of the library against a real API server run it.

mod audit;
mod copies;
mod kinds;
mod regions;
mod shops;
#[cfg(feature = "webhook")]
mod webhooks;

use std::time::Duration;

use clap::Parser;
use rop_runtime::prometheus_client::metrics::counter::Counter;
use rop_runtime::{Context, Error, Identity, Manager, ManagerError, Options, RunsOn};
use tracing::info;

use crate::kinds::Shop;

#[derive(Parser)]
struct Args {
    /// What every shop says, before its own greeting
    #[arg(long, default_value = "Hello")]
    salutation: String,

    /// Only regions with this label `fleet`
    #[arg(long, default_value = "main")]
    fleet: String,

    /// The operator is not ready while this file exists
    #[arg(long)]
    closed: Option<std::path::PathBuf>,

    #[command(flatten)]
    runtime: Options,
}

/// What every reconcile can reach.
struct State {
    salutation: String,
    greetings: Counter,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ManagerError> {
    let args = Args::parse();
    let state = State {
        salutation: args.salutation,
        greetings: Counter::default(),
    };
    let greetings = state.greetings.clone();
    let identity = Identity::new("shop", env!("CARGO_PKG_VERSION"));
    let mut manager = Manager::new(identity, args.runtime, state).await?;

    manager.metrics(|registry| {
        registry.register("shop_greetings", "Number of reconciled shops", greetings);
    });
    if let Some(closed) = args.closed {
        manager.ready_check("open", move || {
            if closed.exists() {
                Err("closed for today".to_owned())
            } else {
                Ok(())
            }
        });
    }
    manager.task("ledger", RunsOn::Leader, |context| task("ledger", context));
    manager.task("clock", RunsOn::EveryReplica, |context| {
        task("clock", context)
    });
    shops::register(&mut manager);
    audit::register(&mut manager);
    regions::register(&mut manager, &args.fleet);
    copies::register(&mut manager);
    #[cfg(feature = "webhook")]
    webhooks::register(&mut manager);
    manager.run().await
}

/// Runs until the operator stops, and takes its time to end.
async fn task(name: &'static str, context: Context<State>) -> Result<(), Error> {
    let shops = context.cached::<Shop>()?.list().len();
    info!(task = name, shops, "begins");
    context.stopping().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    info!(task = name, "ends");
    Ok(())
}
