//! Validating webhooks.

use futures::future::BoxFuture;
use futures::{FutureExt, TryFutureExt};
use serde::de::DeserializeOwned;

use super::admission::{Call, Reading, Unreadable, Verdict};
use super::handler::{Handled, Handler, HandlerContext};
use super::request::Operation;
use super::{Request, Review};
use crate::Error;

type Check<K, S> = Box<dyn Fn(K, Request<S>) -> Reviewing + Send + Sync>;
type Comparison<K, S> = Box<dyn Fn(K, K, Request<S>) -> Reviewing + Send + Sync>;

/// The result of a function.
enum Reviewing {
    Now(Review),
    Later(BoxFuture<'static, Result<Review, Error>>),
}

/// The functions of a validating webhook for each operation. Operations without a function are
/// allowed.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use rop_runtime::webhook::{Request, Review, Validator};
///
/// /// Only rejects changes, so that objects from before a stricter rule can still be updated.
/// fn update(map: &ConfigMap, before: &ConfigMap, _: &Request) -> Review {
///     let mut review = Review::new();
///     if map.data != before.data && before.immutable == Some(true) {
///         review.forbidden("data", "it is immutable");
///     }
///     review
/// }
///
/// let validator: Validator<ConfigMap> = Validator::new().update(update);
/// ```
pub struct Validator<K, S = ()> {
    create: Option<Check<K, S>>,
    update: Option<Comparison<K, S>>,
    delete: Option<Check<K, S>>,
    with_managed_fields: bool,
}

impl<K, S> Default for Validator<K, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, S> Validator<K, S> {
    /// Creates a validator that allows everything.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rop_runtime::webhook::Validator;
    /// let validator: Validator<ConfigMap> = Validator::new();
    /// ```
    pub fn new() -> Self {
        Self {
            create: None,
            update: None,
            delete: None,
            with_managed_fields: false,
        }
    }

    /// Validates the creation of an object.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rop_runtime::webhook::{Request, Review, Validator};
    /// fn create(map: &ConfigMap, _: &Request) -> Review {
    ///     // …
    ///     Review::new()
    /// }
    ///
    /// let validator: Validator<ConfigMap> = Validator::new().create(create);
    /// ```
    #[must_use]
    pub fn create(
        mut self,
        create: impl Fn(&K, &Request<S>) -> Review + Send + Sync + 'static,
    ) -> Self {
        self.create = Some(Box::new(move |object, request| {
            Reviewing::Now(create(&object, &request))
        }));
        self
    }

    /// Like [`create`](Self::create), with an asynchronous function that can read a cache or call
    /// the API server or another system. It only delays its own request, up to the `timeoutSeconds`
    /// of the webhook. An error rejects the request.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use rop_runtime::Error;
    /// use rop_runtime::webhook::{Request, Review, Validator};
    ///
    /// async fn create(map: ConfigMap, request: Request) -> Result<Review, Error> {
    ///     let others = request.cached::<ConfigMap>().await?;
    ///     // …
    ///     Ok(Review::new())
    /// }
    ///
    /// let validator: Validator<ConfigMap> = Validator::new().create_async(create);
    /// ```
    #[must_use]
    pub fn create_async<F>(
        mut self,
        create: impl Fn(K, Request<S>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Review, Error>> + Send + 'static,
    {
        self.create = Some(Box::new(move |object, request| {
            Reviewing::Later(create(object, request).boxed())
        }));
        self
    }

    /// Validates the update of an object. The function gets the new and the old object.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rop_runtime::webhook::{Request, Review, Validator};
    /// fn update(map: &ConfigMap, before: &ConfigMap, _: &Request) -> Review {
    ///     // …
    ///     Review::new()
    /// }
    ///
    /// let validator: Validator<ConfigMap> = Validator::new().update(update);
    /// ```
    #[must_use]
    pub fn update(
        mut self,
        update: impl Fn(&K, &K, &Request<S>) -> Review + Send + Sync + 'static,
    ) -> Self {
        self.update = Some(Box::new(move |object, before, request| {
            Reviewing::Now(update(&object, &before, &request))
        }));
        self
    }

    /// Like [`update`](Self::update), with an asynchronous function that can read a cache or call
    /// the API server or another system. It only delays its own request, up to the `timeoutSeconds`
    /// of the webhook. An error rejects the request.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use rop_runtime::Error;
    /// use rop_runtime::webhook::{Request, Review, Validator};
    ///
    /// async fn update(map: ConfigMap, before: ConfigMap, request: Request) -> Result<Review, Error> {
    ///     let others = request.cached::<ConfigMap>().await?;
    ///     // …
    ///     Ok(Review::new())
    /// }
    ///
    /// let validator: Validator<ConfigMap> = Validator::new().update_async(update);
    /// ```
    #[must_use]
    pub fn update_async<F>(
        mut self,
        update: impl Fn(K, K, Request<S>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Review, Error>> + Send + 'static,
    {
        self.update = Some(Box::new(move |object, before, request| {
            Reviewing::Later(update(object, before, request).boxed())
        }));
        self
    }

    /// Validates the deletion of an object.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rop_runtime::webhook::{Request, Review, Validator};
    /// fn delete(map: &ConfigMap, _: &Request) -> Review {
    ///     // …
    ///     Review::new()
    /// }
    ///
    /// let validator: Validator<ConfigMap> = Validator::new().delete(delete);
    /// ```
    #[must_use]
    pub fn delete(
        mut self,
        delete: impl Fn(&K, &Request<S>) -> Review + Send + Sync + 'static,
    ) -> Self {
        self.delete = Some(Box::new(move |object, request| {
            Reviewing::Now(delete(&object, &request))
        }));
        self
    }

    /// Like [`delete`](Self::delete), with an asynchronous function that can read a cache or call
    /// the API server or another system. It only delays its own request, up to the `timeoutSeconds`
    /// of the webhook. An error rejects the request.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use rop_runtime::Error;
    /// use rop_runtime::webhook::{Request, Review, Validator};
    ///
    /// async fn delete(map: ConfigMap, request: Request) -> Result<Review, Error> {
    ///     let others = request.cached::<ConfigMap>().await?;
    ///     // …
    ///     Ok(Review::new())
    /// }
    ///
    /// let validator: Validator<ConfigMap> = Validator::new().delete_async(delete);
    /// ```
    #[must_use]
    pub fn delete_async<F>(
        mut self,
        delete: impl Fn(K, Request<S>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Review, Error>> + Send + 'static,
    {
        self.delete = Some(Box::new(move |object, request| {
            Reviewing::Later(delete(object, request).boxed())
        }));
        self
    }

    /// Includes `metadata.managedFields` in the objects. By default, they are removed, because they
    /// can be half of an object, and rules rarely need them.
    ///
    /// ```
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use rop_runtime::webhook::Validator;
    /// let validator: Validator<ConfigMap> = Validator::new().with_managed_fields();
    /// ```
    #[must_use]
    pub fn with_managed_fields(mut self) -> Self {
        self.with_managed_fields = true;
        self
    }
}

/// A validating webhook.
pub(super) struct Validating<K, S> {
    given: HandlerContext<S>,
    validator: Validator<K, S>,
}

impl<K, S> Validating<K, S> {
    pub(super) fn new(given: HandlerContext<S>, validator: Validator<K, S>) -> Self {
        Self { given, validator }
    }
}

impl Reviewing {
    fn with_warning(self, warning: String) -> Self {
        let with_warning = move |mut review: Review| {
            review.warn(warning);
            review
        };
        match self {
            Self::Now(review) => Self::Now(with_warning(review)),
            Self::Later(review) => Self::Later(review.map_ok(with_warning).boxed()),
        }
    }
}

impl<K, S> Handler for Validating<K, S>
where
    K: DeserializeOwned,
    S: Send + Sync + 'static,
{
    fn weight(&self, call: &Call<'_>) -> usize {
        call.weight(self.validator.with_managed_fields)
    }

    fn answer(&self, call: &Call<'_>, most: usize) -> Handled {
        let request = self.given.request(call);
        let how = Reading {
            most,
            copies: 1,
            with_managed_fields: self.validator.with_managed_fields,
        };
        let found = match call.operation() {
            Operation::Create => self.created(call, how, request),
            Operation::Update => self.updated(call, how, request),
            Operation::Delete => Ok(self.deleted(call, how, request)),
            Operation::Connect => Ok(Reviewing::Now(Review::new())),
        };
        match found {
            Ok(Reviewing::Now(review)) => Handled::Now(Verdict::Reviewed(review)),
            Ok(Reviewing::Later(review)) => {
                let verdict =
                    review.map_ok_or_else(|error| Verdict::failed(&error), Verdict::Reviewed);
                Handled::Later(verdict.boxed())
            }
            Err(error) => {
                let code = match error {
                    Unreadable::TooLarge(..) => 413,
                    Unreadable::Other(_) => 400,
                };
                let why = format!("cannot read the object: {error}");
                Handled::Now(Verdict::Failed(code, why))
            }
        }
    }
}

impl<K: DeserializeOwned, S> Validating<K, S> {
    fn created(
        &self,
        call: &Call<'_>,
        how: Reading,
        request: Request<S>,
    ) -> Result<Reviewing, Unreadable> {
        match &self.validator.create {
            Some(create) => Ok(create(call.object(how)?, request)),
            None => Ok(Reviewing::Now(Review::new())),
        }
    }

    fn updated(
        &self,
        call: &Call<'_>,
        how: Reading,
        request: Request<S>,
    ) -> Result<Reviewing, Unreadable> {
        let Some(update) = &self.validator.update else {
            return Ok(Reviewing::Now(Review::new()));
        };
        if call.only_finalizes(how) {
            return Ok(Reviewing::Now(Review::new()));
        }
        match call.old_object(how) {
            Ok(before) => Ok(update(call.object(how)?, before, request)),
            // As an error, the object could never be corrected.
            Err(error) => {
                let found = self.created(call, how, request)?;
                Ok(found.with_warning(format!("cannot read the old object: {error}")))
            }
        }
    }

    fn deleted(&self, call: &Call<'_>, how: Reading, request: Request<S>) -> Reviewing {
        let Some(delete) = &self.validator.delete else {
            return Reviewing::Now(Review::new());
        };
        match call.old_object(how) {
            Ok(object) => delete(object, request),
            // As an error, nobody could delete the object.
            Err(error) => {
                let warning =
                    format!("deleted without validation: cannot read the object: {error}");
                Reviewing::Now(Review::new()).with_warning(warning)
            }
        }
    }
}
