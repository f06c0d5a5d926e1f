//! Changes PROJECT and generates the files that follow.

use std::collections::BTreeSet;

use crate::error::Result;
use crate::plan::{Action, Ownership};
use crate::project::{Project, ProjectKind, Versioned};
use crate::scaffold::Change;
use crate::ui::Ui;

use super::edits::edits;
use super::fixture::note_fields_to_check;
use super::moved::moved_kinds;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};

/// Path and text of a file from which others are generated.
pub(super) type Source = (String, String);

/// Changes PROJECT and updates all files, including the project's outputs.
pub(in crate::cli) fn extend(
    command: &str,
    force: bool,
    invocation: &Invocation,
    change: impl FnOnce(&mut Project) -> Result<()>,
) -> Result<()> {
    extend_with(command, force, invocation, |project| {
        change(project).map(|()| Vec::new())
    })
}

/// The same, with new versions of files from which others are generated.
pub(super) fn extend_with(
    command: &str,
    force: bool,
    invocation: &Invocation,
    change: impl FnOnce(&mut Project) -> Result<Vec<Source>>,
) -> Result<()> {
    let Opened { entered, root } = invocation.open_complete(Access::Write)?;
    let view = &entered.view;
    let mut project = root.project.clone();
    let sources = change(&mut project)?;
    let renewed = files_of(&project, &sources);
    let with_sources = view.with(sources)?;
    let change = Change {
        sources: &with_sources,
        ..Change::new(view, Some(&root.project), &project)
    };
    let (mut before, after) = change.trees()?;
    note_fields_to_check(&with_sources, &project, &before, &invocation.ui)?;
    let known = root.project.own_versions().count();
    for Versioned { kind, .. } in project.own_versions().skip(known) {
        note_ambiguous_owner(kind, &invocation.ui);
        if !kind.plural.is_plain(&kind.name) {
            let (kind, plural) = (&kind.name, &kind.plural);
            invocation.ui.note(&format!(
                "using the plural `{plural}` for `{kind}`; it cannot be changed once served (`--plural` sets \
                another)"
            ));
        }
    }
    // What is made of a source that was given again is compared with what is there.
    before.retain(|file| !renewed.contains(file.path()));
    let transition = Transition {
        command,
        view,
        before,
        after,
        force,
    };
    let plan = invocation.carry_out_noting(&transition, |plan| {
        moved_kinds(view, &root.project, &project, plan)
    })?;
    let is_types = |path: &str| {
        let mut own = project.own_versions();
        own.any(|version| path == version.types_file() || path == version.types_in_folder())
    };
    let types = plan.changes.iter().find(|c| {
        c.action == Action::Create && c.ownership == Ownership::Seeded && is_types(&c.path)
    });
    let edit = types.map(|c| format!("edit {}, then run `rop generate manifests`", c.path));
    let edits = edit
        .into_iter()
        .chain(edits(controllers, [&root.project, &project]));
    let steps = edits.chain(["cargo test".into()]);
    invocation.next(&plan, &steps.collect::<Vec<_>>());
    Ok(())
}

/// The sources, and the types generated from them.
fn files_of(project: &Project, sources: &[Source]) -> BTreeSet<String> {
    let crds: BTreeSet<String> = sources.iter().map(|(path, _)| path.clone()).collect();
    let kinds = project
        .external_types()
        .filter(|kind| crds.contains(&kind.crd()));
    let types: Vec<String> = kinds.map(|kind| kind.hub().types_file()).collect();
    crds.into_iter().chain(types).collect()
}

/// Notes that a new kind may be meant to be a kind of Kubernetes or of another operator.
fn note_ambiguous_owner(new: &ProjectKind, ui: &Ui) {
    let (group, kind, whole) = (&new.group, &new.name, new.api_group());
    if let Ok(Some(built_in)) = ProjectKind::built_in(group, None, kind) {
        let gvk = built_in.hub().gvk();
        ui.note(&format!(
            "`{whole}` {kind} is a new kind of this project; for a controller of the built-in {gvk} instead: `rop \
            delete api --group {group} --kind {kind}`, then `rop create api --group {group} --kind {kind} \
            --resource=false`"
        ));
    } else if let Some(built_in) = ProjectKind::nearest_built_in(group, kind) {
        ui.note(&format!(
            "`{whole}` {kind} is a new kind of this project; did you mean the built-in {}?",
            built_in.hub().gvk()
        ));
    } else if group.as_str().contains('.') {
        ui.note(&format!(
            "`{whole}` {kind} is a new kind of this project; for another operator's {group} {kind}: `rop create \
            api --group {group} --kind {kind} --external-crd FILE`"
        ));
    }
}

/// The sources of controllers without a template.
fn controllers(project: &Project) -> Vec<String> {
    let controllers = project
        .controllers()
        .into_iter()
        .filter(|controller| !controller.is_of_template());
    controllers
        .map(|controller| format!("{}/reconcile.rs", controller.source()))
        .collect()
}
