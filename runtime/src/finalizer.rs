//! Runs the cleanup before an object is deleted. The API server keeps a deleted object while it has
//! finalizers: ours is added before the first reconcile and removed after the cleanup.

use std::sync::Arc;
use std::time::Duration;

use kube::Api;
use kube::runtime::controller::Action as KubeAction;
use kube::runtime::finalizer::{self, Error as FinalizerError, Event};
use serde::Serialize;

use crate::informer::Raw;
use crate::kinds::Reconciled;
use crate::{Action, Cleanup, Context, Error};

/// Interval of a waiting cleanup, if no event reports that a child was deleted.
const AGAIN: Duration = Duration::from_secs(10);

/// The reason why the finalizer is kept.
#[derive(Debug, thiserror::Error)]
enum Unfinished {
    #[error("cleanup is in progress")]
    Waiting(Duration),
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Adds the finalizer and reconciles, or cleans up and removes it.
pub(crate) async fn run<S, K, F, G>(
    name: &str,
    object: Arc<K>,
    context: Context<S>,
    reconcile: impl FnOnce(Arc<K>, Context<S>) -> F,
    cleanup: impl FnOnce(Arc<K>, Context<S>) -> G,
) -> Result<Action, Error>
where
    K: Serialize + Reconciled,
    F: Future<Output = Result<Action, Error>>,
    G: Future<Output = Result<Cleanup, Error>>,
{
    let namespace = object.meta().namespace.clone();
    // Untyped, because kube cannot parse a response that is nested too deeply.
    let kind = context.core.kind_of(&*object)?;
    let api: Api<Raw> = kind.api(context.client.clone(), namespace.as_deref());
    let held = Arc::new(Raw::of(object.meta().clone()));
    let mut result = Action::await_change();
    let answer = &mut result;
    let work = |event| async move {
        match event {
            Event::Apply(_) => *answer = reconcile(object, context).await?,
            // kube removes the finalizer after every result that is not an error.
            Event::Cleanup(_) => match cleanup(object, context).await? {
                Cleanup::Done => {}
                Cleanup::Wait => return Err(Unfinished::Waiting(AGAIN)),
                Cleanup::WaitFor(time) => return Err(Unfinished::Waiting(time)),
            },
        }
        Ok(KubeAction::await_change())
    };
    match finalizer::finalizer(&api, name, held, work).await {
        Ok(_) => Ok(result),
        Err(FinalizerError::ApplyFailed(why) | FinalizerError::CleanupFailed(why)) => match why {
            Unfinished::Waiting(time) => Ok(Action::requeue(time)),
            Unfinished::Failed(error) => Err(error),
        },
        Err(FinalizerError::AddFinalizer(error) | FinalizerError::RemoveFinalizer(error)) => {
            not_patched(error)
        }
        Err(error) => Err(Error::terminal("InvalidFinalizer", error.to_string())),
    }
}

/// Handles an error when patching the finalizers.
fn not_patched(error: kube::Error) -> Result<Action, Error> {
    match &error {
        kube::Error::Api(answer) => match answer.code {
            // The object was already deleted.
            404 => Ok(Action::await_change()),
            // The finalizers have changed: the patch tests them first, and the API server returns
            // an error.
            409 | 422 => Err(Error::transient(error)),
            _ => Err(error.into()),
        },
        _ => Err(error.into()),
    }
}

#[cfg(test)]
mod tests;
