//! The user's functions by path.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::Request;
use super::admission::{Call, Verdict};
use super::conversion::{self, Kind, Kinds};
use super::view::View;

/// Handles the calls of a path, whatever the type of its objects.
pub(super) trait Handler: Send + Sync {
    /// Handles a call, whose objects may take this much memory.
    fn answer(&self, call: &Call<'_>, most: usize) -> Handled;

    /// The approximate memory that this takes.
    fn weight(&self, call: &Call<'_>) -> usize;
}

/// The result of a handler.
pub(super) enum Handled {
    Now(Verdict),
    /// An asynchronous handler, which does not block others.
    Later(BoxFuture<'static, Verdict>),
}

/// The data that all functions of a manager's webhooks get in addition to the object.
pub(super) struct HandlerContext<S> {
    pub(super) state: Arc<S>,
    pub(super) view: View,
}

impl<S> HandlerContext<S> {
    pub(super) fn request(&self, call: &Call<'_>) -> Request<S> {
        Request {
            about: call.about(),
            state: Arc::clone(&self.state),
            view: self.view.clone(),
        }
    }
}

/// The handlers by path.
#[derive(Default)]
pub(crate) struct Handlers {
    admission: BTreeMap<String, Arc<dyn Handler>>,
    conversions: Arc<Kinds>,
    pub(crate) view: View,
}

/// The handler of a path.
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

    /// The converted kinds.
    pub(super) fn conversions(&self) -> &Kinds {
        &self.conversions
    }

    /// Adds a converted kind. Returns an error in its registration.
    pub(super) fn convert(&mut self, kind: Kind) -> Option<String> {
        if self.admission.contains_key(conversion::PATH) {
            return Some(taken(conversion::PATH));
        }
        Arc::make_mut(&mut self.conversions).add(kind)
    }

    /// Adds a handler. Returns an error in its path.
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
