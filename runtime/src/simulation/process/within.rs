//! A task of a process: it is only polled while the process runs, and dies with it.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::task::AbortHandle;

use super::blocked::Polling;
use super::{CURRENT, Process};

/// A task of a process.
pub(crate) struct Within<F> {
    pub(super) process: Option<Process>,
    pub(super) work: Pin<Box<F>>,
}

impl<F: Future> Future for Within<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Some(process) = self.process.clone() else {
            return self.work.as_mut().poll(context);
        };
        process.count_poll();
        if process.poll_runs(context).is_pending() {
            return Poll::Pending;
        }
        let _entered = Entered::into(process);
        self.work.as_mut().poll(context)
    }
}

/// Restores the previously polled process, even after a panic.
struct Entered {
    before: Option<Process>,
    _polling: Option<Polling>,
}

impl Entered {
    fn into(process: Process) -> Self {
        let is_outermost = CURRENT.with_borrow(Option::is_none);
        Self {
            _polling: is_outermost.then(|| Polling::of(process.clone())),
            before: CURRENT.replace(Some(process)),
        }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.before.take());
    }
}

/// Starts a task outside of all processes.
pub(in crate::simulation) fn outside(
    work: impl Future<Output = ()> + Send + 'static,
) -> AbortHandle {
    #[expect(clippy::disallowed_methods, reason = "it is not of the operator")]
    tokio::spawn(work).abort_handle()
}

/// Runs `work` as a part of the process that is being polled, if there is one.
pub(crate) fn within<F: Future>(work: F) -> Within<F> {
    Within {
        process: Process::current(),
        work: Box::pin(work),
    }
}

/// Aborts a task when the process that is being polled is killed, if there is one.
pub(crate) fn track(task: impl FnOnce() -> AbortHandle) {
    if let Some(process) = Process::current() {
        process.own(task());
    }
}
