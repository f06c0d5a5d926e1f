use crate::error::{Error, Result};

use super::name::{Group, Kind, Version};
use super::rules::check_finalizer;
use super::{Project, Resource};

impl Project {
    /// Adds an API. One that exists as it is asked for stays, and gets the controller or the finalizer
    /// that it was made without.
    ///
    /// # Errors
    /// The kind exists in another shape, or cannot live beside those that exist.
    pub fn add(&mut self, new: Resource) -> Result<()> {
        check_finalizer(&new)?;
        let Some(old) = self.find_mut(&new.group, &new.version, &new.kind) else {
            self.resources.push(new);
            return self.check();
        };
        let grown = Resource {
            controller: old.controller || new.controller,
            finalizer: old.finalizer || new.finalizer,
            ..old.clone()
        };
        if new == *old || new == grown {
            *old = new;
            return self.check();
        }
        Err(other_settings(&new))
    }

    /// Gives a kind that has types a controller, with a finalizer where that is asked for.
    ///
    /// # Errors
    /// The project has no such kind.
    pub fn add_controller(
        &mut self,
        group: &Group,
        version: &Version,
        kind: &Kind,
        finalizer: bool,
    ) -> Result<()> {
        match self.find_mut(group, version, kind) {
            Some(old) => {
                old.finalizer |= finalizer;
                old.controller = true;
                self.check()
            }
            None => Err(Error::usage(format!(
                "the project has no {group}/{version} {kind} to control"
            ))
            .hint("make its types too: leave out `--resource=false`")),
        }
    }

    /// The API of that name, if there is one.
    pub fn find(&self, group: &Group, version: &Version, kind: &Kind) -> Option<&Resource> {
        let is_it = |r: &&Resource| r.group == *group && r.version == *version && r.kind == *kind;
        self.resources.iter().find(is_it)
    }

    fn find_mut(&mut self, group: &Group, version: &Version, kind: &Kind) -> Option<&mut Resource> {
        self.resources
            .iter_mut()
            .find(|r| r.group == *group && r.version == *version && r.kind == *kind)
    }
}

fn other_settings(resource: &Resource) -> Error {
    Error::usage(format!(
        "{} already exists, with other settings",
        resource.gvk()
    ))
    .hint("PROJECT lists them; to change the API, edit its types in `api/`")
}
