//! What the proxy does to requests, and to which.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{Purpose, Request};

/// Something that happens between an operator and the API server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    /// The connection is reset before the API server sees the request.
    Reset,
    /// The API server does what it was asked to, and the connection is reset.
    LostAnswer,
    /// The API server sees the request late.
    Stall(Duration),
    /// The API server seems to answer this, with `Retry-After` in seconds where there is one.
    Answer(u16, Option<u64>),
    /// Nothing more happens to the request, which the API server has not seen.
    HeldBefore,
    /// Nothing more happens to the request, which the API server has seen.
    HeldAfter,
    /// Instead of the next event, the watch tells that it is too old, and ends.
    Expired,
    /// The connection of the watch is reset in the middle of the next event.
    Torn,
    /// The watch tells each event twice.
    Twice,
    /// The watch tells each event late.
    Late(Duration),
}

impl Fault {
    /// Whether it happens to the events of a watch, rather than to a request.
    pub(super) fn concerns_events(self) -> bool {
        matches!(
            self,
            Self::Expired | Self::Torn | Self::Twice | Self::Late(_)
        )
    }
}

/// A fault, and the requests that it happens to.
pub(crate) struct Rule {
    fault: Fault,
    on: Box<dyn Fn(&Request) -> bool + Send + Sync>,
    first: usize,
    count: usize,
    matched: AtomicUsize,
    done: AtomicUsize,
}

impl Rule {
    /// A fault of all requests that `on` accepts.
    pub(crate) fn new(fault: Fault, on: impl Fn(&Request) -> bool + Send + Sync + 'static) -> Self {
        Self {
            fault,
            on: Box::new(on),
            first: 0,
            count: usize::MAX,
            matched: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
        }
    }

    /// A fault of all writes.
    pub(crate) fn writes(fault: Fault) -> Self {
        Self::new(fault, |request| request.purpose == Purpose::Write)
    }

    /// A fault of all watches.
    pub(crate) fn watches(fault: Fault) -> Self {
        Self::new(fault, |request| request.purpose == Purpose::Watch)
    }

    /// Leaves out the first of them.
    pub(crate) fn skip(self, first: usize) -> Self {
        Self { first, ..self }
    }

    /// Ends after so many of them.
    pub(crate) fn take(self, count: usize) -> Self {
        Self { count, ..self }
    }

    /// How often it has happened.
    pub(crate) fn hits(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }

    /// What happens to this request, or to this event of it.
    pub(super) fn fault(&self, request: &Request, is_event: bool) -> Option<Fault> {
        if self.fault.concerns_events() != is_event || !(self.on)(request) {
            return None;
        }
        let number = self.matched.fetch_add(1, Ordering::SeqCst);
        let hit = number >= self.first && number - self.first < self.count;
        hit.then_some(self.fault)
    }

    /// Counts a fault that has come to pass.
    pub(super) fn happened(&self) {
        self.done.fetch_add(1, Ordering::SeqCst);
    }
}
