//! The recommended labels, on everything that the operator creates.

use std::collections::BTreeMap;

use kube::{Resource, ResourceExt};

use super::FIELD_MANAGER;

const NAME: &str = "app.kubernetes.io/name";
const INSTANCE: &str = "app.kubernetes.io/instance";
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The labels that tell the pods of one object from all others. They must never change: a
/// Deployment's selector cannot.
#[must_use]
pub fn selector<K: Resource<DynamicType = ()>>(object: &K) -> BTreeMap<String, String> {
    BTreeMap::from([
        (NAME.to_owned(), K::kind(&()).to_lowercase()),
        (INSTANCE.to_owned(), object.name_any()),
    ])
}

/// All labels of an object's children.
#[must_use]
pub fn all<K: Resource<DynamicType = ()>>(object: &K) -> BTreeMap<String, String> {
    let mut labels = selector(object);
    labels.insert(MANAGED_BY.to_owned(), FIELD_MANAGER.to_owned());
    labels
}

/// Selects every child that this operator manages.
#[must_use]
pub fn managed() -> String {
    format!("{MANAGED_BY}={FIELD_MANAGER}")
}

/// Labels in the form that a label selector is written in.
#[must_use]
pub fn to_text(labels: &BTreeMap<String, String>) -> String {
    let pairs: Vec<_> = labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    pairs.join(",")
}
