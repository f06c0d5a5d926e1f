//! `ClusterServiceVersion`s.

use serde_json::Value;

use super::live::{items, text};

/// Reasons of a failure that OLM does not recover from by itself.
const FINAL: [&str; 5] = [
    "InvalidInstallModes",
    "InvalidStrategy",
    "OwnerConflict",
    "TooManyOperatorGroups",
    "UnsupportedOperatorGroup",
];

/// Whether OLM has given up.
pub(super) fn is_final(csv: &Value) -> bool {
    FINAL.contains(&text(csv, "/status/reason"))
}

/// The names of the CRDs that are the operator's own.
pub(super) fn owned_crds(csv: &Value) -> impl Iterator<Item = &str> {
    items(csv, "/spec/customresourcedefinitions/owned").map(|crd| text(crd, "/name"))
}

/// Whether a CRD is one of OLM's own, by its name: without it, OLM and all operators that it runs are gone.
pub(super) fn is_olms(crd: &str) -> bool {
    let groups = [".operators.coreos.com", ".olm.operatorframework.io"];
    groups.iter().any(|group| crd.ends_with(group))
}

/// Whether OLM copied it into a namespace that the operator watches.
pub(super) fn is_copy(csv: &Value) -> bool {
    !csv["metadata"]["labels"]["olm.copiedFrom"].is_null()
}
