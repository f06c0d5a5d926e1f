//! The recommended labels, on everything that an operator creates.

use std::collections::BTreeMap;

use kube::{Resource, ResourceExt};

const NAME: &str = "app.kubernetes.io/name";
const INSTANCE: &str = "app.kubernetes.io/instance";
const COMPONENT: &str = "app.kubernetes.io/component";

/// The label that says which operator made an object. [`Context::apply`](crate::Context::apply) sets it, and
/// children are watched by it.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The labels that tell the pods of one component of an object from all others. They must never change: a
/// Deployment's selector cannot. `component` is what tells two workloads of one object apart, such as `web`
/// and `worker`.
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
#[must_use]
pub fn to_text(labels: &BTreeMap<String, String>) -> String {
    let pairs: Vec<_> = labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    pairs.join(",")
}
