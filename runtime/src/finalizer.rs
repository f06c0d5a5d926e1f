//! Cleanup before an object goes. The API server keeps a deleted object for as long as it has
//! finalizers: ours is there before the first reconcile, and taken off when the cleanup is done.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Api;
use kube::runtime::controller::Action;
use kube::runtime::finalizer::{self, Error as FinalizerError, Event};
use serde::Serialize;

use super::{Builder, Context, Error, Primary, Reach};

/// A reconcile or a cleanup of one object.
type Work = BoxFuture<'static, Result<Action, Error>>;

impl<'a, K, R, F> Builder<'a, K, R>
where
    K: Primary + Serialize,
    R: Fn(Arc<K>, Arc<Context>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<Action, Error>> + Send + 'static,
{
    /// Has `cleanup` called, and no reconcile any more, for an object that is being deleted. The
    /// object stays until that is done. `name` is the finalizer, which must be this controller's own.
    ///
    /// A cleanup that asks to be called again, with [`Action::requeue`], is not done. It must also
    /// work where no reconcile has succeeded, and where it was done before.
    pub fn finalizer<C, G>(
        self,
        name: &'static str,
        cleanup: C,
    ) -> Builder<'a, K, impl Fn(Arc<K>, Arc<Context>) -> Work + Clone + Send + Sync + 'static>
    where
        C: Fn(Arc<K>, Arc<Context>) -> G + Clone + Send + Sync + 'static,
        G: Future<Output = Result<Action, Error>> + Send + 'static,
    {
        let reconcile = self.reconcile;
        Builder {
            manager: self.manager,
            reconcile: move |object, context| {
                run(name, object, context, reconcile.clone(), cleanup.clone()).boxed()
            },
            settings: self.settings,
            additions: self.additions,
        }
    }
}

/// Why a finalizer stays.
#[derive(Debug, thiserror::Error)]
enum Unfinished {
    #[error("the cleanup is under way")]
    Waiting(Action),
    #[error(transparent)]
    Failed(#[from] Error),
}

async fn run<K, F, G>(
    name: &str,
    object: Arc<K>,
    context: Arc<Context>,
    reconcile: impl FnOnce(Arc<K>, Arc<Context>) -> F,
    cleanup: impl FnOnce(Arc<K>, Arc<Context>) -> G,
) -> Result<Action, Error>
where
    K: Primary + Serialize,
    F: Future<Output = Result<Action, Error>>,
    G: Future<Output = Result<Action, Error>>,
{
    let namespace = object.meta().namespace.clone();
    let api: Api<K> = K::Scope::api(context.client.clone(), namespace.as_deref());
    let work = |event| async move {
        match event {
            Event::Apply(object) => Ok(reconcile(object, context).await?),
            // kube takes the finalizer off after whatever is no error.
            Event::Cleanup(object) => match cleanup(object, context).await? {
                action if action == Action::await_change() => Ok(action),
                action => Err(Unfinished::Waiting(action)),
            },
        }
    };
    match finalizer::finalizer(&api, name, object, work).await {
        Ok(action) => Ok(action),
        Err(FinalizerError::ApplyFailed(why) | FinalizerError::CleanupFailed(why)) => match why {
            Unfinished::Waiting(action) => Ok(action),
            Unfinished::Failed(error) => Err(error),
        },
        Err(FinalizerError::AddFinalizer(error) | FinalizerError::RemoveFinalizer(error)) => {
            not_patched(error)
        }
        Err(error) => Err(Error::terminal("InvalidFinalizer", error.to_string())),
    }
}

/// What became of an object whose finalizers could not be patched.
fn not_patched(error: kube::Error) -> Result<Action, Error> {
    match &error {
        kube::Error::Api(answer) => match answer.code {
            // It is gone already.
            404 => Ok(Action::await_change()),
            // Its finalizers are no longer those that we saw: the patch tests them first, and the API
            // server calls it invalid where they differ.
            409 | 422 => Err(Error::transient(error)),
            _ => Err(error.into()),
        },
        _ => Err(error.into()),
    }
}

#[cfg(test)]
mod tests;
