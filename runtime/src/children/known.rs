//! What is kept of one child.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::{Resource, ResourceExt};
use serde_json::value::RawValue;

use super::super::Child;
use super::Live;

/// The owner that controls a child.
#[derive(Clone, Debug)]
pub struct Owner {
    uid: String,
    name: String,
}

impl Owner {
    /// A reference to it, of a kind.
    pub fn reference<K: Resource<DynamicType = ()>>(&self) -> OwnerReference {
        OwnerReference {
            api_version: K::api_version(&()).into_owned(),
            kind: K::kind(&()).into_owned(),
            name: self.name.clone(),
            uid: self.uid.clone(),
            ..OwnerReference::default()
        }
    }
}

/// What is kept of one child: a few hundred bytes, whatever its size.
#[derive(Clone, Debug)]
pub struct Known {
    uid: Option<String>,
    version: u64,
    generation: Option<i64>,
    controller: Option<Owner>,
    /// The owner that it had last, where somebody took it off.
    former: Option<Owner>,
    is_ending: bool,
    /// The sum of the fields that this operator owns, as they are, where it owns any.
    owned: Option<u64>,
    /// The sum of what was applied last, and of what became of it: the API server writes some values
    /// in another way, such as `0.5` as `500m`.
    applied: Option<(u64, Option<u64>)>,
    /// As JSON, which is small.
    status: Option<Box<RawValue>>,
}

impl Known {
    /// What is to be kept of a child.
    pub fn new(child: &Live) -> Self {
        let mut references = child.owner_references().iter();
        let controller = references.find(|owner| owner.controller == Some(true));
        let controller = controller.map(|owner| Owner {
            uid: owner.uid.clone(),
            name: owner.name.clone(),
        });
        Self {
            uid: child.uid(),
            version: version(child.resource_version().as_deref()),
            generation: child.metadata.generation,
            controller,
            former: None,
            is_ending: child.metadata.deletion_timestamp.is_some(),
            owned: child.owned,
            applied: None,
            status: child.status.clone(),
        }
    }

    /// What is to be kept of the answer to an apply.
    pub fn applied(answer: &Live, desired: u64) -> Self {
        let known = Self::new(answer);
        Self {
            applied: Some((desired, known.owned)),
            ..known
        }
    }

    /// Whether applying what has the sum `desired` would change nothing.
    pub fn is_as(&self, desired: u64) -> bool {
        self.owned == Some(desired) || self.applied == Some((desired, self.owned))
    }

    /// Whether what has the sum `desired` was applied before, so that a difference is somebody's edit.
    pub fn was_as(&self, desired: u64) -> bool {
        self.applied.is_some_and(|(applied, _)| applied == desired)
    }

    /// Whether the owner with this uid controls it.
    pub fn belongs_to(&self, owner: Option<&str>) -> bool {
        let controller = self.controller.as_ref();
        controller.is_some_and(|controller| Some(&*controller.uid) == owner)
    }

    /// The owner that it had, where somebody took it off.
    pub fn former_owner(&self) -> Option<&Owner> {
        self.former.as_ref()
    }

    /// Whether it may be written for the owner with this uid: it belongs to it, or to nobody, and this
    /// operator has written it before.
    pub fn is_free_for(&self, owner: Option<&str>) -> bool {
        match &self.controller {
            Some(_) => self.belongs_to(owner),
            None => self.owned.is_some(),
        }
    }

    /// Whether it is being deleted.
    pub fn is_ending(&self) -> bool {
        self.is_ending
    }

    /// Its uid.
    pub fn uid(&self) -> Option<String> {
        self.uid.clone()
    }

    /// The child as it is, as far as what was asked for, given as JSON, and what is known tell.
    ///
    /// # Errors
    /// Where the status that was seen is none of this type.
    pub fn complete<C: Child>(&self, child: &str) -> serde_json::Result<C> {
        let mut fields: BTreeMap<&str, &RawValue> = serde_json::from_str(child)?;
        if let Some(status) = &self.status {
            fields.insert("status", status);
        }
        let mut child: C = serde_json::from_str(&serde_json::to_string(&fields)?)?;
        let metadata = child.meta_mut();
        metadata.uid.clone_from(&self.uid);
        metadata.generation = self.generation;
        metadata.resource_version = Some(self.version.to_string());
        Ok(child)
    }

    pub(super) fn is(&self, child: &Live) -> bool {
        self.uid == child.metadata.uid
    }

    pub(super) fn is_newer(&self, other: &Self) -> bool {
        self.uid == other.uid && self.version > other.version
    }

    /// Whether `child` is the same or older, so that it tells nothing new.
    pub(super) fn is_as_new_as(&self, child: &Live) -> bool {
        let seen = version(child.resource_version().as_deref());
        self.is(child) && seen > 0 && self.version >= seen
    }

    /// Keeps what was applied last.
    pub(super) fn remember(&mut self, answer: &Self) {
        self.applied = answer.applied;
    }

    pub(super) fn update(&mut self, seen: Self) {
        let is_same = self.uid == seen.uid;
        let applied = self.applied.filter(|_| is_same);
        let former = self.controller.take().or(self.former.take());
        let former = former.filter(|_| is_same && seen.controller.is_none());
        *self = Self {
            applied,
            former,
            ..seen
        };
    }
}

/// Resource versions grow, and may be compared, since Kubernetes 1.35.
pub fn version(text: Option<&str>) -> u64 {
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}
