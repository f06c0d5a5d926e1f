//! `commonAnnotations:` of a kustomization.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::field::Field;
use super::labels;
use super::resource::{self, Resource};

const FIELDS: [Field<'_>; 2] = [
    Field {
        path: "metadata/annotations",
        group: "",
        kind: "",
        create: true,
    },
    Field {
        path: "spec/template/metadata/annotations",
        group: "",
        kind: "Deployment",
        create: true,
    },
];

/// Adds annotations to objects and to the pods of Deployments.
pub(super) fn add(
    resources: &mut [Resource],
    annotations: &BTreeMap<String, String>,
    budget: &Budget,
) -> Option<()> {
    if annotations.keys().any(|key| resource::is_setting(key)) {
        return None;
    }
    labels::add_pairs(resources, &FIELDS, annotations, budget)
}
