//! The cached data of a child.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Resource;
use serde_json::value::RawValue;

use super::{Live, Names};
use crate::breakage::{Breakage, broken};
use crate::informer::Raw;
use crate::json;
use crate::kinds::Child;

/// The owner of a child.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Owner {
    pub(crate) uid: String,
    pub(crate) kind: String,
    pub(crate) group: String,
    /// Set if annotations name the owner: owner references have no namespace.
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
}

impl Owner {
    /// The controlling owner of a child, or the owner in its annotations: owner references cannot point to another
    /// namespace.
    fn of(child: &Live, names: &Names) -> Option<Self> {
        let metadata = &child.metadata;
        let mut references = metadata.owner_references.iter().flatten();
        if let Some(owner) = references.find(|owner| owner.controller == Some(true)) {
            return Some(Self {
                uid: owner.uid.clone(),
                kind: owner.kind.clone(),
                group: group(&owner.api_version).to_owned(),
                namespace: None,
                name: owner.name.clone(),
            });
        }
        names.owner(metadata.annotations.as_ref()?)
    }
}

/// The cached data of one child: a few hundred bytes, whatever its size.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    uid: Option<String>,
    version: u64,
    generation: Option<i64>,
    controller: Option<Owner>,
    /// The last owner, if its owner reference was removed.
    former: Option<Owner>,
    is_ending: bool,
    /// The hash of the fields that this operator owns, with their current values, if it owns any.
    owned: Option<u64>,
    /// The hash of the last apply, and of its result: the API server writes some values in another form, such as `0.5`
    /// as `500m`.
    applied: Option<(u64, Option<u64>)>,
    /// As JSON, which is small.
    status: Option<Box<RawValue>>,
}

impl Known {
    /// Extracts the data to cache from a child.
    pub(crate) fn new(child: &Live, names: &Names) -> Self {
        let metadata = &child.metadata;
        let owned = child
            .applied
            .iter()
            .filter(|(manager, _)| *manager == names.manager);
        Self {
            uid: metadata.uid.clone(),
            version: version(metadata.resource_version.as_deref()),
            generation: metadata.generation,
            controller: Owner::of(child, names),
            former: None,
            is_ending: metadata.deletion_timestamp.is_some(),
            owned: owned.map(|(_, sum)| *sum).next(),
            applied: None,
            status: child.status.clone(),
        }
    }

    /// Records that fields with the hash `desired` were applied.
    pub(super) fn with_applied(self, desired: u64) -> Self {
        Self {
            applied: Some((desired, self.owned)),
            ..self
        }
    }

    /// Whether applying fields with the hash `desired` would change nothing.
    pub(crate) fn matches(&self, desired: u64) -> bool {
        if broken(Breakage::DriftIgnored) {
            return true;
        }
        // If the owned fields are unknown, the result of the last apply is unknown too.
        self.owned == Some(desired)
            || (self.owned.is_some() && self.applied == Some((desired, self.owned)))
    }

    /// Whether fields with the hash `desired` were applied before, so that a difference is an edit by another client.
    pub(crate) fn was_applied(&self, desired: u64) -> bool {
        self.applied.is_some_and(|(applied, _)| applied == desired)
    }

    /// Whether the owner with this uid controls it.
    pub(crate) fn belongs_to(&self, owner: Option<&str>) -> bool {
        let controller = self.controller.as_ref();
        controller.is_some_and(|controller| Some(&*controller.uid) == owner)
    }

    /// The current owner, or the last one if its owner reference was removed.
    pub(crate) fn owner(&self) -> Option<&Owner> {
        self.controller.as_ref().or(self.former.as_ref())
    }

    /// The resource version of the cached state.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Whether it belongs to a deleted object with the kind and name of `owner`.
    fn is_of_predecessor(&self, owner: &ObjectReference) -> bool {
        self.controller.as_ref().is_some_and(|controller| {
            let namespace = controller.namespace.as_ref();
            Some(&controller.kind) == owner.kind.as_ref()
                && Some(&*controller.group) == owner.api_version.as_deref().map(group)
                && namespace.is_none_or(|namespace| owner.namespace.as_ref() == Some(namespace))
                && Some(&controller.name) == owner.name.as_ref()
                && Some(&controller.uid) != owner.uid.as_ref()
        })
    }

    /// Whether the garbage collector will delete it, because it belongs to a deleted object with the name of `owner`.
    pub(crate) fn is_to_be_collected(&self, owner: &ObjectReference) -> bool {
        let controller = self.controller.as_ref();
        let is_annotated = controller.is_some_and(|controller| controller.namespace.is_some());
        !is_annotated && self.is_of_predecessor(owner)
    }

    /// Whether it can be applied for `owner`: it belongs to `owner`, or it has no owner and this operator has applied
    /// it before. An owner that only annotations name does not count if `owner` has replaced it, because nothing
    /// garbage collects the child.
    pub(crate) fn is_free_for(&self, owner: &ObjectReference) -> bool {
        if broken(Breakage::StrangersAdopted) {
            return true;
        }
        match &self.controller {
            None => self.owned.is_some(),
            Some(controller) => {
                self.belongs_to(owner.uid.as_deref())
                    || (controller.namespace.is_some() && self.is_of_predecessor(owner))
            }
        }
    }

    /// Whether it is being deleted.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending
    }

    pub(crate) fn uid(&self) -> Option<String> {
        self.uid.clone()
    }

    /// The desired child, also given as JSON, with its live status and metadata.
    ///
    /// # Errors
    /// If the cached status does not match the type.
    pub(crate) fn complete<C: Child>(&self, mut child: C, text: &str) -> serde_json::Result<C> {
        if let Some(status) = &self.status {
            let mut fields: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
            fields.insert("status".to_owned(), status);
            child = json::from_str(&serde_json::to_string(&fields)?)?;
        }
        let metadata = child.meta_mut();
        metadata.uid.clone_from(&self.uid);
        metadata.generation = self.generation;
        metadata.resource_version = Some(self.version.to_string());
        Ok(child)
    }

    pub(super) fn is(&self, child: &Raw) -> bool {
        self.uid == child.meta().uid
    }

    /// Whether it was cached from this resource version.
    pub(super) fn has_version(&self, child: &Raw) -> bool {
        let version = version(child.meta().resource_version.as_deref());
        self.is(child) && version > 0 && self.version == version
    }

    pub(super) fn is_newer(&self, other: &Self) -> bool {
        self.uid == other.uid && self.version > other.version
    }

    /// Whether `child` has the same version or an older one, so that it contains nothing new.
    pub(super) fn includes(&self, child: &Raw) -> bool {
        let seen = version(child.meta().resource_version.as_deref());
        self.is(child) && seen > 0 && self.version >= seen
    }

    /// Takes over the last apply from `cached`, if that is the same child: a response does not contain the values as
    /// they were sent.
    pub(crate) fn after(mut self, cached: &Self) -> Self {
        if self.uid == cached.uid {
            self.applied = cached.applied;
        }
        self
    }

    /// Takes over the last apply from the response to it.
    pub(super) fn remember(&mut self, answer: &Self) {
        self.applied = answer.applied;
    }

    pub(super) fn update(&mut self, seen: Self) {
        let is_same = self.uid == seen.uid;
        let applied = self.applied.filter(|_| is_same);
        let former = self
            .controller
            .take()
            .or(self.former.take())
            .filter(|_| is_same && seen.controller.is_none());
        *self = Self {
            former,
            applied,
            ..seen
        };
    }
}

/// The group of an `apiVersion`: the core group has no name.
fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// Parses a resource version. Versions increase, and can be compared since Kubernetes 1.35.
pub(crate) fn version(text: Option<&str>) -> u64 {
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}
