//! Flags and wiring: everything else is in the library.

use std::net::SocketAddr;
use std::time::Duration;

use instance_operator::controller;
use instance_operator::runtime::{
    Manager, Settings, WatchNamespaces, client, duration, health, leader, metrics, shutdown,
    telemetry,
};

use clap::Parser;
use tracing_subscriber::filter::Targets;

/// The operator instance-operator.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// The namespaces to watch, separated by commas; empty means all of them
    #[arg(long, env = "WATCH_NAMESPACE", default_value = "")]
    watch_namespace: WatchNamespaces,

    /// Where /livez, /healthz and /readyz are served
    #[arg(long, value_parser = health::parse_address, default_value = "0.0.0.0:8081")]
    health_probe_bind_address: SocketAddr,

    /// How many objects of a kind are reconciled at the same time
    #[arg(long, default_value_t = 10)]
    max_concurrent_reconciles: u16,

    /// When an object that nothing happened to is looked at again
    #[arg(long, value_parser = duration::parse, default_value = "1h")]
    resync_period: Duration,

    /// How long a watch may fail without a success before /livez does
    #[arg(long, value_parser = duration::parse, default_value = "5m")]
    watch_failure_limit: Duration,

    #[command(flatten)]
    election: leader::Flags,

    #[command(flatten)]
    metrics: metrics::Options,

    /// What is logged: a level, or levels by target such as info,kube=debug
    #[arg(long, env = "RUST_LOG", default_value = "info")]
    log_level: Targets,
}

// One thread: a controller waits for the API server most of the time, and this costs less CPU and memory.
#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let _telemetry = telemetry::init(args.log_level)?;

    let shutdown = shutdown::on_signal()?;
    let probes = health::bind(args.health_probe_bind_address).await?;
    let endpoint = metrics::Endpoint::bind(&args.metrics).await?;
    let connection = client::connect(args.election).await?;

    let settings = Settings {
        namespaces: args.watch_namespace,
        concurrency: args.max_concurrent_reconciles,
        resync: args.resync_period,
        watch_failure_limit: args.watch_failure_limit,
    };
    let mut manager = Manager::new(connection, settings, shutdown);
    for start in controller::ALL {
        start(&mut manager);
    }
    manager.run(probes, endpoint).await?;
    Ok(())
}
