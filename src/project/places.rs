//! What the files of a resource are called, and that no two resources share one.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

use super::name::module;
use super::{Project, Resource};

impl Project {
    /// Checks that no file, module or role is of two resources.
    ///
    /// What a resource has by its group and kind is unique if those are. What is called after the
    /// kind alone gets the group before it if an earlier kind has the name, and may then be called as
    /// a third one is.
    pub(super) fn check_places(&self) -> Result<()> {
        let mut taken: BTreeMap<String, &Resource> = BTreeMap::new();
        for resource in &self.resources {
            let controller = self.controller_module(resource).join("/");
            let roles = self.role_stem(resource).join("_");
            for place in [
                format!("src/controller/{controller}/"),
                format!("config/rbac/{roles}_*_role.yaml"),
            ] {
                if let Some(other) = taken.insert(place.clone(), resource) {
                    return Err(Error::usage(format!(
                        "{} and {} would both have the files `{place}`",
                        resource.gvk(),
                        other.gvk()
                    ))
                    .hint("choose another kind or group, or make the project with `rop init --multigroup`"));
                }
            }
        }
        Ok(())
    }

    /// The module of a resource's controller below `src/controller/`: one folder for the kind, in
    /// one for the group where the project is multigroup. Where two groups have the same kind in
    /// a project that is not, the later one gets its group into the name.
    pub fn controller_module(&self, resource: &Resource) -> Vec<String> {
        let kind = resource.kind.module();
        let group = resource.group.module();
        if self.multigroup {
            // A module must not be called as the one that it is in.
            let kind = if kind == group {
                format!("{kind}_")
            } else {
                kind
            };
            return vec![group, kind];
        }
        let is_taken = self
            .resources
            .iter()
            .take_while(|other| *other != resource)
            .any(|other| other.kind.module() == kind);
        match is_taken {
            true => vec![module(&format!("{}_{kind}", group.trim_end_matches('_')))],
            false => vec![kind],
        }
    }

    /// What the roles for people of a resource are called after: the kind, with its group before it
    /// where the project is multigroup, or where an earlier group has such a kind too.
    pub fn role_stem(&self, resource: &Resource) -> Vec<String> {
        let kind = resource.kind.lower();
        let is_taken = self
            .resources
            .iter()
            .take_while(|other| *other != resource)
            .any(|other| other.kind.lower() == kind);
        match self.multigroup || is_taken {
            true => vec![resource.group.to_string(), kind],
            false => vec![kind],
        }
    }
}
