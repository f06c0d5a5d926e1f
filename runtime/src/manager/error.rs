//! Why a manager does not run.

use std::io;

use tokio::task::JoinError;

use super::SHUTDOWN_TIMEOUT;
use crate::client::ConnectError;
use crate::leader::Lost;
use crate::metrics::EndpointError;
use crate::telemetry::TelemetryError;

/// Why a manager could not start, ended before it was asked to, or did not end in time.
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
    /// A port is taken, or signals cannot be handled.
    #[error(transparent)]
    Start(io::Error),
    /// The metrics cannot be served.
    #[error(transparent)]
    Metrics(#[from] EndpointError),
    /// The webhooks cannot be served.
    #[cfg(feature = "webhook")]
    #[error(transparent)]
    Webhook(#[from] crate::webhook::WebhookError),
    /// The logs cannot be set up.
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    /// There is no API server to connect to.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Controllers or tasks contradict each other.
    #[error("{}", .0.join("; "))]
    Registration(Vec<String>),
    /// A part of it came to an end.
    #[error("{0} stopped unexpectedly")]
    Stopped(String),
    /// Another leads, or may do so at any moment.
    #[error("no longer the leader")]
    Lost(#[from] Lost),
    /// A part of it panicked.
    #[error("a part of the operator panicked")]
    Panicked(#[from] JoinError),
    /// Running reconciles did not finish in time.
    #[error("reconciles were still running {SHUTDOWN_TIMEOUT:?} after the shutdown began")]
    Shutdown,
}
