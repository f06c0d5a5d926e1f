//! The replicas of the operator, which are restarted when they exit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fastrand::Rng;
use futures::future::BoxFuture;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::fault::Fault;
use super::network::Dial;
use super::process::{Process, Skew, outside};
use super::world::World;
use crate::ManagerError;

/// The time that Kubernetes gives a process to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(30);

/// The invariant of processes.
pub(super) const STAYS_ALIVE: &str = "the process stays alive";

/// Runs the program of a replica.
pub(super) type Launch = Arc<
    dyn Fn(Dial, CancellationToken) -> BoxFuture<'static, Result<(), ManagerError>> + Send + Sync,
>;

/// The replicas. Clones share them.
#[derive(Clone)]
pub(super) struct Crew {
    world: World,
    launch: Launch,
    /// The number of the first replica.
    first: usize,
    /// The clocks of all replicas, unless they are random.
    clock: Option<Skew>,
    replicas: Arc<Mutex<Vec<Replica>>>,
}

/// A running replica.
#[derive(Clone)]
struct Replica {
    process: Process,
    shutdown: CancellationToken,
    /// Whether it is restarted when it ends.
    is_kept: bool,
}

impl Crew {
    pub(super) fn new(world: World, launch: Launch) -> Self {
        Self {
            world,
            launch,
            first: 0,
            clock: None,
            replicas: Arc::default(),
        }
    }

    /// Replicas whose clocks are right.
    pub(super) fn calm(world: World, launch: Launch) -> Self {
        Self {
            clock: Some(Skew::default()),
            ..Self::new(world, launch)
        }
    }

    /// Starts another replica.
    pub(super) fn add(&self) {
        let number = self.lock().len();
        let mut rng = self
            .world
            .plan()
            .rng(&format!("replica {}", self.first + number));
        let replica = self.replica(number, 0, &mut rng);
        self.lock().push(replica.clone());
        let crew = self.clone();
        outside(async move { crew.keep(number, replica, rng).await });
    }

    /// The running processes.
    pub(super) fn processes(&self) -> Vec<Process> {
        let replicas = self.lock();
        let alive = replicas.iter().filter(|replica| !replica.process.is_dead());
        alive.map(|replica| replica.process.clone()).collect()
    }

    /// The current process of each replica, even if it has just ended.
    pub(super) fn everyone(&self) -> Vec<Process> {
        self.lock()
            .iter()
            .map(|replica| replica.process.clone())
            .collect()
    }

    /// New replicas of the same program, none of which is started yet. They must not find work that was not yet due for
    /// the replicas that reconcile, or that was too late for them: they use the earliest of the clocks of these, which
    /// first stands still for the time `still`.
    pub(super) fn successor(&self, still: Duration) -> Self {
        let everyone = self.everyone();
        let earliest = |is_counted: fn(&&Process) -> bool| {
            let counted = everyone.iter().filter(is_counted);
            counted.map(Process::least_ahead).reduce(f64::min)
        };
        let ahead = earliest(|process| process.reconciles() > 0);
        let clock = Skew {
            ahead: ahead.or_else(|| earliest(|_| true)).unwrap_or_default(),
            fast: 0.0,
            stands: still.as_secs_f64(),
        };
        Self {
            first: everyone.len(),
            clock: Some(clock),
            ..Self::new(self.world.clone(), Arc::clone(&self.launch))
        }
    }

    /// Terminates a replica, and kills it if it takes too long.
    pub(super) fn terminate(&self, number: usize) {
        let Some(replica) = self.lock().get(number).cloned() else {
            return;
        };
        replica.shutdown.cancel();
        outside(async move {
            sleep(GRACE).await;
            replica.process.kill();
        });
    }

    /// Kills all replicas for good.
    pub(super) fn dismiss(&self) {
        for replica in &mut *self.lock() {
            replica.is_kept = false;
            replica.process.kill();
        }
    }

    /// Runs a replica, and restarts it when it ends.
    async fn keep(self, number: usize, mut replica: Replica, mut rng: Rng) {
        let mut starts = 0;
        loop {
            let world = &self.world;
            let process = replica.process.clone();
            let dial = Dial {
                world: world.clone(),
                process: process.clone(),
            };
            world.joined(&process);
            world.note(process.name(), "start", None, "");
            let program = (self.launch)(dial, replica.shutdown.clone());
            #[expect(clippy::disallowed_methods, reason = "it is the process")]
            let task = tokio::spawn(process.run(program));
            process.own(task.abort_handle());
            let ended = task.await;
            // The system ends the other tasks of a process with its main task.
            process.kill();
            match ended {
                Ok(Ok(())) => world.note(process.name(), "exit", None, "as requested"),
                Ok(Err(error @ (ManagerError::Lost(_) | ManagerError::Shutdown))) => {
                    world.note(process.name(), "exit", None, &error.to_string());
                }
                Ok(Err(error)) => {
                    let message = format!("{} ended: {error}", process.name());
                    world.broken(STAYS_ALIVE, None, message);
                }
                Err(error) if error.is_panic() => {
                    let message = format!("{} panicked", process.name());
                    world.broken(STAYS_ALIVE, None, message);
                }
                Err(_) => world.note(process.name(), "killed", None, ""),
            }
            world.count_reconciles(process.reconciles());
            sleep(Duration::from_secs_f64(0.3 + 4.0 * rng.f64())).await;
            starts += 1;
            let next = self.replica(number, starts, &mut rng);
            let mut replicas = self.lock();
            if !replicas[number].is_kept {
                return;
            }
            replicas[number] = next.clone();
            replica = next;
        }
    }

    fn replica(&self, number: usize, starts: u32, rng: &mut Rng) -> Replica {
        let rate = self.world.plan().rate(Fault::Skew);
        // Up to half an hour of difference, and up to three seconds of drift per minute.
        let drawn = Skew {
            ahead: (rng.f64() - 0.5) * 3600.0 * rate,
            fast: (rng.f64() - 0.5) * 0.1 * rate,
            stands: 0.0,
        };
        let skew = self.clock.unwrap_or(drawn);
        let letter = u8::try_from((self.first + number) % 26).unwrap_or_default();
        let letter = char::from(b'a' + letter);
        Replica {
            process: Process::new(format!("replica-{letter}{starts}"), skew),
            shutdown: CancellationToken::new(),
            is_kept: true,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Replica>> {
        self.replicas.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
