//! The recommended labels, on everything that an operator creates.

use std::collections::BTreeMap;

use kube::{Resource, ResourceExt};

const NAME: &str = "app.kubernetes.io/name";
const INSTANCE: &str = "app.kubernetes.io/instance";
const COMPONENT: &str = "app.kubernetes.io/component";

/// The label that says which operator made an object. [`Context::apply`](crate::Context::apply) sets it, and
/// children are watched by it.
///
/// ```
/// use rop_runtime::labels::MANAGED_BY;
///
/// let command = format!("kubectl get deployments --selector {MANAGED_BY}=app-operator");
/// # assert!(command.ends_with("app.kubernetes.io/managed-by=app-operator"));
/// ```
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The labels that tell the pods of one component of an object from all others. They must never change: a
/// Deployment's selector cannot. `component` is what tells two workloads of one object apart, such as `web`
/// and `worker`.
///
/// ```
/// use k8s_openapi::api::core::v1::Namespace;
/// use rop_runtime::labels;
///
/// let mut shop = Namespace::default();
/// shop.metadata.name = Some("shop".to_owned());
/// let selector = labels::selector(&shop, "web");
/// assert_eq!(selector["app.kubernetes.io/instance"], "shop");
/// assert_eq!(selector["app.kubernetes.io/component"], "web");
/// ```
#[must_use]
pub fn selector<K>(object: &K, component: &str) -> BTreeMap<String, String>
where
    K: Resource<DynamicType = ()>,
{
    BTreeMap::from([
        (NAME.to_owned(), K::kind(&()).to_lowercase()),
        (INSTANCE.to_owned(), object.name_any()),
        (COMPONENT.to_owned(), component.to_owned()),
    ])
}

/// Labels in the form that a label selector is written in, as in `a=b,c=d`.
///
/// ```
/// use std::collections::BTreeMap;
/// use rop_runtime::labels;
///
/// let labels = BTreeMap::from([("a", "b"), ("c", "d")].map(|(k, v)| (k.to_owned(), v.to_owned())));
/// assert_eq!(labels::to_text(&labels), "a=b,c=d");
/// ```
#[must_use]
pub fn to_text(labels: &BTreeMap<String, String>) -> String {
    let pairs: Vec<_> = labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    pairs.join(",")
}
