//! Another domain for a project.

use super::name::Domain;
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
}
