//! The request to a webhook.

use std::fmt;
use std::sync::Arc;

use k8s_openapi::api::authentication::v1::UserInfo;
use kube::Client;
use serde::Deserialize;

use super::view::View;
use crate::Error;
use crate::cache::Store;
use crate::kinds::Watched;

/// The operation on the object.
///
/// ```
/// use rop_runtime::webhook::Operation;
///
/// assert_eq!(Operation::Create.to_string(), "CREATE");
/// ```
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum Operation {
    /// Create the object.
    Create,
    /// Update the object.
    Update,
    /// Delete the object.
    Delete,
    /// Connect to the object, such as `kubectl exec` to a pod.
    Connect,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        })
    }
}

/// The parts of a request other than the object.
#[derive(Clone, Debug)]
pub(super) struct About {
    pub(super) operation: Operation,
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    pub(super) subresource: Option<String>,
    pub(super) user: UserInfo,
    pub(super) is_dry_run: bool,
}

/// The context of a webhook call: the operation, the user, and the operator's own state.
///
/// In a test, create one with:
///
/// ```
/// use rop_runtime::webhook::{Operation, Request};
///
/// let request = Request::new(Operation::Update, ()).by("alice").dry_run();
/// assert_eq!(request.user(), "alice");
/// assert!(request.is_dry_run());
/// ```
#[derive(Debug)]
pub struct Request<S = ()> {
    pub(super) about: About,
    pub(super) view: View,
    /// The operator's own state.
    pub state: Arc<S>,
}

impl<S> Clone for Request<S> {
    fn clone(&self) -> Self {
        Self {
            about: self.about.clone(),
            view: self.view.clone(),
            state: Arc::clone(&self.state),
        }
    }
}

impl<S> Request<S> {
    /// Creates a request for a test, without a user, and not as a dry run. It has no caches and no
    /// client, unlike that of [`FakeApi::request`](crate::testing::FakeApi::request).
    ///
    /// ```
    /// # use rop_runtime::webhook::{Operation, Request};
    /// let request = Request::new(Operation::Create, ());
    /// assert_eq!(request.operation(), Operation::Create);
    /// ```
    pub fn new(operation: Operation, state: S) -> Self {
        Self::seeing(operation, Arc::new(state), View::default())
    }

    pub(crate) fn seeing(operation: Operation, state: Arc<S>, view: View) -> Self {
        let about = About {
            operation,
            name: String::new(),
            namespace: None,
            subresource: None,
            user: UserInfo::default(),
            is_dry_run: false,
        };
        Self { about, view, state }
    }

    /// Sets the user.
    ///
    /// ```
    /// # use rop_runtime::webhook::{Operation, Request};
    /// let request = Request::new(Operation::Create, ()).by("alice");
    /// assert_eq!(request.user(), "alice");
    /// ```
    #[must_use]
    pub fn by(mut self, user: &str) -> Self {
        self.about.user.username = Some(user.to_owned());
        self
    }

    /// Makes the request a dry run.
    ///
    /// ```
    /// # use rop_runtime::webhook::{Operation, Request};
    /// assert!(Request::new(Operation::Create, ()).dry_run().is_dry_run());
    /// ```
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.about.is_dry_run = true;
        self
    }

    /// Returns the operation on the object.
    ///
    /// ```
    /// # use rop_runtime::webhook::{Operation, Request};
    /// fn is_new(request: &Request) -> bool {
    ///     request.operation() == Operation::Create
    /// }
    /// ```
    pub fn operation(&self) -> Operation {
        self.about.operation
    }

    /// Returns the name of the object. It is empty if the API server has not generated it yet, and
    /// for the deletion of a collection.
    ///
    /// ```
    /// # use rop_runtime::webhook::Request;
    /// fn is_named(request: &Request) -> bool {
    ///     !request.name().is_empty()
    /// }
    /// ```
    pub fn name(&self) -> &str {
        &self.about.name
    }

    /// Returns the namespace of the object, if it has one.
    ///
    /// ```
    /// # use rop_runtime::webhook::Request;
    /// fn is_of_the_system(request: &Request) -> bool {
    ///     request.namespace() == Some("kube-system")
    /// }
    /// ```
    pub fn namespace(&self) -> Option<&str> {
        self.about.namespace.as_deref()
    }

    /// Returns the subresource, such as `status` or `scale`, if the request is not for the object
    /// itself. A webhook only gets such requests if its rules include the subresource.
    ///
    /// ```
    /// # use rop_runtime::webhook::Request;
    /// fn is_status(request: &Request) -> bool {
    ///     request.subresource() == Some("status")
    /// }
    /// ```
    pub fn subresource(&self) -> Option<&str> {
        self.about.subresource.as_deref()
    }

    /// Returns the name of the user. For a service account, it is
    /// `system:serviceaccount:<namespace>:<name>`.
    ///
    /// ```
    /// # use rop_runtime::webhook::Request;
    /// fn is_admin(request: &Request) -> bool {
    ///     request.user() == "admin"
    /// }
    /// ```
    pub fn user(&self) -> &str {
        self.about.user.username.as_deref().unwrap_or_default()
    }

    /// Returns the groups of the user.
    ///
    /// ```
    /// # use rop_runtime::webhook::Request;
    /// fn may_do_all(request: &Request) -> bool {
    ///     request.groups().iter().any(|group| group == "system:masters")
    /// }
    /// ```
    pub fn groups(&self) -> &[String] {
        self.about.user.groups.as_deref().unwrap_or_default()
    }

    /// Returns whether this is a dry run, so the webhook must not change anything outside the
    /// cluster.
    ///
    /// ```
    /// # use rop_runtime::webhook::Request;
    /// fn may_reserve(request: &Request) -> bool {
    ///     !request.is_dry_run()
    /// }
    /// ```
    pub fn is_dry_run(&self) -> bool {
        self.about.is_dry_run
    }

    /// Returns the cache of a type that the manager [reads](crate::Manager::reads), in every
    /// replica. Waits until it has synced, because webhooks are served earlier.
    ///
    /// The cache may be stale, and concurrent requests do not see each other. To make a value
    /// unique, derive the name of an object from it.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Namespace;
    /// use rop_runtime::Error;
    /// use rop_runtime::webhook::{Request, Review};
    ///
    /// async fn create(namespace: Namespace, request: Request) -> Result<Review, Error> {
    ///     let mut review = Review::new();
    ///     if request.cached::<Namespace>().await?.list().len() >= 1000 {
    ///         review.deny("there are 1000 namespaces already");
    ///     }
    ///     Ok(review)
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns a terminal error with the line to add if the manager does not read the type.
    pub async fn cached<T: Watched>(&self) -> Result<Store<T>, Error> {
        self.view.cached().await
    }

    /// Returns the client of the API server. It cannot write if the replica is not the leader.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// use kube::Api;
    /// use rop_runtime::Error;
    /// use rop_runtime::webhook::{Request, Review};
    ///
    /// async fn delete(namespace: Namespace, request: Request) -> Result<Review, Error> {
    ///     let maps = Api::<ConfigMap>::namespaced(request.client()?.clone(), request.name());
    ///     let mut review = Review::new();
    ///     if maps.get_opt("keep").await?.is_some() {
    ///         review.deny("the ConfigMap `keep` is there");
    ///     }
    ///     Ok(review)
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns an error for a request of [`Request::new`].
    pub fn client(&self) -> Result<&Client, Error> {
        self.view.client()
    }
}
