//! Spawns all tasks, so that a simulation can stop and kill the tasks of a process.

use hyper::rt;
use tokio::task::{AbortHandle, JoinHandle, JoinSet};

#[cfg(any(test, feature = "testing"))]
use crate::simulation::process::{track, within};

/// Starts a task.
pub(crate) fn spawn<F>(work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    #[expect(clippy::disallowed_methods, reason = "the one place")]
    let task = tokio::spawn(within(work));
    track(|| task.abort_handle());
    task
}

/// Starts a task in a set.
pub(crate) fn spawn_on<F>(tasks: &mut JoinSet<F::Output>, work: F) -> AbortHandle
where
    F: Future<Output: Send> + Send + 'static,
{
    #[expect(clippy::disallowed_methods, reason = "the one place")]
    let task = tasks.spawn(within(work));
    track(|| task.clone());
    task
}

/// Runs blocking work on its own thread.
#[cfg(feature = "webhook")]
pub(crate) fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    #[expect(clippy::disallowed_methods, reason = "the one place")]
    tokio::task::spawn_blocking(work)
}

/// Starts the tasks of hyper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Executor;

impl<F> rt::Executor<F> for Executor
where
    F: Future<Output: Send> + Send + 'static,
{
    fn execute(&self, work: F) {
        spawn(work);
    }
}

#[cfg(not(any(test, feature = "testing")))]
fn within<F>(work: F) -> F {
    work
}

#[cfg(not(any(test, feature = "testing")))]
fn track(_: impl FnOnce() -> AbortHandle) {}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::{fs, io};

    /// Calls `look` with each Rust file in a folder.
    fn each(folder: &Path, look: &mut dyn FnMut(&Path, &str)) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                each(&path, look)?;
            } else {
                look(&path, &fs::read_to_string(&path)?);
            }
        }
        Ok(())
    }

    /// Without `biased`, tokio draws the order from a generator that no seed sets.
    #[test]
    fn every_select_has_an_order() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut found = 0;
        each(&folder, &mut |path, text| {
            for (place, _) in text.match_indices("tokio::select! {\n") {
                let (before, rest) = text.split_at(place);
                if before
                    .lines()
                    .last()
                    .is_some_and(|line| line.contains("///"))
                {
                    continue;
                }
                found += 1;
                let mut rest = rest.lines().skip(1).map(str::trim);
                let first = rest.find(|line| !line.starts_with("//"));
                assert_eq!(first, Some("biased;"), "{}", path.display());
            }
        })
        .unwrap();
        assert!(found > 8, "{found}");
    }
}
