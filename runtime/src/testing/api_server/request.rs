//! Parses requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyper::body::Bytes;
use hyper::{Method, Request, Uri, header};

use super::admission::Event;
use super::resource::Resource;
use super::target::{Target, decode};
use super::user::User;

/// A request for objects of a resource.
#[derive(Clone, Debug)]
pub(super) struct ResourceRequest {
    pub(super) user: User,
    pub(super) verb: &'static str,
    pub(super) resource: Arc<Resource>,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) subresource: String,
    /// Whether it is an update through `/scale`, and was converted to one of the object.
    pub(super) is_of_scale: bool,
    pub(super) query: Query,
    pub(super) content_type: String,
    pub(super) accept: String,
    pub(super) user_agent: String,
    pub(super) body: Bytes,
}

impl ResourceRequest {
    /// Whether it asks only for metadata.
    pub(super) fn wants_metadata(&self) -> bool {
        self.accept.contains("as=PartialObjectMetadata")
    }

    /// The field manager of a write.
    pub(super) fn manager(&self) -> String {
        match (
            self.query.get("fieldManager"),
            self.user_agent.split('/').next(),
        ) {
            ("", Some("") | None) => "unknown".to_owned(),
            ("", Some(agent)) => agent.to_owned(),
            (manager, _) => manager.to_owned(),
        }
    }

    /// The event for admission: an operation on the object of this name.
    pub(super) fn event<'a>(&'a self, operation: &'static str, name: &'a str) -> Event<'a> {
        Event {
            user: &self.user,
            operation,
            resource: &self.resource,
            subresource: if self.is_of_scale {
                "scale"
            } else {
                &self.subresource
            },
            namespace: &self.namespace,
            name,
            is_dry_run: self.is_dry_run(),
        }
    }

    pub(super) fn is_dry_run(&self) -> bool {
        self.query.get("dryRun") == "All"
    }

    /// Whether it is for objects of all namespaces, which can only be listed and watched.
    pub(super) fn lacks_namespace(&self) -> bool {
        self.resource.is_namespaced && self.namespace.is_empty()
    }
}

/// The query parameters of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Query(BTreeMap<String, String>);

impl Query {
    fn parse(uri: &Uri) -> Self {
        let pairs = uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                (decode(name), decode(value))
            });
        Self(pairs.collect())
    }

    /// The value of a parameter. Empty if it is missing.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value)
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        matches!(self.get(name), "true" | "1")
    }
}

/// Parses a request for a resource.
pub(super) fn read(
    user: &User,
    target: Target,
    resource: Arc<Resource>,
    request: Request<Bytes>,
) -> ResourceRequest {
    let query = Query::parse(request.uri());
    let is_collection = target.name.is_empty();
    let is_watch = query.is_set("watch");
    let verb = match (request.method(), is_collection) {
        (&Method::GET, true) if is_watch => "watch",
        (&Method::GET, true) => "list",
        (&Method::GET, false) => "get",
        (&Method::POST, _) => "create",
        (&Method::PUT, _) => "update",
        (&Method::PATCH, _) => "patch",
        (&Method::DELETE, true) => "deletecollection",
        (&Method::DELETE, false) => "delete",
        _ => "",
    };
    let header_of = |name| {
        let value = request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let content_type = header_of(header::CONTENT_TYPE);
    // A Namespace counts as its own namespace: its roles can grant permissions for it.
    let namespace = match (&*resource.group, &*resource.plural) {
        ("", "namespaces") => String::new(),
        _ => target.namespace,
    };
    ResourceRequest {
        user: user.clone(),
        verb,
        namespace,
        name: target.name,
        subresource: target.subresource,
        is_of_scale: false,
        query,
        content_type: content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned(),
        accept: header_of(header::ACCEPT),
        user_agent: header_of(header::USER_AGENT),
        body: request.into_body(),
        resource,
    }
}
