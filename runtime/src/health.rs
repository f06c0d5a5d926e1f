//! The probes. `/livez` (`/healthz` as well) fails where a restart may help: a watch has kept failing.
//! `/readyz` fails until everything that is watched has been seen.

use std::io;
use std::net::{AddrParseError, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::future;
use hyper::body::Incoming;
use hyper::{Request, StatusCode};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::serve::{self, Answer, text};

/// One thing that must hold.
pub struct Check {
    /// What it is.
    pub name: String,
    /// Whether it holds.
    pub holds: Box<dyn Fn() -> bool + Send + Sync>,
}

/// What must hold for each of the probes.
#[derive(Default)]
pub struct Checks {
    /// Where one of these does not hold, the process should be restarted.
    pub alive: Vec<Check>,
    /// Where one of these does not hold, it is not working yet.
    pub ready: Vec<Check>,
}

/// Since when a watch has failed without a success.
#[derive(Default)]
pub struct Streak(Mutex<Option<Instant>>);

impl Streak {
    /// The watch failed.
    pub fn fail(&self) {
        self.fail_at(Instant::now());
    }

    /// The watch has begun, or brought something.
    pub fn end(&self) {
        *self.lock() = None;
    }

    /// Whether nothing has succeeded for longer than `limit` since the first failure.
    pub fn is_longer_than(&self, limit: Duration) -> bool {
        self.is_longer_at(Instant::now(), limit)
    }

    fn fail_at(&self, now: Instant) {
        self.lock().get_or_insert(now);
    }

    fn is_longer_at(&self, now: Instant, limit: Duration) -> bool {
        self.lock().is_some_and(|first| now - first > limit)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads an address; without a host it is one of all interfaces, as in `:8081`.
///
/// # Errors
/// Where the text is no address.
pub fn parse_address(text: &str) -> Result<SocketAddr, AddrParseError> {
    match text.strip_prefix(':') {
        Some(port) => format!("0.0.0.0:{port}").parse(),
        None => text.parse(),
    }
}

/// Takes the port, first of all, for two operators on one machine are a common mistake.
///
/// # Errors
/// Where the port is taken.
pub async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| {
        let message = format!(
            "cannot serve health probes on {address} (--health-probe-bind-address): {error}"
        );
        io::Error::new(error.kind(), message)
    })
}

/// Answers probes until `stop` is cancelled.
pub(super) async fn serve(listener: TcpListener, checks: Checks, stop: CancellationToken) {
    let checks = Arc::new(checks);
    let probe = move |request: Request<Incoming>| {
        future::ready(match request.uri().path() {
            "/healthz" | "/livez" => answer(&checks.alive),
            "/readyz" => answer(&checks.ready),
            _ => text(StatusCode::NOT_FOUND, "no such probe"),
        })
    };
    serve::serve(listener, None, probe, stop).await;
}

fn answer(checks: &[Check]) -> Answer {
    let failed: Vec<_> = checks
        .iter()
        .filter(|check| !(check.holds)())
        .map(|check| &*check.name)
        .collect();
    if failed.is_empty() {
        text(StatusCode::OK, "ok")
    } else {
        let failed = format!("failed: {}", failed.join(", "));
        text(StatusCode::SERVICE_UNAVAILABLE, failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(300);

    fn check(name: &str, holds: bool) -> Check {
        Check {
            name: name.to_owned(),
            holds: Box::new(move || holds),
        }
    }

    #[test]
    fn what_failed_is_named() {
        assert_eq!(answer(&[]).status(), StatusCode::OK);
        assert_eq!(answer(&[check("a", true)]).status(), StatusCode::OK);
        let failed = answer(&[check("a", true), check("b", false)]);
        assert_eq!(failed.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(failed.body(), "failed: b");
    }

    #[test]
    fn only_a_long_streak_is_one() {
        let (streak, start) = (Streak::default(), Instant::now());
        assert!(!streak.is_longer_at(start + 2 * LIMIT, LIMIT));
        streak.fail_at(start);
        streak.fail_at(start + LIMIT);
        assert!(!streak.is_longer_at(start + LIMIT, LIMIT));
        // An attempt that never ends is no success.
        assert!(streak.is_longer_at(start + 2 * LIMIT, LIMIT));
        streak.end();
        assert!(!streak.is_longer_at(start + 2 * LIMIT, LIMIT));
        streak.fail_at(start + 2 * LIMIT);
        assert!(!streak.is_longer_at(start + 3 * LIMIT, LIMIT));
    }

    #[test]
    fn an_address_may_be_a_port_alone() {
        assert_eq!(parse_address(":8081"), parse_address("0.0.0.0:8081"));
        assert!(parse_address("8081").is_err());
    }
}
