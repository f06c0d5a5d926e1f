use crate::disk::View;
use crate::error::Result;
use crate::plan::{File, Tree};
use crate::project::Project;
use crate::project::layout::ROLE;

use super::rbac::{self, Known, Options, OwnKind};
use super::sources::Sources;

/// The role that the markers in the sources ask for.
///
/// The sources are those on disk, with what `after` adds to `before` over them: so the role of a
/// kind that is about to be made is known before a file of it is written. What the runtime needs is asked
/// for in the wiring of the controllers: its own sources may be anywhere.
pub fn role(view: &View, project: &Project, before: &Tree, after: &Tree) -> Result<File> {
    let options = Options {
        role_name: "manager-role".to_owned(),
        namespaced: project.namespaced,
    };
    let text = text(view, project, before, after, &options)?;
    Ok(File::owned(ROLE, text))
}

/// The roles of the markers, as `options` says that they are written.
pub(super) fn text(
    view: &View,
    project: &Project,
    before: &Tree,
    after: &Tree,
    options: &Options,
) -> Result<String> {
    let sources = Sources::read(view, before, after)?;
    rbac::roles(&sources.list(), &known(project)?, options)
}

/// The kinds of the project, which markers are checked against.
pub(super) fn known(project: &Project) -> Result<Known> {
    let own = project
        .resources
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
