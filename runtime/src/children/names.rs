//! The names of an operator in its children.

use std::collections::BTreeMap;

use kube::api::ApiResource;
use kube::{Resource, ResourceExt};

use super::known::Owner;
use crate::labels::MANAGED_BY;

/// The names of an operator in its children.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The field manager of the fields that the controller applies.
    pub(crate) manager: String,
    /// The value of the label managed-by, by which children are watched.
    pub(crate) managed_by: String,
    owner: String,
    owner_uid: String,
}

impl Names {
    /// The names of a controller of this operator. `controller` is its own name, if it is not the only controller of
    /// its kind: they must not take over each other's fields.
    pub(crate) fn new(operator: &str, controller: Option<&str>) -> Self {
        Self {
            manager: match controller {
                None => operator.to_owned(),
                Some(name) => format!("{operator}/{name}"),
            },
            managed_by: operator.to_owned(),
            owner: format!("{operator}/owner"),
            owner_uid: Self::owner_uid(operator),
        }
    }

    /// The annotation with the uid of the owner of a child that cannot have an owner reference.
    pub(crate) fn owner_uid(operator: &str) -> String {
        format!("{operator}/owner-uid")
    }

    /// The field manager of labels and annotations that a controller sets on its own objects. An object may be a child
    /// of another controller of this operator: an apply by one must not remove the fields of the other.
    pub(crate) fn metadata_manager(&self) -> String {
        format!("{}/metadata", self.manager)
    }

    /// Selects all children of the operator.
    pub(crate) fn selector(&self) -> String {
        format!("{MANAGED_BY}={}", self.managed_by)
    }

    /// The annotations that name the owner of a child that cannot have an owner reference.
    pub(crate) fn annotations(
        &self,
        owner: &impl Resource,
        resource: &ApiResource,
    ) -> [(String, String); 2] {
        let kind = format!("{}.{}", resource.kind, resource.group);
        let namespace = owner.namespace().unwrap_or_default();
        let path = format!("{kind}/{namespace}/{}", owner.name_any());
        let uid = owner.uid().unwrap_or_default();
        [(self.owner.clone(), path), (self.owner_uid.clone(), uid)]
    }

    /// The owner that annotations name.
    pub(super) fn owner(&self, annotations: &BTreeMap<String, String>) -> Option<Owner> {
        let uid = annotations.get(&self.owner_uid)?;
        let mut path = annotations.get(&self.owner)?.splitn(3, '/');
        let (kind, group) = path.next()?.split_once('.')?;
        let namespace = path.next()?;
        Some(Owner {
            uid: uid.clone(),
            kind: kind.to_owned(),
            group: group.to_owned(),
            namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
            name: path.next()?.to_owned(),
        })
    }
}
