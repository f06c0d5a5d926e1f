use std::collections::{BTreeMap, BTreeSet};

use super::suite::Suite;

/// What is checked, and for what.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The names of the optional validators.
    pub validators: BTreeSet<&'static str>,
    /// The release of Kubernetes that the bundle is for.
    pub k8s_version: Option<String>,
    /// The Dockerfile of an index image.
    pub index: Option<Index>,
    /// The categories that are known, if they are not the usual ones.
    pub categories: Option<Vec<String>>,
    /// The labels of the image that the bundle is in.
    pub labels: Option<BTreeMap<String, String>>,
}

/// The Dockerfile of an index image.
#[derive(Clone, Debug)]
pub struct Index {
    /// What messages call it.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl Options {
    /// Whether the rules of a suite are checked.
    pub(super) fn runs(&self, suite: Suite) -> bool {
        let validators = suite.validators();
        let is_chosen = |name: &&str| self.validators.contains(name);
        validators.is_empty() || validators.iter().any(is_chosen)
    }
}
