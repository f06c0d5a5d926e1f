//! The versions of a kind, and the conversion between them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::plain::Plain;
use super::way::{Converted, Version, Way};
use crate::short::short;

/// The versions of a kind.
#[derive(Clone)]
pub(crate) struct Kind {
    pub(super) group: String,
    pub(super) kind: String,
    plural: String,
    pub(super) hub: Version,
    spokes: BTreeMap<String, Spoke>,
}

/// A version that is converted to the hub and back.
#[derive(Clone)]
pub(super) struct Spoke {
    pub(super) version: Version,
    pub(super) to_hub: Plain,
    pub(super) from_hub: Plain,
}

impl Spoke {
    /// The conversion to the hub.
    fn up<'a>(&'a self, hub: &'a Version) -> Way<'a> {
        Way {
            from: &self.version,
            to: hub,
            to_target: self.to_hub,
            back: self.from_hub,
        }
    }

    /// The conversion from the hub.
    fn down<'a>(&'a self, hub: &'a Version) -> Way<'a> {
        Way {
            from: hub,
            to: &self.version,
            to_target: self.from_hub,
            back: self.to_hub,
        }
    }
}

impl Kind {
    /// A kind with only its hub.
    pub(super) fn new(group: &str, kind: &str, plural: &str, hub: &str) -> Self {
        Self {
            group: group.to_owned(),
            kind: kind.to_owned(),
            plural: plural.to_owned(),
            hub: Version::new(group, hub),
            spokes: BTreeMap::new(),
        }
    }

    /// Adds a version. Returns false if there is one of the same name.
    pub(super) fn add(&mut self, spoke: Spoke) -> bool {
        let name = spoke.version.name.clone();
        self.spokes.insert(name, spoke).is_none()
    }

    /// The name of its CRD.
    pub(crate) fn crd(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }

    /// Its name in messages.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.kind, self.group)
    }

    pub(super) fn versions(&self) -> impl Iterator<Item = &str> {
        let spokes = self.spokes.keys().map(String::as_str);
        spokes.chain([&*self.hub.name])
    }

    /// The version of an `apiVersion`, if its objects can be converted to another version.
    ///
    /// # Errors
    /// If one of the versions is unknown.
    pub(super) fn check<'a>(&self, api_version: &'a str, to: &str) -> Result<&'a str, String> {
        let from = api_version
            .strip_prefix(&*self.group)
            .and_then(|from| from.strip_prefix('/'))
            .unwrap_or_default();
        let is_unknown =
            |version: &&str| *version != self.hub.name && !self.spokes.contains_key(*version);
        match [from, to].into_iter().find(is_unknown) {
            Some(unknown) => {
                let unknown = short(unknown);
                Err(format!("{} has no version {unknown:?} here", self.name()))
            }
            None => Ok(from),
        }
    }

    /// Converts an object to another version, through the hub.
    ///
    /// # Errors
    /// If one of the versions is unknown, or the object has no metadata.
    pub(crate) fn convert(&self, object: &Value, to: &str) -> Result<Converted, String> {
        let from = self.check(object["apiVersion"].as_str().unwrap_or_default(), to)?;
        if !object["metadata"].is_object() {
            return Err(format!("an object of {} has no metadata", self.name()));
        }
        if from == to {
            return Ok(Converted::new(object.clone()));
        }
        let in_hub = match self.spokes.get(from) {
            Some(spoke) => spoke.up(&self.hub).convert(object),
            None => Converted::new(object.clone()),
        };
        let Some(spoke) = self.spokes.get(to) else {
            return Ok(in_hub);
        };
        let converted = spoke.down(&self.hub).convert(&in_hub.object);
        let lost = in_hub.lost.into_iter().chain(converted.lost);
        Ok(Converted {
            unreadable: in_hub.unreadable.or(converted.unreadable),
            lost: lost.collect(),
            ..converted
        })
    }

    /// The user's conversion alone: from the hub to a spoke, or from the spoke to the hub.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn plain(&self, object: &Value, spoke: &str) -> serde_json::Result<Value> {
        let is_hub = object["apiVersion"] == *self.hub.api_version;
        let spoke = &self.spokes[spoke];
        if is_hub {
            (spoke.from_hub)(object)
        } else {
            (spoke.to_hub)(object)
        }
    }
}
