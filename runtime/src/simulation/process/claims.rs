//! Children that a reconcile could not apply because they belong to another owner.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::api::ApiResource;

use super::Process;
use crate::simulation::target::Target;

/// A claim of an object to a child of another owner.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(in crate::simulation) struct Claim {
    /// The uid of the claimant.
    pub(in crate::simulation) uid: String,
    pub(in crate::simulation) child: Target,
}

impl Process {
    /// All claims since it has started.
    pub(in crate::simulation) fn claims(&self) -> Vec<Claim> {
        self.lock().claims.iter().cloned().collect()
    }
}

/// Records that a child of another owner was not applied.
pub(crate) fn claimed(owner: &ObjectReference, kind: &ApiResource, child: (Option<&str>, &str)) {
    let (namespace, name) = child;
    if let Some(process) = Process::current() {
        let child = Target {
            version: kind.api_version.clone(),
            plural: kind.plural.clone(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
            subresource: String::new(),
        };
        let uid = owner.uid.clone().unwrap_or_default();
        process.lock().claims.insert(Claim { uid, child });
    }
}
