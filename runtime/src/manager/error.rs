//! Errors of a manager.

use std::io;

use tokio::task::JoinError;

use super::SHUTDOWN_TIMEOUT;
use crate::client::ConnectError;
use crate::leader::Lost;
use crate::metrics::EndpointError;
use crate::telemetry::TelemetryError;

/// An error when a manager starts, runs or shuts down.
///
/// ```no_run
/// use std::process::ExitCode;
/// use rop_runtime::{Identity, Manager, ManagerError, Options};
///
/// async fn run() -> Result<(), ManagerError> {
///     let identity = Identity::new("app-operator", "1.0.0");
///     Manager::new(identity, Options::default(), ()).await?.run().await
/// }
///
/// #[tokio::main(flavor = "current_thread")]
/// async fn main() -> ExitCode {
///     match run().await {
///         Ok(()) => ExitCode::SUCCESS,
///         // Another replica is the leader, which is not a failure.
///         Err(ManagerError::Lost(_)) => ExitCode::from(2),
///         Err(error) => {
///             eprintln!("{error}");
///             ExitCode::FAILURE
///         }
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// The port of the health probes is in use, or signals cannot be handled.
    #[error(transparent)]
    Start(io::Error),
    /// The metrics endpoint failed to start: its port is in use, or its certificate is invalid.
    #[error(transparent)]
    Metrics(#[from] EndpointError),
    /// The webhook server failed to start: its port is in use, or its certificate is invalid.
    #[cfg(feature = "webhook")]
    #[error(transparent)]
    Webhook(#[from] crate::webhook::WebhookError),
    /// Logging cannot be set up, or the environment variables for traces are invalid.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// The kubeconfig, the proxy or a flag of leader election is invalid.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Controllers, tasks or webhooks are in conflict with each other: a message for each conflict.
    #[error("{}", .0.join("; "))]
    Registration(Vec<String>),
    /// A component stopped although nothing had asked it to, such as a task that failed.
    #[error("{0} stopped unexpectedly")]
    Stopped(String),
    /// This process is no longer the leader: it must exit, and can be restarted.
    #[error("no longer the leader")]
    Lost(#[from] Lost),
    /// A component of the library panicked. A reconcile that panics is only retried.
    #[error("a component of the operator panicked")]
    Panicked(#[from] JoinError),
    /// Reconciles or tasks were still running 25 seconds after the shutdown began.
    #[error("reconciles were still running {SHUTDOWN_TIMEOUT:?} after the shutdown began")]
    Shutdown,
}
