//! Whether this process is the leader, according to its own clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Whether this process leads. Clones share their state.
#[derive(Clone, Debug)]
pub(crate) struct Leadership(Option<Arc<Term>>);

#[derive(Debug)]
struct Term {
    start: Instant,
    /// When it ends: nanoseconds after `start`, or 0 for not leading.
    end: AtomicU64,
    /// How often this process became the leader.
    takeovers: AtomicU64,
}

impl Leadership {
    /// For an operator without an election, which can always write.
    pub(crate) fn always() -> Self {
        Self(None)
    }

    /// For an operator that has not been elected yet.
    pub(crate) fn none() -> Self {
        Self(Some(Arc::new(Term {
            start: Instant::now(),
            end: AtomicU64::new(0),
            takeovers: AtomicU64::new(0),
        })))
    }

    /// Whether this process leads now, and can write. It checks the clock and needs no timer: a process
    /// that was stopped until after its term knows as soon as it wakes.
    pub(crate) fn may_write(&self) -> bool {
        let Some(term) = &self.0 else { return true };
        term.now() < term.end.load(Ordering::Acquire)
    }

    /// How often this process became the leader.
    pub(crate) fn takeovers(&self) -> u64 {
        let term = self.0.as_ref();
        term.map_or(0, |term| term.takeovers.load(Ordering::Relaxed))
    }

    /// Sets the end of the term, which begins now if this process does not lead.
    pub(crate) fn extend(&self, end: Instant) {
        let Some(term) = &self.0 else { return };
        let before = term.end.swap(term.nanoseconds(end), Ordering::AcqRel);
        if before <= term.now() {
            term.takeovers.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Ends the term.
    pub(super) fn end(&self) {
        let Some(term) = &self.0 else { return };
        term.end.store(0, Ordering::Release);
    }

    /// The end of the term, which may be over.
    pub(super) fn until(&self) -> Option<Instant> {
        let term = self.0.as_ref()?;
        let end = term.end.load(Ordering::Acquire);
        (end != 0).then(|| term.start + Duration::from_nanos(end))
    }
}

impl Term {
    fn now(&self) -> u64 {
        self.nanoseconds(Instant::now())
    }

    fn nanoseconds(&self, time: Instant) -> u64 {
        let passed = time.saturating_duration_since(self.start);
        u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Leadership;

    #[test]
    fn without_election_everything_may_be_written() {
        assert!(Leadership::always().may_write());
    }

    #[test]
    fn nothing_may_be_written_before_a_term_nor_after_it() {
        let leadership = Leadership::none();
        assert!(!leadership.may_write());
        leadership.extend(Instant::now() + Duration::from_secs(60));
        assert!(leadership.clone().may_write());
        leadership.end();
        assert!(!leadership.clone().may_write());
    }

    #[test]
    fn a_takeover_is_a_term_that_begins() {
        let leadership = Leadership::none();
        let soon = || Instant::now() + Duration::from_secs(60);
        leadership.extend(soon());
        leadership.extend(soon());
        assert_eq!(leadership.takeovers(), 1);
        leadership.end();
        leadership.extend(soon());
        assert_eq!(leadership.takeovers(), 2);
        assert_eq!(Leadership::always().takeovers(), 0);
    }

    #[test]
    fn a_term_ends_by_the_clock_alone() {
        let leadership = Leadership::none();
        leadership.extend(Instant::now() + Duration::from_secs(60));
        assert!(leadership.may_write());
        leadership.extend(Instant::now() + Duration::from_millis(20));
        std::thread::sleep(Duration::from_millis(30));
        assert!(!leadership.may_write());
    }
}
