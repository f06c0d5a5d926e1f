//! Parses the flags and starts the operator, which is in the library.

use app_operator::{IDENTITY, State, register};

use clap::Parser;
use rop_runtime::{Manager, Options};

/// The operator app-operator.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    #[command(flatten)]
    runtime: Options,
}

// One thread is enough: controllers mostly wait for the API server.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let state = State {};
    let mut manager = Manager::new(IDENTITY, args.runtime, state).await?;
    register(&mut manager);
    manager.run().await?;
    Ok(())
}
