//! Flags and wiring: everything else is in the library.

use cronjob::{IDENTITY, State, controller, webhook};

use clap::Parser;
use rop_runtime::{Manager, Options};

/// The operator cronjob.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    #[command(flatten)]
    runtime: Options,
}

// One thread is enough: a controller mostly waits for the API server.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let state = State::default();
    let mut manager = Manager::new(IDENTITY, args.runtime, state).await?;
    controller::register(&mut manager);
    webhook::register(&mut manager);
    manager.run().await?;
    Ok(())
}
