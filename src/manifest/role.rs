use crate::error::Result;
use crate::plan::File;
use crate::project::Project;
use crate::project::layout::ROLE;

use super::rbac::{self, Known, Options, OwnKind};
use super::sources::Sources;

/// The role that the markers in the sources ask for.
///
/// What the runtime needs is asked for in the wiring of the controllers: its own sources may be anywhere.
pub fn role(sources: &Sources, project: &Project) -> Result<File> {
    let options = Options {
        role_name: "manager-role".to_owned(),
        namespaced: project.namespaced,
    };
    let text = text(sources, project, &options)?;
    Ok(File::owned(ROLE, text))
}

/// The roles of the markers, as `options` says that they are written.
pub(super) fn text(sources: &Sources, project: &Project, options: &Options) -> Result<String> {
    rbac::roles(&sources.list(), &known(project)?, options)
}

/// The kinds of the project, which markers are checked against.
pub(super) fn known(project: &Project) -> Result<Known> {
    let own = project
        .resources
        .own
        .iter()
        .filter(|r| r.api.is_some())
        .map(|resource| {
            Ok(OwnKind {
                group: resource.api_group()?.to_string(),
                kind: resource.kind.to_string(),
                plural: resource.plural.to_string(),
                version: resource.version.to_string(),
                namespaced: resource.is_namespaced(),
            })
        });
    Ok(Known {
        own: own.collect::<Result<_>>()?,
    })
}
