//! Cancels a token on a signal, which shuts everything down.

use std::io;

use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::spawn::spawn;

/// Returns a token that SIGTERM or SIGINT cancels. A second signal ends the process immediately.
/// Fails if the process cannot handle signals.
pub(crate) fn on_signal() -> io::Result<CancellationToken> {
    let mut signals = Signals::new()?;
    let token = CancellationToken::new();
    let shutdown = token.clone();
    spawn(async move {
        signals.recv().await;
        info!("shutting down: waiting for running reconciles");
        shutdown.cancel();
        signals.recv().await;
        warn!("received a second signal: stopping immediately");
        std::process::exit(1);
    });
    Ok(token)
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn recv(&mut self) {
        tokio::select! {
            biased;
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn new() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn recv(&mut self) {
        self.0.recv().await;
    }
}
