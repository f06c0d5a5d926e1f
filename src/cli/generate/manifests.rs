use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;

use crate::disk::View;
use crate::error::Result;
use crate::manifest::{self, Sources};
use crate::plan::{self, Ownership, Plan, Tree};
use crate::project::Root;
use crate::project::layout::{CRD_KUSTOMIZATION, DEFAULT_KUSTOMIZATION, WEBHOOKS};
use crate::record;
use crate::scaffold;
use crate::template;

use crate::cli::invocation::{Access, Invocation, Opened, Transition};

use super::check::{Check, Drift, access};
use super::recorded;

const EXAMPLES: &str = "\
Examples:
  rop generate manifests
  rop generate manifests --check";

const CHECK: Check<'_> = Check {
    command: "generate manifests --check",
    fine: "the manifests are up to date",
    drift: "manifests are out of date",
    hint: "run `rop generate manifests`, follow its notes, and commit the result",
};

const EXTERNAL_CHECK: Check<'_> = Check {
    command: CHECK.command,
    fine: CHECK.fine,
    drift: "generated types do not match the CRDs in config/external",
    hint: "run `rop generate project` and commit the result",
};

/// Generate CRDs from the types, and the role and webhooks from the markers.
///
/// CRDs come from running the derives of the types in `api/`, the role from `+kubebuilder:rbac` markers in `src/`, and
/// `config/webhook` from `+kubebuilder:webhook` markers. The folder `deploy/` is updated too, if it exists, and
/// Cargo.toml, if PROJECT sets another runtime. Types that do not match the CRDs in `config/external` are reported;
/// `rop generate project` regenerates them.
///
/// `--check` and `--dry-run` write no manifests, but they compile and run the project's code too, with the build
/// scripts and procedural macros of all its dependencies.
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ManifestsArgs {
    /// Write nothing; print differences and exit with 3 if there are any.
    #[arg(long)]
    check: bool,

    /// Overwrite manifests that you edited.
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

pub(in crate::cli) fn run(args: &ManifestsArgs, invocation: &Invocation) -> Result<()> {
    let Opened { entered, root } = invocation.open_on_disk(access(args.check))?;
    let view = &entered.view;
    let external = external_drift(&root, view)?;
    if !external.is_empty() {
        // The project may not even compile with them.
        if args.check {
            return external.report(&EXTERNAL_CHECK, invocation);
        }
        invocation.ui.note(&format!(
            "{}: {}; to regenerate: `rop generate project`",
            EXTERNAL_CHECK.drift,
            external.files().join(", ")
        ));
    }
    let writes = !args.check;
    let change = change(&root, view, args.force, writes, invocation)?;
    let unused = Unused::find(view, &change.after)?;
    if args.check {
        return unused.drift(&change)?.report(&CHECK, invocation);
    }
    let follow_up = |_: &Plan| {
        let mut notes = unused.notes();
        if change.after.get(WEBHOOKS).is_some() && !manifest::deploys_webhooks(view)? {
            notes.push(format!(
                "to deploy the webhooks, add `../webhook` to `components:` in {DEFAULT_KUSTOMIZATION}"
            ));
        }
        Ok(notes)
    };
    invocation.carry_out_noting(&change, follow_up).map(drop)
}

/// The manifests of a project that are out of date.
pub(in crate::cli) fn drift(root: &Root, view: &View, invocation: &Invocation) -> Result<Drift> {
    let change = change(root, view, true, false, invocation)?;
    Unused::find(view, &change.after)?.drift(&change)
}

/// The types that do not match the CRDs in `config/external`.
fn external_drift(root: &Root, view: &View) -> Result<Drift> {
    let after = scaffold::external_types(view, &root.project)?;
    // What `generate project` overwrites without force is known from the record.
    Ok(Drift {
        forced: BTreeSet::new(),
        ..Drift::between(view, &Tree::default(), &after)?
    })
}

/// Manifests that nothing generates any more, or that no command installs.
struct Unused {
    crds: Vec<String>,
    webhooks: Option<String>,
    unlisted: BTreeSet<String>,
}

impl Unused {
    fn find(view: &View, after: &Tree) -> Result<Self> {
        Ok(Self {
            crds: manifest::orphans(view, after)?,
            webhooks: manifest::orphaned_webhooks(view, after)?,
            unlisted: manifest::unlisted_crds(view, after)?,
        })
    }

    fn drift(&self, change: &Transition<'_>) -> Result<Drift> {
        let orphans = self
            .crds
            .iter()
            .chain(&self.webhooks)
            .map(|path| format!("{path} (no longer generated)"));
        let unlisted = self
            .unlisted
            .iter()
            .map(|crd| format!("{CRD_KUSTOMIZATION} (does not list {crd})"));
        Ok(Drift {
            more: orphans.chain(unlisted).collect(),
            ..Drift::of(change)?
        })
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for crd in &self.unlisted {
            notes.push(format!(
                "`{CRD_KUSTOMIZATION}` does not list `{crd}`, so no command installs it: `rop generate project` \
                    adds the line; comment the line out if that is intended"
            ));
        }
        for path in &self.crds {
            notes.push(format!(
                "`{path}` has no type in `api/` any more: remove the file, its sample and its line in \
                config/crd/kustomization.yaml"
            ));
        }
        if let Some(path) = &self.webhooks {
            notes.push(format!(
                "`{path}` has no marker any more: remove its directory and the directory's line in {DEFAULT_KUSTOMIZATION}"
            ));
        }
        notes
    }
}

/// Writes the manifests of a project whose code and PROJECT may have changed, and says whether any is another
/// now. What there is nothing to say about stays unsaid.
pub(in crate::cli) fn refresh(path: &Path, invocation: &Invocation) -> Result<bool> {
    let entered = invocation.enter(path, Access::Write)?;
    // Kinds may have been added since.
    let root = Root::read(path, &entered.view)?;
    let change = change(&root, &entered.view, false, true, invocation)?;
    if plan::plan(change.view, &change.before, &change.after, true)?.is_empty() {
        return Ok(false);
    }
    invocation.carry_out(&change)?;
    Ok(true)
}

/// The manifests that the code of a project asks for, and what follows the runtime that PROJECT
/// names. What the user may edit of outputs is only in it if the command `writes`.
fn change<'a>(
    root: &Root,
    view: &'a View,
    force: bool,
    writes: bool,
    invocation: &Invocation,
) -> Result<Transition<'a>> {
    let (mut before, mut after) = match scaffold::as_built(view, &root.project)? {
        built if built.runtime == root.project.runtime => Default::default(),
        built => template::render(&built)?.differences(&template::render(&root.project)?),
    };
    scaffold::add_role_namespaces_on_disk(view, &mut before)?;
    let mut manifests = manifests(root, view, invocation)?;
    before.extend(add_outputs(root, view, writes, &mut manifests)?);
    after.extend(manifests);
    Ok(Transition {
        command: "generate manifests",
        view,
        before,
        after,
        force,
    })
}

/// The manifests generated from the project's code.
fn manifests(root: &Root, view: &View, invocation: &Invocation) -> Result<Tree> {
    let mut after = Tree::default();
    invocation.ui.building("the types in `api/`");
    let crds = manifest::crds(root, invocation.ui.hides_progress())?;
    for note in &crds.notes {
        invocation.ui.note(note);
    }
    for file in crds.files {
        after.insert(file);
    }
    let nothing = Tree::default();
    let sources = Sources::read(view, &nothing, &after)?;
    scaffold::add_role(&sources, &root.project, &mut after)?;
    let mut folder = scaffold::webhook_folder(view, &sources, &root.project)?;
    scaffold::leave_to_user(view, &mut folder, false)?;
    after.extend(folder);
    Ok(after)
}

/// Adds the outputs of the project to its manifests. Returns them as they were last generated.
fn add_outputs(root: &Root, view: &View, writes: bool, after: &mut Tree) -> Result<Tree> {
    let manifests: BTreeSet<String> = after.files().map(|file| file.path().to_owned()).collect();
    let mut before = recorded::add_outputs(view, &root.project, None, after)?;
    if writes {
        let mut outputs = after.clone();
        outputs.retain(|file| !manifests.contains(file.path()));
        let (recorded, record) = record::extended(view, &outputs)?;
        before.extend(recorded);
        after.extend(record);
    } else {
        before.retain(|file| file.ownership() == Ownership::Owned);
        after
            .retain(|file| file.ownership() == Ownership::Owned || manifests.contains(file.path()));
    }
    Ok(before)
}
