//! What a project is called.

use std::fmt::{self, Display};
use std::str::FromStr;

use crate::project::Project;
use crate::project::name::{Domain, ProjectName};

/// A name and a domain, as a project had them in one branch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Names {
    name: String,
    domain: String,
}

impl Names {
    pub(crate) fn of(project: &Project) -> Self {
        Self {
            name: project.project_name.to_string(),
            domain: project.domain.to_string(),
        }
    }

    /// Whether two names can be those of one project: `rop edit` or a merge changes them, and another project has both.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.name == other.name || self.domain == other.domain
    }

    /// What differs from a project, for a message: the name, or else the domain.
    pub(crate) fn label(&self, project: &Project) -> &str {
        if self.name == project.project_name.as_str() {
            &self.domain
        } else {
            &self.name
        }
    }

    /// A project under these names. Nothing if they are none.
    pub(crate) fn apply_to(&self, mut project: Project) -> Option<Project> {
        project.set_name(self.name.parse::<ProjectName>().ok()?);
        project.set_domain(self.domain.parse::<Domain>().ok()?);
        Some(project)
    }
}

impl Display for Names {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.name, self.domain)
    }
}

impl FromStr for Names {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut words = text.split(' ');
        match (words.next(), words.next()) {
            (Some(name), Some(domain)) if !text.starts_with('{') => Ok(Self {
                name: name.to_owned(),
                domain: domain.to_owned(),
            }),
            _ => Err(()),
        }
    }
}
