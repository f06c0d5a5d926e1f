//! Other settings for a project, with what PROJECT says of its kinds because of them.

use super::name::{Domain, ProjectName};
use super::{Origin, Project};

impl Project {
    /// Gives the project another domain, and the kinds of its own that are in the old one.
    pub fn set_domain(&mut self, domain: Domain) {
        let old = std::mem::replace(&mut self.domain, domain);
        for kind in &mut self.kinds {
            if let Origin::Own(own) = &mut kind.origin
                && own.domain == old
            {
                own.domain.clone_from(&self.domain);
            }
        }
    }

    /// Gives the project another name, and the types that are generated in its crates another path.
    pub fn set_name(&mut self, name: ProjectName) {
        let [old, new] = [&self.project_name, &name].map(|name| format!("{}::", name.api_crate()));
        for kind in self
            .kinds
            .iter_mut()
            .filter(|kind| kind.has_generated_types())
        {
            if let Origin::External(external) = &mut kind.origin
                && let Some(path) = external.path.strip_prefix(&old)
            {
                external.path = format!("{new}{path}");
            }
        }
        self.project_name = name;
    }
}
