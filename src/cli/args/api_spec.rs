use std::str::FromStr;

use crate::error::Result;
use crate::project::name::{Group, Kind, NameError, Version};
use crate::project::{Project, ProjectKind};

/// The default version of a new kind.
pub(in crate::cli) const DEFAULT_VERSION: &str = "v1alpha1";

/// An API in one word: `app/AppService` or `app/v1/AppService`.
#[derive(Clone, Debug)]
pub(in crate::cli) struct ApiSpec {
    group: Group,
    version: Version,
    kind: Kind,
}

impl ApiSpec {
    /// The API with everything else at its default.
    pub(in crate::cli) fn kind(&self, project: &Project) -> Result<ProjectKind> {
        let (group, domain) = project.split_group(self.group.clone())?;
        let (version, kind) = (self.version.clone(), self.kind.clone());
        Ok(ProjectKind::own(domain, group, version, kind))
    }
}

impl FromStr for ApiSpec {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let (group, version, kind) = match value.split('/').collect::<Vec<_>>()[..] {
            [group, kind] => (group, DEFAULT_VERSION, kind),
            [group, version, kind] => (group, version, kind),
            _ => {
                return Err(NameError {
                    what: "API",
                    value: value.to_owned(),
                    rule: "expected GROUP/KIND or GROUP/VERSION/KIND".into(),
                    hint: Some("for example `app/v1/AppService`".into()),
                });
            }
        };
        Ok(Self {
            group: group.parse()?,
            version: version.parse()?,
            kind: kind.parse()?,
        })
    }
}
