//! Another domain for a project.

use super::Project;
use super::name::Domain;

impl Project {
    /// Gives the project another domain, and the kinds of its own that are in the old one.
    pub fn set_domain(&mut self, domain: Domain) {
        let old = std::mem::replace(&mut self.domain, domain);
        for own in &mut self.resources.own {
            if own.domain == old {
                own.domain.clone_from(&self.domain);
            }
        }
    }
}
