//! What runs beside the controllers.

use futures::FutureExt;
use futures::future::BoxFuture;

use super::Manager;
use crate::{Context, Error};

/// Where a task runs.
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
    /// In the replica that leads, while it leads: it may write. It starts when the caches are filled.
    Leader,
    /// In every replica, from the start, while the caches fill. A replica that does not lead cannot write through the
    /// context's client, and of the caches it has those that the manager [reads](Manager::reads).
    EveryReplica,
}

/// What runs beside the controllers.
pub(super) struct Task<S> {
    name: String,
    runs_on: RunsOn,
    start: Start<S>,
}

type Start<S> = Box<dyn FnOnce(Context<S>) -> Doing + Send + Sync>;
type Doing = BoxFuture<'static, Result<(), Error>>;

/// A task that has what it needs.
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
    /// Runs a task beside the controllers. It is told to end by [`Context::stopping`], and is waited for as
    /// running reconciles are. One that ends early ends no more than itself; one that fails ends the manager
    /// with an error that names it.
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
            // Nothing of it happens before it is its turn.
            start: Box::new(move |context| async move { task(context).await }.boxed()),
        });
    }
}
