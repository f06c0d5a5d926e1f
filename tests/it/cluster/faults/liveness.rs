//! `/readyz` fails if a watch has failed for long, and at no other time. `/livez` never does: a restart brings
//! back neither a permission nor a CRD, and stops the kinds that work.

use std::thread;
use std::time::{Duration, Instant};

use crate::cluster::case::rests;
use crate::cluster::fleet::Fleet;
use crate::cluster::operator::PROBES;
use crate::support::control_plane::free_port;
use crate::support::net;
use crate::support::proxy::{Fault, Purpose, Rule};

/// How long watches may fail. The operator's own default is much longer.
const LIMIT: Duration = Duration::from_secs(4);

/// How long a watch takes to notice, and to come back: a backoff grows up to three seconds.
const SLACK: Duration = Duration::from_secs(8);

pub(super) fn an_operator_whose_watches_are_refused_is_alive_and_not_ready() {
    is_unready_with(|| Rule::watches(Fault::Reset));
}

/// Here each attempt begins with a list, and fails with that.
pub(super) fn an_operator_that_cannot_list_is_alive_and_not_ready() {
    is_unready_with(|| {
        Rule::new(Fault::Answer(410, None), |request| {
            request.purpose != Purpose::Write
        })
    });
}

/// Watches fail, for a moment and then for long.
#[track_caller]
fn is_unready_with(blindness: fn() -> Rule) {
    let Some(mut fleet) = Fleet::at_work() else {
        return;
    };
    let fleet = &mut *fleet;
    let probes = Probes::new();
    let limit = format!("{}s", LIMIT.as_secs());
    let flags = [PROBES, &*probes.address(), "--watch-failure-limit", &*limit];
    fleet.shapes[0].launch(&fleet.plane, &flags);
    probes.answer("/livez", true, SLACK);
    probes.answer("/readyz", true, SLACK);

    // A short streak is nothing, even where nothing happens afterwards.
    let proxy = &fleet.shapes[0].proxy;
    rests(proxy, Duration::from_millis(500));
    let rule = proxy.add(blindness());
    proxy.cut_watches();
    thread::sleep(LIMIT / 4);
    assert!(rule.hits() > 0);
    proxy.heal();
    let start = Instant::now();
    while start.elapsed() < SLACK {
        let seen = probes.get("/readyz");
        assert_eq!(seen, Some(200), "after {:?}", start.elapsed());
        thread::sleep(Duration::from_millis(50));
    }

    // A long one counts, until it passes.
    proxy.add(blindness());
    proxy.cut_watches();
    let time = probes.answer("/readyz", false, LIMIT + SLACK);
    assert!(time > LIMIT / 2, "{time:?}");
    assert_eq!(probes.get("/livez"), Some(200));
    proxy.heal();
    // A watch that has begun is well again, though it may have nothing to tell.
    probes.answer("/readyz", true, SLACK);
    let operator = fleet.shapes[0].operator.as_mut();
    assert!(operator.expect("an operator").is_running());
}

/// Where an operator answers for itself.
struct Probes(u16);

impl Probes {
    fn new() -> Self {
        Self(free_port())
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.0)
    }

    fn get(&self, path: &str) -> Option<u16> {
        net::get(self.0, path)
    }

    /// Waits until a probe succeeds, or until it fails, and returns how long it took.
    #[track_caller]
    fn answer(&self, path: &str, success: bool, within: Duration) -> Duration {
        let (start, wanted) = (Instant::now(), if success { 200 } else { 503 });
        loop {
            let seen = self.get(path);
            if seen == Some(wanted) {
                return start.elapsed();
            }
            assert!(
                start.elapsed() < within,
                "{path}: {seen:?} after {within:?}"
            );
            thread::sleep(Duration::from_millis(50));
        }
    }
}
