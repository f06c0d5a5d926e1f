//! Work on two threads at once.

use std::panic::resume_unwind;
use std::thread::{self, Builder};

/// Starts work on a second thread. If no thread can start, the caller does the work when it needs the result.
pub(crate) fn ahead(work: impl FnOnce() + Send + 'static) {
    let _ = Builder::new().spawn(work);
}

/// Does two things beside each other, or one after the other on a system without another thread.
pub(crate) fn both<A: Send, B>(other: impl Fn() -> A + Sync, this: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let started = Builder::new().spawn_scoped(scope, &other);
        let this = this();
        let other = match started {
            Ok(thread) => thread.join().unwrap_or_else(|it| resume_unwind(it)),
            Err(_) => other(),
        };
        (other, this)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done() {
        assert_eq!(both(|| 1, || 2), (1, 2));
    }

    #[test]
    #[should_panic(expected = "other")]
    fn a_panic_is_one() {
        both(|| panic!("other"), || ());
    }
}
