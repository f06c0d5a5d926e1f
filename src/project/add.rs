use crate::error::{Error, Result};

use super::name::{Domain, Group, Kind, Version};
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
        let Some(old) = self.find_mut(&new.domain, &new.group, &new.version, &new.kind) else {
            self.resources.own.push(new);
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
        (group, domain): (&Group, &Domain),
        version: &Version,
        kind: &Kind,
        finalizer: bool,
    ) -> Result<()> {
        match self.find_mut(domain, group, version, kind) {
            Some(old) => {
                old.finalizer |= finalizer;
                old.controller = true;
                self.check()
            }
            None => Err(Error::usage(format!(
                "the project has no types of {group}.{domain}/{version} {kind}, and a controller of a kind that is not the project's own cannot be generated"
            ))
            .hint("to make the types too, leave out `--resource=false`; to control a built-in kind, register a controller by hand as the book's chapter on extending shows")),
        }
    }

    /// Whether any kind has a controller.
    pub fn has_controllers(&self) -> bool {
        self.resources.own.iter().any(|one| one.controller)
    }

    /// A group as it was asked for, and the domain behind it. A group that ends in the project's
    /// domain is taken for the whole one, and one that is that domain is split at its first dot.
    ///
    /// # Errors
    /// The group is a domain of one part, which cannot be split.
    pub fn split_group(&self, group: Group) -> Result<(Group, Domain)> {
        let whole = group.as_str();
        let below = whole.strip_suffix(self.domain.as_str());
        if below == Some("") {
            let (first, rest) = whole.split_once('.').ok_or_else(|| {
                Error::usage(format!(
                    "the group `{whole}` is the project's whole domain, and has one part"
                ))
                .hint("a CRD's group needs a dot")
            })?;
            return Ok((first.parse()?, rest.parse()?));
        }
        match below.and_then(|below| below.strip_suffix('.')) {
            Some(below) => Ok((below.parse()?, self.domain.clone())),
            None => Ok((group, self.domain.clone())),
        }
    }

    /// The API of that name, if there is one.
    pub fn find(
        &self,
        domain: &Domain,
        group: &Group,
        version: &Version,
        kind: &Kind,
    ) -> Option<&Resource> {
        let is_it = |r: &&Resource| r.is_named(domain, group, version, kind);
        self.resources.own.iter().find(is_it)
    }

    fn find_mut(
        &mut self,
        domain: &Domain,
        group: &Group,
        version: &Version,
        kind: &Kind,
    ) -> Option<&mut Resource> {
        let is_it = |r: &&mut Resource| r.is_named(domain, group, version, kind);
        self.resources.own.iter_mut().find(is_it)
    }
}

fn other_settings(resource: &Resource) -> Error {
    Error::usage(format!(
        "{} already exists, with other settings",
        resource.gvk()
    ))
    .hint("PROJECT lists them; to change the API, edit its types in `api/`")
}
