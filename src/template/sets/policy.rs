//! Each policy of one sort.

use std::borrow::Cow;

use serde::Serialize;

use super::names::KindNames;
use super::{Instance, Set};
use crate::error::Result;
use crate::project::{Admission, PolicySort};
use crate::template::common::{Common, ProjectData};
use crate::template::path::{Spelling, Variables};

pub(super) struct Policy(pub(super) PolicySort);

impl Set for Policy {
    fn folder(&self) -> Cow<'static, str> {
        match self.0 {
            PolicySort::Mutating => "policy/mutating".into(),
            PolicySort::Validating => "policy/validating".into(),
        }
    }

    fn instances(&self, common: &Common<'_>) -> Result<Vec<Instance>> {
        let kinds = common
            .project
            .policy_kinds()
            .into_iter()
            .filter(|kind| kind.kind.policies.has(self.0));
        let instances = kinds.map(|kind| {
            let variables = Variables {
                policy: Spelling::new(kind.module.join("/"), kind.stem.join("_")),
                ..Variables::default()
            };
            Instance::new(variables, &PolicyData::new(common, &kind, self.0))
        });
        instances.collect()
    }
}

#[derive(Serialize)]
struct PolicyData {
    project: ProjectData,
    /// Whether the kind is the project's own.
    own: bool,
    #[serde(flatten)]
    names: KindNames,
    /// What the policy is called.
    name: String,
    api_group: String,
    version: String,
    /// Whether objects live in a namespace.
    namespaced: bool,
    /// Whether namespaces that must go on are left out.
    exempt: bool,
    /// Whether requests for an equivalent kind are left alone.
    exact: bool,
    /// An object of a kind of Kubernetes itself.
    object: &'static str,
    /// Whether the kind is one of another operator, whose object is in a file.
    external: bool,
}

impl PolicyData {
    fn new(common: &Common<'_>, of: &Admission<'_>, sort: PolicySort) -> Self {
        let (data, kind) = (common.data.clone(), of.kind);
        Self {
            own: kind.is_own(),
            names: KindNames::new(&data, kind.hub()),
            name: format!("{}-{}-policy", of.stem.join("-"), sort.name()),
            api_group: kind.api_group(),
            version: kind.hub.to_string(),
            namespaced: kind.namespaced,
            // A selector of namespaces selects these by their own labels, and no others that are in none.
            exempt: !kind.is_own() && (kind.namespaced || kind.name.as_str() == "Namespace"),
            // Those of the groups `` and `events.k8s.io` are the same, and no code converts one to the other.
            exact: !kind.is_own() && kind.name.as_str() == "Event",
            object: kind.built_in_sample().unwrap_or_default(),
            external: kind.is_external(),
            project: data,
        }
    }
}
