//! What the sets of webhooks and of policies have in common.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::project::Admission;

/// The modules of kinds: those in one group are in a module of its own if the project is multigroup.
#[derive(Serialize)]
pub(super) struct AdmissionGroup {
    name: Option<String>,
    kinds: Vec<AdmissionModule>,
}

#[derive(Serialize)]
struct AdmissionModule {
    module: String,
    kind: String,
    parts: Vec<&'static str>,
}

impl AdmissionGroup {
    pub(super) fn all(
        kinds: &[Admission<'_>],
        parts: impl Fn(&Admission<'_>) -> Vec<&'static str>,
    ) -> Vec<Self> {
        let mut groups: BTreeMap<Option<String>, Vec<AdmissionModule>> = BTreeMap::new();
        for kind in kinds {
            let (module, group) = kind.module.split_last().expect("a module");
            let modules = groups.entry(group.first().cloned()).or_default();
            modules.push(AdmissionModule {
                module: module.clone(),
                kind: kind.kind.name.to_string(),
                parts: parts(kind),
            });
        }
        let groups = groups.into_iter().map(|(name, mut kinds)| {
            kinds.sort_by(|a, b| a.module.cmp(&b.module));
            Self { name, kinds }
        });
        groups.collect()
    }
}
