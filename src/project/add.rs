use crate::error::{Error, Result};

use super::name::{Group, Kind, Version};
use super::rules::check_finalizer;
use super::{Project, Resource};

impl Project {
    /// Adds an API. One that is there already just as it is asked for stays, and gets the
    /// controller that it was made without.
    ///
    /// # Errors
    /// The kind is there already in another shape, or cannot live beside what is there.
    pub fn add(&mut self, new: Resource) -> Result<()> {
        check_finalizer(&new)?;
        let Some(old) = self.find_mut(&new.group, &new.version, &new.kind) else {
            self.resources.push(new);
            return self.check();
        };
        let with_controller = Resource {
            controller: true,
            finalizer: if old.controller {
                old.finalizer
            } else {
                new.finalizer
            },
            ..old.clone()
        };
        if new == *old || new == with_controller {
            *old = new;
            return Ok(());
        }
        Err(other_settings(&new))
    }

    /// Gives a kind that has types a controller, with a finalizer where that is asked for.
    ///
    /// # Errors
    /// The project has no such kind, or has a controller of it without the finalizer.
    pub fn add_controller(
        &mut self,
        group: &Group,
        version: &Version,
        kind: &Kind,
        finalizer: bool,
    ) -> Result<()> {
        match self.find_mut(group, version, kind) {
            Some(old) if old.controller && finalizer && !old.finalizer => Err(other_settings(old)),
            Some(old) => {
                old.finalizer |= finalizer;
                old.controller = true;
                Ok(())
            }
            None => Err(Error::usage(format!(
                "the project has no {group}/{version} {kind} to control"
            ))
            .hint("make its types too: leave out `--resource=false`")),
        }
    }

    fn find_mut(&mut self, group: &Group, version: &Version, kind: &Kind) -> Option<&mut Resource> {
        self.resources
            .iter_mut()
            .find(|r| r.group == *group && r.version == *version && r.kind == *kind)
    }
}

fn other_settings(resource: &Resource) -> Error {
    Error::usage(format!(
        "{} is there already, with other settings",
        resource.gvk()
    ))
    .hint("PROJECT says with which; to change the API, edit its types in `api/`")
}
