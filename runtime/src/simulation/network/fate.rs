//! The fate of a connection or request, drawn when it is made.

use std::time::Duration;

use fastrand::Rng;
use hyper::StatusCode;
use tokio::time::Instant;

use crate::simulation::fault::Fault;
use crate::simulation::plan::Plan;

/// Maximum transfer time of a write. A Lease lasts 5 s after its holder has stopped writing, for the writes that it has
/// sent by then.
const LONGEST_WRITE: f64 = 4.5;

/// The fate of a connection.
pub(in crate::simulation) struct Connecting {
    /// The time until it is open.
    pub(in crate::simulation) after: Duration,
    pub(in crate::simulation) is_refused: bool,
    /// The process is paused in the meantime, for longer than a Lease.
    pub(in crate::simulation) stops_for: Option<Duration>,
    /// The size of its buffer in bytes.
    pub(in crate::simulation) capacity: usize,
}

/// The fate of a request.
#[derive(Clone, Copy, Debug)]
pub(in crate::simulation) struct Fate {
    /// The time until it arrives.
    pub(in crate::simulation) arrives_after: Duration,
    pub(in crate::simulation) deed: Deed,
    /// Just before it arrives, an object of another owner gets the name of its target.
    pub(in crate::simulation) is_swapped: bool,
    /// Just after it was handled, another client deletes the child.
    pub(in crate::simulation) is_undone: bool,
    /// The time until the response arrives.
    pub(in crate::simulation) answered_after: Duration,
    pub(in crate::simulation) reply: Reply,
}

/// How the API server handles a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::simulation) enum Deed {
    Act,
    /// Respond with this code without handling the request.
    Refuse(StatusCode),
    /// The request never arrives.
    Nothing,
}

/// The fate of a response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::simulation) enum Reply {
    Whole,
    /// Respond with this code after the API server has acted.
    Instead(StatusCode),
    /// The connection breaks in the middle of the response.
    Half,
    /// The connection breaks.
    Broken,
    /// There is no response.
    Never,
}

/// The properties of a request that determine its fate.
#[derive(Clone, Copy)]
pub(in crate::simulation) struct Kind {
    pub(in crate::simulation) is_write: bool,
    pub(in crate::simulation) is_watch: bool,
    /// Whether it is a request of the election, whose response time must not matter.
    pub(in crate::simulation) is_lease: bool,
}

/// Draws random fates.
pub(in crate::simulation) struct Fates {
    pub(in crate::simulation) plan: Plan,
    pub(in crate::simulation) rng: Rng,
    /// Since when there are no faults.
    pub(in crate::simulation) calm_since: Option<Instant>,
}

impl Fates {
    pub(in crate::simulation) fn is_calm(&self) -> bool {
        self.calm_since.is_some()
    }

    /// Whether a fault occurs now, which has this probability at the highest rate.
    pub(in crate::simulation) fn has(&mut self, fault: Fault, chance: f64) -> bool {
        let rate = self.plan.rate(fault);
        !self.is_calm() && rate > 0.0 && self.rng.f64() < rate * chance
    }

    fn seconds(&mut self, from: f64, to: f64) -> Duration {
        Duration::from_secs_f64(from + (to - from) * self.rng.f64())
    }

    fn usual(&mut self) -> Duration {
        self.seconds(0.000_2, 0.006)
    }

    pub(in crate::simulation) fn connecting(&mut self) -> Connecting {
        let is_slow = self.has(Fault::SlowRequest, 0.2);
        let after = if is_slow {
            self.seconds(0.1, 8.0)
        } else {
            self.usual()
        };
        Connecting {
            after,
            is_refused: self.has(Fault::Refused, 0.4),
            stops_for: self
                .has(Fault::Stop, 0.05)
                .then(|| self.seconds(12.0, 30.0)),
            capacity: [256, 4096, 65_536][self.rng.usize(..3)],
        }
    }

    pub(in crate::simulation) fn request(&mut self, kind: Kind) -> Fate {
        let mut fate = Fate {
            arrives_after: self.usual(),
            deed: Deed::Act,
            is_swapped: kind.is_write && self.has(Fault::Swapped, 0.1),
            is_undone: false,
            answered_after: self.usual(),
            reply: Reply::Whole,
        };
        if self.has(Fault::SlowRequest, 0.15) {
            let longest = if kind.is_write { LONGEST_WRITE } else { 15.0 };
            fate.arrives_after = self.seconds(0.1, longest);
        }
        if self.has(Fault::SlowAnswer, 0.25) {
            let longest = match self.rng.u8(..8) {
                // The client does not wait longer.
                _ if kind.is_lease => 4.5,
                0 => 30.0,
                _ => 8.0,
            };
            fate.answered_after = self.seconds(0.5, longest);
            fate.is_undone = kind.is_write && self.has(Fault::ChildDeleted, 1.0);
        }
        if self.has(Fault::LostRequest, 0.08) {
            (fate.deed, fate.reply) = (Deed::Nothing, Reply::Broken);
        } else if self.has(Fault::LostAnswer, 0.12) {
            fate.reply = Reply::Broken;
        } else if self.has(Fault::Hung, 0.05) {
            fate.deed = if self.rng.bool() {
                Deed::Act
            } else {
                Deed::Nothing
            };
            fate.reply = Reply::Never;
        } else if self.has(Fault::HalfAnswer, 0.1) {
            fate.reply = Reply::Half;
        } else if self.has(Fault::Timeout, 0.06) {
            fate.reply = Reply::Instead(StatusCode::GATEWAY_TIMEOUT);
            fate.deed = if self.rng.bool() {
                Deed::Act
            } else {
                Deed::Nothing
            };
        } else if kind.is_write && self.has(Fault::Conflict, 0.1) {
            fate.deed = Deed::Refuse(StatusCode::CONFLICT);
        } else if self.has(Fault::TooManyRequests, 0.08) {
            fate.deed = Deed::Refuse(StatusCode::TOO_MANY_REQUESTS);
        } else if self.has(Fault::InternalError, 0.08) {
            fate.deed = Deed::Refuse(StatusCode::INTERNAL_SERVER_ERROR);
        } else if self.has(Fault::Unavailable, 0.08) {
            fate.deed = Deed::Refuse(StatusCode::SERVICE_UNAVAILABLE);
        }
        if kind.is_watch && matches!(fate.reply, Reply::Half) {
            fate.reply = Reply::Whole;
        }
        fate
    }

    /// The time until a watch breaks, if it does.
    pub(in crate::simulation) fn watch_breaks(&mut self) -> Option<Duration> {
        self.has(Fault::WatchCut, 0.8)
            .then(|| self.seconds(0.0, 90.0))
    }

    /// The delay of an event.
    pub(in crate::simulation) fn event_late(&mut self) -> Duration {
        if self.has(Fault::WatchLate, 0.3) {
            self.seconds(0.2, 8.0)
        } else {
            self.usual()
        }
    }

    /// Whether a watch stops delivering events.
    pub(in crate::simulation) fn goes_silent(&mut self) -> bool {
        self.has(Fault::WatchSilent, 0.02)
    }
}
