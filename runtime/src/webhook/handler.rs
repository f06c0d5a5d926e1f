//! The user's function for each path.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::Request;
use super::admission::{Call, Verdict};
use super::conversion::{self, Kind, Kinds};
use super::view::View;

/// What answers the calls of a path, whatever its type.
pub(super) trait Handler: Send + Sync {
    /// Answers a call with the objects that fit into this much memory.
    fn answer(&self, call: &Call<'_>, most: usize) -> Outcome;

    /// About how much memory that takes.
    fn weight(&self, call: &Call<'_>) -> usize;
}

/// What a handler makes of a call.
pub(super) enum Outcome {
    Now(Verdict),
    /// An asynchronous handler, which does not block others.
    Later(BoxFuture<'static, Verdict>),
}

/// What every function of a manager's webhooks gets beside the object.
pub(super) struct Given<S> {
    pub(super) state: Arc<S>,
    pub(super) view: View,
}

impl<S> Given<S> {
    pub(super) fn request(&self, call: &Call<'_>) -> Request<S> {
        Request {
            about: call.about(),
            state: Arc::clone(&self.state),
            view: self.view.clone(),
        }
    }
}

/// What answers at which path.
#[derive(Default)]
pub(crate) struct Handlers {
    admission: BTreeMap<String, Arc<dyn Handler>>,
    conversions: Arc<Kinds>,
    pub(crate) view: View,
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
                "invalid webhook path `{path}`: it must start with `/`, with segments of letters, digits, `-` and `_`"
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
