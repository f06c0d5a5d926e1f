//! What runs beside the controllers.

use std::sync::Arc;

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
pub enum RunsOn {
    /// In the replica that leads, while it leads: it may write. It starts when the caches are filled.
    Leader,
    /// In every replica, from the start. A replica that does not lead cannot write through the context's
    /// client, and its caches are empty: only the leader watches.
    EveryReplica,
}

/// What runs beside the controllers.
pub(super) struct Task<S> {
    pub(super) name: String,
    pub(super) runs_on: RunsOn,
    pub(super) work: Work<S>,
}

type Work<S> = Arc<dyn Fn(Context<S>) -> BoxFuture<'static, Result<(), Error>> + Send + Sync>;

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
            work: Arc::new(move |context| task(context).boxed()),
        });
    }
}
