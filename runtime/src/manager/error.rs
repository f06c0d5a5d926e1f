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
///         // Another replica leads: nothing is wrong.
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
    /// A port is in use, or signals cannot be handled.
    #[error(transparent)]
    Start(io::Error),
    /// The metrics endpoint failed to start.
    #[error(transparent)]
    Metrics(#[from] EndpointError),
    /// The webhook server failed to start.
    #[cfg(feature = "webhook")]
    #[error(transparent)]
    Webhook(#[from] crate::webhook::WebhookError),
    /// Logging or tracing failed to start.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// The connection to the API server failed.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Controllers or tasks are in conflict with each other.
    #[error("{}", .0.join("; "))]
    Registration(Vec<String>),
    /// A component stopped unexpectedly.
    #[error("{0} stopped unexpectedly")]
    Stopped(String),
    /// Another replica is the leader, or may become so.
    #[error("no longer the leader")]
    Lost(#[from] Lost),
    /// A component panicked.
    #[error("a component of the operator panicked")]
    Panicked(#[from] JoinError),
    /// Running reconciles did not finish in time.
    #[error("reconciles were still running {SHUTDOWN_TIMEOUT:?} after the shutdown began")]
    Shutdown,
}
