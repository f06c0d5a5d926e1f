//! The functions of the user's behind each path.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tracing::warn;

use super::admission::{Call, Reading, Unreadable, Verdict};
use super::conversion::{self, Kind, Kinds};
use super::patch::patch;
use super::request::Operation;
use super::{Request, Review};

/// What answers the calls of a path, whatever its type.
pub(super) trait Handler: Send + Sync {
    /// Answers a call with the objects that fit into this much memory.
    fn answer(&self, call: &Call<'_>, most: usize) -> Verdict;

    /// About how much memory that takes.
    fn weight(&self, call: &Call<'_>) -> usize;
}

/// What answers at which path.
#[derive(Default)]
pub(crate) struct Handlers {
    admission: BTreeMap<String, Arc<dyn Handler>>,
    conversions: Arc<Kinds>,
}

/// What answers at a path.
#[derive(Clone)]
pub(super) enum Route {
    Admission(Arc<dyn Handler>),
    Conversion(Arc<Kinds>),
}

impl Handlers {
    pub(crate) fn is_empty(&self) -> bool {
        self.admission.is_empty() && self.conversions.is_empty()
    }

    pub(super) fn get(&self, path: &str) -> Option<Route> {
        if let Some(handler) = self.admission.get(path) {
            return Some(Route::Admission(Arc::clone(handler)));
        }
        let converts = path == conversion::PATH && !self.conversions.is_empty();
        converts.then(|| Route::Conversion(Arc::clone(&self.conversions)))
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let converts = !self.conversions.is_empty();
        let paths = self.admission.keys().map(String::as_str);
        paths.chain(converts.then_some(conversion::PATH))
    }

    /// The kinds that are converted.
    pub(super) fn conversions(&self) -> &Kinds {
        &self.conversions
    }

    /// Adds a kind that is converted. What is wrong with it is returned.
    pub(super) fn convert(&mut self, kind: Kind) -> Option<String> {
        if self.admission.contains_key(conversion::PATH) {
            return Some(taken(conversion::PATH));
        }
        Arc::make_mut(&mut self.conversions).add(kind)
    }

    /// Adds one. What is wrong with its path is returned.
    pub(super) fn add(&mut self, path: &str, handler: impl Handler + 'static) -> Option<String> {
        let is_part = |part: &str| {
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            !part.is_empty() && part.chars().all(is_allowed)
        };
        let parts = path.strip_prefix('/').map(|rest| rest.split('/'));
        if path != "/" && !parts.is_some_and(|mut parts| parts.all(is_part)) {
            return Some(format!(
                "the path `{path}` of a webhook must start with `/`, and its parts may have letters, digits, `-` and `_`"
            ));
        }
        if self.get(path).is_some() {
            return Some(taken(path));
        }
        self.admission.insert(path.to_owned(), Arc::new(handler));
        None
    }
}

fn taken(path: &str) -> String {
    format!("two webhooks have the path `{path}`")
}

/// A defaulting webhook: the patch that its function makes of an object.
struct Defaulting<F>(F);

/// What a patch is made of: the object as it came, as its type wrote it before and after, and as it will be.
const COPIES: usize = 4;

/// The handler of a function that sets what is missing.
pub(super) fn defaulting<K, S>(
    state: Arc<S>,
    default: impl Fn(&mut K, &Request<S>) + Send + Sync + 'static,
) -> impl Handler
where
    K: Serialize + DeserializeOwned + 'static,
    S: Send + Sync + 'static,
{
    Defaulting(move |call: &Call<'_>, most| {
        let how = Reading {
            most,
            copies: COPIES,
            with_managed_fields: false,
        };
        let mut object: K = call.object(how)?;
        let before = serde_json::to_value(&object)?;
        default(&mut object, &request(call, &state));
        let after = serde_json::to_value(&object)?;
        drop(object);
        if before == after {
            return Ok(None);
        }
        Ok(patch(&call.object(how)?, &before, &after))
    })
}

impl<F> Handler for Defaulting<F>
where
    F: Fn(&Call<'_>, usize) -> Result<Option<Value>, Unreadable> + Send + Sync,
{
    fn weight(&self, call: &Call<'_>) -> usize {
        call.weight(false) * COPIES
    }

    fn answer(&self, call: &Call<'_>, most: usize) -> Verdict {
        let allowed = || Verdict::Reviewed(Review::new());
        if matches!(call.operation(), Operation::Delete | Operation::Connect) {
            return allowed();
        }
        match (self.0)(call, most) {
            Ok(patch) => patch.map_or_else(allowed, Verdict::Patched),
            // Its author chose its size, and could do without what the function sets.
            Err(error @ Unreadable::TooLarge(..)) => {
                Verdict::Failed(413, format!("cannot read the object: {error}"))
            }
            Err(error) => {
                // What the schema refuses has a better message there.
                warn!(%error, "cannot read an object, and leaves it as it is: {}", call.described());
                allowed()
            }
        }
    }
}

type Check<K, S> = Box<dyn Fn(&K, &Request<S>) -> Review + Send + Sync>;
type Comparison<K, S> = Box<dyn Fn(&K, &K, &Request<S>) -> Review + Send + Sync>;

/// What a validating webhook asks of each operation. What it has no function for is allowed.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use rop_runtime::webhook::{Request, Review, Validator};
///
/// /// What changed is judged, and not what was there before the rules were stricter.
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
    /// Allows everything.
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

    /// Asks this of an object that is created.
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
        self.create = Some(Box::new(create));
        self
    }

    /// Asks this of an object that is changed, and of what it was before.
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
        self.update = Some(Box::new(update));
        self
    }

    /// Asks this of an object that is deleted.
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
        self.delete = Some(Box::new(delete));
        self
    }

    /// Gives the functions objects with `metadata.managedFields`. Without this they have none: these fields may be half
    /// of an object and more, and nearly no rule is about them.
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
    state: Arc<S>,
    validator: Validator<K, S>,
}

impl<K, S> Validating<K, S> {
    pub(super) fn new(state: Arc<S>, validator: Validator<K, S>) -> Self {
        Self { state, validator }
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

    fn answer(&self, call: &Call<'_>, most: usize) -> Verdict {
        let request = request(call, &self.state);
        let how = Reading {
            most,
            copies: 1,
            with_managed_fields: self.validator.with_managed_fields,
        };
        let review = match call.operation() {
            Operation::Create => self.created(call, how, &request),
            Operation::Update => self.updated(call, how, &request),
            Operation::Delete => Ok(self.deleted(call, how, &request)),
            Operation::Connect => Ok(Review::new()),
        };
        match review {
            Ok(review) => Verdict::Reviewed(review),
            Err(error) => {
                let code = match error {
                    Unreadable::TooLarge(..) => 413,
                    Unreadable::Other(_) => 400,
                };
                Verdict::Failed(code, format!("cannot read the object: {error}"))
            }
        }
    }
}

impl<K: DeserializeOwned, S> Validating<K, S> {
    fn created(
        &self,
        call: &Call<'_>,
        how: Reading,
        request: &Request<S>,
    ) -> Result<Review, Unreadable> {
        match &self.validator.create {
            Some(create) => Ok(create(&call.object(how)?, request)),
            None => Ok(Review::new()),
        }
    }

    fn updated(
        &self,
        call: &Call<'_>,
        how: Reading,
        request: &Request<S>,
    ) -> Result<Review, Unreadable> {
        let Some(update) = &self.validator.update else {
            return Ok(Review::new());
        };
        if call.only_finalizes(how) {
            return Ok(Review::new());
        }
        match call.old_object(how) {
            Ok(before) => Ok(update(&call.object(how)?, &before, request)),
            // If that were an error, the object could never be corrected.
            Err(error) => {
                let mut review = self.created(call, how, request)?;
                review.warn(format!("cannot read the object as it was: {error}"));
                Ok(review)
            }
        }
    }

    fn deleted(&self, call: &Call<'_>, how: Reading, request: &Request<S>) -> Review {
        let Some(delete) = &self.validator.delete else {
            return Review::new();
        };
        match call.old_object(how) {
            Ok(object) => delete(&object, request),
            // Nobody could delete it if that were an error.
            Err(error) => {
                let mut review = Review::new();
                review.warn(format!(
                    "deleted without a look at it: cannot read it: {error}"
                ));
                review
            }
        }
    }
}

fn request<S>(call: &Call<'_>, state: &Arc<S>) -> Request<S> {
    Request {
        about: call.about(),
        state: Arc::clone(state),
    }
}
