//! A rule.

use std::collections::BTreeSet;

use serde::Serialize;

/// A `PolicyRule` of `rbac.authorization.k8s.io/v1`, its lists sorted and without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    /// Empty in a rule about URLs. The core group is the empty string.
    #[serde(rename = "apiGroups", skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) groups: BTreeSet<String>,
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) urls: BTreeSet<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) resource_names: BTreeSet<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) resources: BTreeSet<String>,
    pub(super) verbs: BTreeSet<String>,
}
