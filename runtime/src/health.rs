//! Health probes. `/livez` and `/healthz` fail if a restart may help: by default, they only check
//! that the process responds. `/readyz` fails until all caches have synced, and while a watch keeps
//! failing: a restart would not bring back a CRD or a permission, and would stop the other kinds.
//!
//! A Service only sends webhook requests to ready pods. If the operator serves webhooks, `/readyz`
//! therefore only checks the webhooks: a cache may wait for a conversion by this operator, and a
//! failing watch must not make all webhooks unavailable. `/readyz?verbose` shows the other checks.

mod failures;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::future;
use hyper::{Request, StatusCode};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::breakage::{Breakage, broken};
use crate::serve::{self, Answer, Arriving, text};
use crate::user_code;

pub(crate) use failures::Failures;

/// A check of a probe.
pub(crate) struct Check {
    /// Its name in the list of failed checks.
    pub(crate) name: String,
    /// Fails with the reason if the condition does not hold.
    pub(crate) holds: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
}

impl Check {
    /// Creates a check that calls `holds` at each probe.
    pub(crate) fn new(
        name: impl Into<String>,
        holds: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            holds: Box::new(holds),
        }
    }

    /// Creates a check that fails if the watch has failed for longer than `limit`.
    pub(crate) fn watch(name: &str, failures: Arc<Failures>, limit: Duration) -> Self {
        Self::new(format!("watch of {name}"), move || {
            if failures.lasts_longer_than(limit) {
                let total = failures.total();
                Err(format!(
                    "failing for more than {limit:?}, with {total} failures in total: see the log"
                ))
            } else {
                Ok(())
            }
        })
    }
}

/// The checks of the probes.
#[derive(Default)]
pub(crate) struct Checks {
    /// Checks of `/livez`: if one fails, Kubernetes restarts the process.
    pub(crate) alive: Vec<Check>,
    /// Checks of `/readyz`: if one fails, the process is not ready.
    pub(crate) ready: Vec<Check>,
    /// Checks of watches and caches, which only count if no webhooks are served.
    pub(crate) watches: Vec<Check>,
    /// Whether webhooks are served.
    pub(crate) has_webhooks: bool,
}

impl Checks {
    /// Returns the checks of `/readyz`.
    fn ready(&self) -> impl Iterator<Item = &Check> {
        let counts = !self.has_webhooks || broken(Breakage::ReadyWithCaches);
        let watches = self.watches.iter().filter(move |_| counts);
        self.ready.iter().chain(watches)
    }

    fn readyz(&self, is_verbose: bool) -> Answer {
        let mut answer = answer(self.ready());
        if is_verbose && self.has_webhooks {
            let watches = listed(&self.watches);
            if !watches.is_empty() {
                *answer.body_mut() += "\nignored while webhooks are served:\n";
                *answer.body_mut() += &watches;
            }
        }
        answer
    }
}

#[cfg(any(test, feature = "testing"))]
impl Checks {
    /// Returns the first failed check of `/livez` and of `/readyz`.
    pub(crate) fn probe(&self) -> [Result<(), String>; 2] {
        let first = |failed: Option<(&str, String)>| match failed {
            Some((name, reason)) => Err(format!("{name}: {reason}")),
            None => Ok(()),
        };
        [
            first(failed(&self.alive).next()),
            first(failed(self.ready()).next()),
        ]
    }
}

/// Binds the port. This runs first, because running two operators on one machine is a common
/// mistake.
pub(crate) fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = serve::listen(address);
    listener.map_err(|error| {
        let message = format!(
            "cannot serve health probes on {address} (--health-probe-bind-address): {error}"
        );
        io::Error::new(error.kind(), message)
    })
}

/// Serves probes until `stop` is cancelled.
pub(crate) async fn serve(listener: TcpListener, checks: Checks, stop: CancellationToken) {
    let checks = Arc::new(checks);
    let probe = move |request: Request<Arriving>| {
        future::ready(match request.uri().path() {
            "/healthz" | "/livez" => answer(&checks.alive),
            "/readyz" => {
                let query = request.uri().query().unwrap_or_default();
                checks.readyz(query.split('&').any(|part| part == "verbose"))
            }
            _ => text(StatusCode::NOT_FOUND, "no such probe"),
        })
    };
    serve::serve(listener, None, serve::IDLE, probe, stop).await;
}

/// Returns the failed checks with their reasons.
fn failed<'a>(
    checks: impl IntoIterator<Item = &'a Check>,
) -> impl Iterator<Item = (&'a str, String)> {
    let reason = |check: &Check| {
        let panicked = Err("it panicked".to_owned());
        user_code::call(&check.name, panicked, || (check.holds)()).err()
    };
    let checks = checks.into_iter();
    checks.filter_map(move |check| Some((&*check.name, reason(check)?)))
}

/// Formats a line for each failed check, like the API server's probes.
fn listed<'a>(checks: impl IntoIterator<Item = &'a Check>) -> String {
    let lines = failed(checks).map(|(name, reason)| format!("[-]{name} failed: {reason}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Lists the checks that failed, each with its reason.
fn answer<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Answer {
    match listed(checks) {
        failed if failed.is_empty() => text(StatusCode::OK, "ok"),
        failed => text(StatusCode::SERVICE_UNAVAILABLE, failed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failed_check_is_listed_with_its_reason() {
        let good = || Check::new("good", || Ok(()));
        let bad = |name| Check::new(name, move || Err(format!("no {name}")));
        assert_eq!(answer(&[]).status(), StatusCode::OK);
        assert_eq!(answer(&[good()]).body(), "ok");
        let failed = answer(&[bad("cache"), good(), bad("database")]);
        assert_eq!(failed.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(
            failed.body(),
            "[-]cache failed: no cache\n[-]database failed: no database"
        );
    }

    #[test]
    fn a_check_that_panics_fails_and_is_named() {
        let check = Check::new("database", || panic!("a bug"));
        assert_eq!(answer(&[check]).body(), "[-]database failed: it panicked");
    }

    /// A list may wait for a conversion, and the conversion for the probe.
    #[test]
    fn beside_webhooks_no_watch_counts() {
        let bad = |name: &str| Check::new(name, || Err("no".to_owned()));
        let mut checks = Checks {
            watches: vec![bad("watch of webs")],
            ..Checks::default()
        };
        assert_eq!(
            checks.readyz(false).status(),
            StatusCode::SERVICE_UNAVAILABLE
        );
        checks.has_webhooks = true;
        assert_eq!(checks.readyz(false).body(), "ok");
        assert_eq!(
            checks.readyz(true).body(),
            "ok\nignored while webhooks are served:\n[-]watch of webs failed: no"
        );
        assert_eq!(checks.probe(), [Ok(()), Ok(())]);
        checks.ready.push(bad("webhooks"));
        assert_eq!(checks.readyz(false).body(), "[-]webhooks failed: no");
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_that_keeps_failing_fails_its_check() {
        let limit = Duration::from_secs(300);
        let failures = Arc::<Failures>::default();
        let check = Check::watch("webs.shop.example.com", Arc::clone(&failures), limit);
        failures.failed();
        assert_eq!((check.holds)(), Ok(()));
        tokio::time::advance(limit * 2).await;
        failures.failed();
        let answer = answer(&[check]);
        assert_eq!(
            answer.body(),
            "[-]watch of webs.shop.example.com failed: failing for more than 300s, with 2 failures in total: see the log"
        );
    }
}
