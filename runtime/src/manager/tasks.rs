//! Tasks that run next to the controllers.

use futures::FutureExt;
use futures::future::BoxFuture;

use super::Manager;
use crate::{Context, Error};

/// The replicas in which a task runs.
///
/// ```no_run
/// # use rop_runtime::{Context, Error, Manager};
/// use rop_runtime::RunsOn;
///
/// async fn listen(context: Context) -> Result<(), Error> {
///     // …
///     context.stopping().await;
///     Ok(())
/// }
///
/// # fn register(manager: &mut Manager<()>) {
/// manager.task("listen", RunsOn::EveryReplica, listen);
/// # }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum RunsOn {
    /// In the leader, while it is the leader and can write. The task starts after the caches have
    /// synced.
    Leader,
    /// In every replica, from the start, before the caches have synced. If the replica is not the
    /// leader, the task cannot write with the client of the context, and only has the caches that
    /// the manager [reads](Manager::reads).
    EveryReplica,
}

/// Tasks that run next to the controllers.
pub(super) struct Task<S> {
    name: String,
    runs_on: RunsOn,
    start: Start<S>,
}

type Start<S> = Box<dyn FnOnce(Context<S>) -> Doing + Send + Sync>;
type Doing = BoxFuture<'static, Result<(), Error>>;

/// A task with its context.
pub(super) struct Work {
    pub(super) name: String,
    pub(super) runs_on: RunsOn,
    pub(super) work: Doing,
}

impl<S> Task<S> {
    pub(super) fn work(self, context: Context<S>) -> Work {
        Work {
            name: self.name,
            runs_on: self.runs_on,
            work: (self.start)(context),
        }
    }
}

impl<S: Send + Sync + 'static> Manager<S> {
    /// Runs a task next to the controllers. [`Context::stopping`] tells it to end, and the shutdown
    /// waits for it as for running reconciles. A task can end early. If it fails, the manager stops
    /// with an error that names the task.
    ///
    /// ```no_run
    /// # use rop_runtime::{Context, Error, Manager, RunsOn};
    /// use std::time::Duration;
    ///
    /// async fn expire(context: Context) -> Result<(), Error> {
    ///     let mut hourly = tokio::time::interval(Duration::from_secs(3600));
    ///     loop {
    ///         tokio::select! {
    ///             () = context.stopping() => return Ok(()),
    ///             _ = hourly.tick() => {}
    ///         }
    ///         // …
    ///     }
    /// }
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// manager.task("expire", RunsOn::Leader, expire);
    /// # }
    /// ```
    pub fn task<T, F>(&mut self, name: impl Into<String>, runs_on: RunsOn, task: T)
    where
        T: Fn(Context<S>) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        self.tasks.push(Task {
            name: name.into(),
            runs_on,
            // Does not run anything before the task starts.
            start: Box::new(move |context| async move { task(context).await }.boxed()),
        });
    }
}
