//! Defaulting webhooks: compute a patch from a function that changes the object.

use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tracing::warn;

use super::admission::{Call, Reading, Unreadable, Verdict};
use super::handler::{Handled, Handler, HandlerContext};
use super::patch::patch;
use super::request::Operation;
use super::{Request, Review};
use crate::Error;

/// The copies for a patch: the original object, the serialized type before and after, and the result.
const COPIES: usize = 4;

/// A defaulting webhook.
pub(super) struct Defaulting<K, S> {
    given: HandlerContext<S>,
    default: Box<dyn Fn(K, Request<S>) -> Defaulted<K> + Send + Sync>,
}

/// An object after defaulting.
enum Defaulted<K> {
    Now(K),
    Later(BoxFuture<'static, Result<K, Error>>),
}

impl<K, S> Defaulting<K, S> {
    /// A webhook with a synchronous function.
    pub(super) fn new(
        given: HandlerContext<S>,
        default: impl Fn(&mut K, &Request<S>) + Send + Sync + 'static,
    ) -> Self {
        let default = Box::new(move |mut object, request| {
            default(&mut object, &request);
            Defaulted::Now(object)
        });
        Self { given, default }
    }

    /// A webhook with an asynchronous function.
    pub(super) fn waiting<F>(
        given: HandlerContext<S>,
        default: impl Fn(K, Request<S>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<K, Error>> + Send + 'static,
    {
        let default =
            Box::new(move |object, request| Defaulted::Later(default(object, request).boxed()));
        Self { given, default }
    }
}

impl<K, S> Defaulting<K, S>
where
    K: Serialize + DeserializeOwned + Send + 'static,
{
    fn defaulted(&self, call: &Call<'_>, most: usize) -> Result<Handled, Unreadable> {
        let how = Reading {
            most,
            copies: COPIES,
            with_managed_fields: false,
        };
        let object: K = call.object(how)?;
        let before = serde_json::to_value(&object)?;
        Ok(match (self.default)(object, self.given.request(call)) {
            Defaulted::Now(object) => {
                let after = changed(object, &before)?;
                let patch =
                    after.map(|after| call.object(how).map(|whole| patch(&whole, &before, &after)));
                Handled::Now(verdict(patch.transpose()?.flatten()))
            }
            Defaulted::Later(object) => {
                let whole: Value = call.object(how)?;
                let done = object.and_then(async move |object| {
                    let after = changed(object, &before).map_err(Error::transient)?;
                    Ok(verdict(
                        after.and_then(|after| patch(&whole, &before, &after)),
                    ))
                });
                Handled::Later(done.unwrap_or_else(|error| Verdict::failed(&error)).boxed())
            }
        })
    }
}

/// The serialized object, if it differs from the one before.
fn changed<K: Serialize>(object: K, before: &Value) -> serde_json::Result<Option<Value>> {
    let after = serde_json::to_value(&object)?;
    Ok(Some(after).filter(|after| after != before))
}

fn verdict(patch: Option<Value>) -> Verdict {
    patch.map_or_else(allowed, Verdict::Patched)
}

fn allowed() -> Verdict {
    Verdict::Reviewed(Review::new())
}

impl<K, S> Handler for Defaulting<K, S>
where
    K: Serialize + DeserializeOwned + Send + 'static,
    S: Send + Sync + 'static,
{
    fn weight(&self, call: &Call<'_>) -> usize {
        call.weight(false) * COPIES
    }

    fn answer(&self, call: &Call<'_>, most: usize) -> Handled {
        if matches!(call.operation(), Operation::Delete | Operation::Connect) {
            return Handled::Now(allowed());
        }
        self.defaulted(call, most).unwrap_or_else(|error| {
            Handled::Now(match error {
                // The author of the object chose its size, and can do without defaults.
                Unreadable::TooLarge(..) => {
                    Verdict::Failed(413, format!("cannot read the object: {error}"))
                }
                Unreadable::Other(_) => {
                    // The API server has a better message for an object that violates the schema.
                    warn!(%error, "cannot read an object, so it is not defaulted: {}", call.described());
                    allowed()
                }
            })
        })
    }
}
