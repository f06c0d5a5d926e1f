//! The versions of a kind in its CRD.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::ResourceExt;
use kube::api::ApiResource;

use crate::kinds::ChildKind;

/// The versions of a kind in its CRD.
pub(super) struct Crd {
    pub(super) name: String,
    /// Changes with the spec.
    pub(super) generation: i64,
    /// The storage version.
    pub(super) storage: String,
    /// The kind in that version.
    pub(super) kind: ChildKind,
    /// The versions in which objects may be stored.
    stored: Vec<String>,
    /// The `apiVersion` of each version that is not served.
    pub(super) unserved: Vec<String>,
}

impl Crd {
    /// Returns `None` if the CRD is incomplete: the API server has not processed it yet.
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
