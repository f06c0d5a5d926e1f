//! Parses the flags and starts the operator, which is in the library.

use std::sync::Arc;

use tenant_operator::billing::{Billing, Http, InMemory};
use tenant_operator::{IDENTITY, State, register};

use clap::Parser;
use rop_runtime::{Manager, Options, install_crypto_provider};

/// The operator tenant-operator.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    #[command(flatten)]
    runtime: Options,

    /// URL of billing; if unset, accounts are kept in memory
    #[arg(long, env)]
    billing_url: Option<String>,

    /// Token for billing
    #[arg(long, env, hide_env_values = true, default_value = "")]
    billing_token: String,
}

// One thread is enough: controllers mostly wait for the API server.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    // Must run before the first TLS client, and the manager only does so later.
    install_crypto_provider();
    let billing: Arc<dyn Billing> = match &args.billing_url {
        Some(url) => Arc::new(Http::new(url, args.billing_token)?),
        None => Arc::new(InMemory::default()),
    };
    let mut manager = Manager::new(IDENTITY, args.runtime, State::new(billing)).await?;
    register(&mut manager);
    manager.run().await?;
    Ok(())
}
