//! Authorization by roles and bindings, which are objects on the server.

use std::sync::Arc;

use serde_json::{Value, json};

use super::failure::Failure;
use super::request::ResourceRequest;
use super::state::State;
use super::user::User;

/// An action that needs authorization.
#[derive(Clone, Debug)]
pub(super) struct Wish<'a> {
    pub(super) verb: &'a str,
    pub(super) group: &'a str,
    /// The plural, with the subresource after a slash.
    pub(super) resource: String,
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
}

/// Checks that the user may do what the request asks for.
///
/// # Errors
/// If no role allows it.
pub(super) fn check(state: &State, request: &ResourceRequest) -> Result<(), Failure> {
    allow(state, request, request.verb)
}

fn allow(state: &State, request: &ResourceRequest, verb: &str) -> Result<(), Failure> {
    let resource = match &*request.subresource {
        "" => request.resource.plural.clone(),
        subresource => format!("{}/{subresource}", request.resource.plural),
    };
    let is_namespace = request.resource.group.is_empty() && request.resource.plural == "namespaces";
    let wish = Wish {
        verb,
        group: &request.resource.group,
        resource,
        namespace: if is_namespace {
            &request.name
        } else {
            &request.namespace
        },
        name: &request.name,
    };
    if may(state, &request.user, &wish) {
        if !request.user.is_admin() {
            let permission = (wish.group.to_owned(), wish.resource, verb.to_owned());
            state.used.borrow_mut().insert(permission);
        }
        return Ok(());
    }
    Err(denied(&request.user, &wish))
}

impl State {
    /// Checks that the user of an apply may create a missing object.
    pub(super) fn may_create(&self, request: &ResourceRequest) -> Result<(), Failure> {
        allow(self, request, "create")?;
        if request.namespace.is_empty()
            || self.store.get("namespaces", &request.namespace).is_some()
        {
            return Ok(());
        }
        Err(Failure::not_found(("", "namespaces"), &request.namespace))
    }
}

/// Whether a role allows an action.
pub(super) fn may(state: &State, user: &User, wish: &Wish) -> bool {
    if user.is_admin() {
        return true;
    }
    let of_cluster = bound(
        state,
        user,
        "clusterrolebindings.rbac.authorization.k8s.io",
        "",
    );
    let of_namespace = match wish.namespace {
        "" => Vec::new(),
        namespace => bound(
            state,
            user,
            "rolebindings.rbac.authorization.k8s.io",
            namespace,
        ),
    };
    let mut roles = of_cluster
        .into_iter()
        .chain(of_namespace)
        .filter_map(|(binding, namespace)| role(state, &binding["roleRef"], namespace));
    roles.any(|role| {
        let rules = role["rules"].as_array();
        rules.is_some_and(|rules| rules.iter().any(|rule| allows(rule, wish)))
    })
}

/// The bindings of a user, with the namespace of their roles.
fn bound<'a>(
    state: &State,
    user: &User,
    storage: &str,
    namespace: &'a str,
) -> Vec<(Arc<Value>, &'a str)> {
    let bindings = state.store.list(storage, namespace);
    let names = |binding: &Value| {
        let subjects = binding["subjects"].as_array();
        subjects.is_some_and(|subjects| {
            subjects
                .iter()
                .any(|subject| is_user(user, subject, binding))
        })
    };
    let bindings = bindings.filter(|(_, binding)| names(binding));
    bindings
        .map(|(_, binding)| (Arc::clone(binding), namespace))
        .collect()
}

fn is_user(user: &User, subject: &Value, binding: &Value) -> bool {
    let name = subject["name"].as_str().unwrap_or_default();
    match subject["kind"].as_str() {
        Some("User") => user.name == name,
        Some("Group") => user.groups.iter().any(|group| group == name),
        Some("ServiceAccount") => {
            let own = subject["namespace"].as_str();
            let namespace = own
                .or(binding["metadata"]["namespace"].as_str())
                .unwrap_or_default();
            user.name == format!("system:serviceaccount:{namespace}:{name}")
        }
        _ => false,
    }
}

fn role<'a>(state: &'a State, reference: &Value, namespace: &str) -> Option<&'a Arc<Value>> {
    let name = reference["name"].as_str()?;
    if reference["kind"] == "ClusterRole" {
        return state
            .store
            .get("clusterroles.rbac.authorization.k8s.io", name);
    }
    let key = super::store::key(namespace, name);
    state.store.get("roles.rbac.authorization.k8s.io", &key)
}

fn allows(rule: &Value, wish: &Wish) -> bool {
    let has = |field: &str, expected: &str| {
        let list = rule[field].as_array();
        list.is_some_and(|list| list.iter().any(|known| known == expected || known == "*"))
    };
    let subresource = wish
        .resource
        .split_once('/')
        .map(|(_, subresource)| format!("*/{subresource}"));
    let has_resource =
        has("resources", &wish.resource) || subresource.is_some_and(|any| has("resources", &any));
    let names = rule["resourceNames"]
        .as_array()
        .filter(|names| !names.is_empty());
    let has_name = names
        .is_none_or(|names| !wish.name.is_empty() && names.iter().any(|name| name == wish.name));
    has("verbs", wish.verb) && has("apiGroups", wish.group) && has_resource && has_name
}

/// The error for an action that no role allows.
pub(super) fn denied(user: &User, wish: &Wish) -> Failure {
    let (plural, subresource) = wish
        .resource
        .split_once('/')
        .unwrap_or((&wish.resource, ""));
    let full = match wish.group {
        "" => plural.to_owned(),
        group => format!("{plural}.{group}"),
    };
    let what = match wish.name {
        "" => format!("{full} is forbidden"),
        name => format!("{full} {name:?} is forbidden"),
    };
    let scope = match wish.namespace {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace {namespace:?}"),
    };
    let resource = match subresource {
        "" => plural.to_owned(),
        subresource => format!("{plural}/{subresource}"),
    };
    let message = format!(
        "{what}: User {:?} cannot {} resource {resource:?} in API group {:?} {scope}",
        user.name, wish.verb, wish.group
    );
    let mut details = json!({ "kind": plural });
    if !wish.name.is_empty() {
        details["name"] = json!(wish.name);
    }
    if !wish.group.is_empty() {
        details["group"] = json!(wish.group);
    }
    Failure::new(403, "Forbidden", message).with_details(details)
}
