//! The versions of a kind in its CRD.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::ResourceExt;
use kube::api::ApiResource;

use crate::kinds::ChildKind;

/// The versions of a kind in its CRD.
pub(super) struct Crd {
    pub(super) name: String,
    /// It changes with the spec.
    pub(super) generation: i64,
    /// The version that objects are stored in.
    pub(super) storage: String,
    /// The kind in that version.
    pub(super) kind: ChildKind,
    /// The versions that objects may be stored in.
    stored: Vec<String>,
    /// The versions that are not served, as objects have them: with the group.
    pub(super) unserved: Vec<String>,
}

impl Crd {
    /// `None` if it is incomplete: the API server has not seen to it yet.
    pub(super) fn of(crd: &CustomResourceDefinition) -> Option<Self> {
        let spec = &crd.spec;
        let storage = spec.versions.iter().find(|version| version.storage)?;
        let api_version = |version: &str| format!("{}/{version}", spec.group);
        let unserved = spec.versions.iter().filter(|version| !version.served);
        let resource = ApiResource {
            group: spec.group.clone(),
            version: storage.name.clone(),
            api_version: api_version(&storage.name),
            kind: spec.names.kind.clone(),
            plural: spec.names.plural.clone(),
        };
        let stored = crd.status.as_ref()?.stored_versions.clone()?;
        Some(Self {
            name: crd.name_any(),
            generation: crd.metadata.generation?,
            storage: storage.name.clone(),
            kind: ChildKind::new(resource, spec.scope == "Namespaced"),
            stored,
            unserved: unserved.map(|version| api_version(&version.name)).collect(),
        })
    }

    /// Whether objects may be stored in another version than the storage version.
    pub(super) fn is_stored_elsewhere(&self) -> bool {
        self.stored != [&*self.storage]
    }

    /// Whether its objects may have to be rewritten.
    pub(super) fn is_due(&self) -> bool {
        self.is_stored_elsewhere() || !self.unserved.is_empty()
    }
}
