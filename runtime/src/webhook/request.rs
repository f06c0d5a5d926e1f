//! What a webhook is asked.

use std::fmt;
use std::sync::Arc;

use k8s_openapi::api::authentication::v1::UserInfo;
use kube::Client;
use serde::Deserialize;

use super::view::View;
use crate::Error;
use crate::cache::Store;
use crate::kinds::Watched;

/// What happens to the object.
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
    /// It is created.
    Create,
    /// It is changed.
    Update,
    /// It is deleted.
    Delete,
    /// A client connects to it, such as `kubectl exec` to a pod.
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

/// What the API server says of a request beside the object.
#[derive(Clone, Debug)]
pub(super) struct About {
    pub(super) operation: Operation,
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    pub(super) subresource: Option<String>,
    pub(super) user: UserInfo,
    pub(super) is_dry_run: bool,
}

/// What a webhook knows beside the object: who asks for what, and the operator's own state.
///
/// In a test, make one:
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
    /// A request for a test: of nobody, and not a dry run. It sees no cluster, as
    /// [`FakeApi::request`](crate::testing::FakeApi::request) does.
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

    /// The same, of a user.
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

    /// The same, as a dry run.
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

    /// What happens to the object.
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

    /// The name of the object. Empty where the API server has yet to generate it, and where a collection is
    /// deleted.
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

    /// The namespace of the object, if it has one.
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

    /// The subresource, such as `status` or `scale`, if the request is not for the object itself. A webhook
    /// gets these only where its rules name them.
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

    /// The name of who asks. A service account is `system:serviceaccount:<namespace>:<name>`.
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

    /// The groups of who asks.
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

    /// Whether nothing will be stored: nothing outside of the cluster may change.
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

    /// The cache of a type that the manager [reads](crate::Manager::reads), in every replica. Waits until it is filled:
    /// a webhook is served before that.
    ///
    /// What is in it may be older than the object: two requests at the same time do not see each other. What must
    /// never be stored twice needs a name that says so.
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
    /// The manager does not read the type: a terminal error that names the line to add.
    pub async fn cached<T: Watched>(&self) -> Result<Store<T>, Error> {
        self.view.cached().await
    }

    /// The connection to the API server. A replica that does not lead can read through it, and cannot write.
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
    /// The request is one of [`Request::new`].
    pub fn client(&self) -> Result<&Client, Error> {
        self.view.client()
    }
}
