//! Polls that keep their thread: in a simulation no time passes while the operator computes or blocks, so a clock of the
//! real world looks at it from a thread of its own.

use std::io::{Write, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::Duration;
use std::{process, thread};

use super::Process;

/// How often all threads are looked at. A computer that is suspended does not look.
const LOOK: Duration = Duration::from_secs(1);

/// The number of looks that see the same poll until the process counts as blocked: a busy computer may not run a thread
/// for seconds.
const LONG: u32 = 10;

/// The number of looks after which the poll most likely never ends.
const ENDLESS: u32 = 30;

/// Threads that poll processes, and that the watch does not know yet.
static NEW: Mutex<Vec<Weak<Thread>>> = Mutex::new(Vec::new());

static WATCH: Once = Once::new();

thread_local! {
    static THIS: Arc<Thread> = Thread::watched();
}

/// A thread that polls processes.
#[derive(Default)]
struct Thread {
    /// The number of its polls that have begun or ended: odd while it polls.
    polls: AtomicU64,
    polled: Mutex<Option<Process>>,
}

/// Ends a poll when it is dropped.
pub(super) struct Polling(());

impl Polling {
    /// Begins a poll of a process.
    pub(super) fn of(process: Process) -> Self {
        THIS.with(|this| {
            *lock(&this.polled) = Some(process);
            this.polls.fetch_add(1, Ordering::Release);
        });
        Self(())
    }
}

impl Drop for Polling {
    fn drop(&mut self) {
        THIS.with(|this| {
            this.polls.fetch_add(1, Ordering::Release);
            *lock(&this.polled) = None;
        });
    }
}

impl Thread {
    fn watched() -> Arc<Self> {
        let this = Arc::<Self>::default();
        lock(&NEW).push(Arc::downgrade(&this));
        WATCH.call_once(|| drop(thread::spawn(watch)));
        this
    }
}

/// Looks at all threads for ever.
fn watch() {
    let mut seen: Vec<(Weak<Thread>, u64, u32)> = Vec::new();
    loop {
        #[expect(
            clippy::disallowed_methods,
            reason = "it is the time of the real world"
        )]
        thread::sleep(LOOK);
        seen.retain(|(thread, ..)| thread.strong_count() > 0);
        let new = lock(&NEW).drain(..).collect::<Vec<_>>();
        seen.extend(new.into_iter().map(|thread| (thread, 0, 0)));
        for (thread, polls, looks) in &mut seen {
            let Some(thread) = thread.upgrade() else {
                continue;
            };
            let now = thread.polls.load(Ordering::Acquire);
            let is_same = now == *polls && now % 2 == 1;
            *looks = if is_same { *looks + 1 } else { 0 };
            *polls = now;
            if let Some(process) = lock(&thread.polled).clone().filter(|_| *looks >= LONG) {
                process.keeps_thread(*looks);
            }
        }
    }
}

impl Process {
    /// Its poll was seen in so many looks.
    fn keeps_thread(&self, looks: u32) {
        let what = self.doing();
        if looks >= ENDLESS {
            let name = self.name();
            let line =
                format!("the simulation ends: {name} keeps its thread for {ENDLESS} s {what}\n");
            let _ = stderr().write_all(line.as_bytes());
            // Nothing else ends the poll.
            process::exit(1);
        }
        self.lock().blocked.get_or_insert(what);
    }

    /// What it did while it kept its thread.
    pub(in crate::simulation) fn blocked(&self) -> Option<String> {
        self.lock().blocked.clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
