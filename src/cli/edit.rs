use std::str::FromStr;

use clap::{ArgGroup, Args};

use crate::disk::View;
use crate::error::Result;
use crate::listed::listed;
use crate::plan::{Plan, Tree};
use crate::project::name::{Domain, NameError, Owner, ProjectName};
use crate::project::{License, Project, ProjectKind, Runtime};
use crate::scaffold::{Change, leftovers, links_out};

use super::delete::left;
use super::init::UNUSED_OWNER;
use super::invocation::{Access, Invocation, Opened, Transition};
use crate::address::OWNERSHIP;
use crate::cli::help::examples;

const EXAMPLES: &str = r#"Examples:
  rop edit --multigroup
  rop edit --namespaced=false
  rop edit --domain example.org --dry-run
  rop edit --license apache2 --owner "Example Inc.""#;

/// How many CRDs or files a note names.
const NAMED: usize = 5;

/// Change settings of the project, such as its domain, name or license.
///
/// Moves and renames code and tests, keeping your edits. If lines that you edited would have to change, prints the
/// change for you to make.
#[derive(Debug, Args)]
#[command(
    after_help = examples(EXAMPLES, &[OWNERSHIP]),
    arg_required_else_help = true,
    group = ArgGroup::new("settings").required(true).multiple(true)
)]
pub(super) struct EditArgs {
    /// Use a directory for the controllers of each group.
    #[arg(long, group = "settings", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    multigroup: Option<bool>,

    /// Watch only the operator's namespace, with a namespaced Role.
    #[arg(long, group = "settings", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    namespaced: Option<bool>,

    /// Domain of the API groups; objects in clusters are not migrated.
    #[arg(long, group = "settings")]
    domain: Option<Domain>,

    /// Name of the project, its crates and its Deployment.
    #[arg(long, group = "settings", value_name = "NAME")]
    project_name: Option<ProjectName>,

    /// License of the sources.
    #[arg(long, group = "settings", value_enum)]
    license: Option<License>,

    /// Copyright holder in the source headers; an empty value removes it.
    #[arg(long, group = "settings")]
    owner: Option<NewOwner>,

    /// Source of rop-runtime: vendored, VERSION, path:DIR or git:URL[#REV].
    #[arg(long, group = "settings", value_name = "SOURCE")]
    runtime: Option<Runtime>,

    /// Overwrite and delete generated files even if you edited them.
    #[arg(long)]
    force: bool,
}

/// An owner, or that there is none any more.
#[derive(Clone, Debug)]
struct NewOwner(Option<Owner>);

impl FromStr for NewOwner {
    type Err = NameError;

    fn from_str(value: &str) -> std::result::Result<Self, NameError> {
        match value {
            "" => Ok(Self(None)),
            value => value.parse().map(|owner| Self(Some(owner))),
        }
    }
}

pub(super) fn run(args: EditArgs, invocation: &Invocation) -> Result<()> {
    // What is missing may be of what moves.
    let Opened { entered, root } = invocation.open_incomplete(Access::Write)?;
    let view = &entered.view;
    let project = root.project;
    project.missing_sources(view).check()?;
    let force = args.force;
    let next = args.edited(&project);
    next.check()?;
    if next.runtime != project.runtime {
        next.runtime.check_folder(view)?;
    }
    let change = Change {
        merges_edits: true,
        ..Change::new(view, Some(&project), &next)
    };
    let (before, after) = change.trees()?;
    let transition = Transition {
        command: "edit",
        view,
        before,
        after,
        force,
    };
    let names = [&project, &next];
    let follow_up = |plan: &Plan| {
        let mut all = paths_with_old_names(view, plan, &transition.after, names);
        all.extend(notes(&project, &next));
        // The objects of the old name are deleted before the deploy.
        if next.project_name == project.project_name {
            all.extend(left::objects(&project, plan));
        }
        all.extend(left::outdated(view, plan));
        Ok(all)
    };
    let plan = invocation.carry_out_noting(&transition, follow_up)?;
    invocation.next(&plan, &["cargo test".into()]);
    Ok(())
}

/// Notes on files in which names stay.
fn paths_with_old_names(
    view: &View,
    plan: &Plan,
    after: &Tree,
    names: [&Project; 2],
) -> Vec<String> {
    let mut notes = Vec::new();
    for (paths, what) in [
        (
            leftovers(view, plan, after, names),
            "these files still have an old name: change it where it does not mean something else, such as a host",
        ),
        (
            links_out(view, names),
            "these links lead out of the project, so files behind them keep the old names",
        ),
    ] {
        let paths: Vec<_> = paths.iter().map(|path| format!("`{path}`")).collect();
        if !paths.is_empty() {
            notes.push(format!("{what}: {}", listed(&paths, NAMED)));
        }
    }
    notes
}

impl EditArgs {
    /// The project with other settings.
    fn edited(self, project: &Project) -> Project {
        let mut next = project.clone();
        if let Some(domain) = self.domain {
            next.set_domain(domain);
        }
        if let Some(name) = self.project_name {
            next.set_name(name);
        }
        if let Some(license) = self.license {
            next.license = license;
        }
        if let Some(runtime) = self.runtime {
            next.runtime = runtime;
        }
        next.multigroup = self.multigroup.unwrap_or(next.multigroup);
        next.namespaced = self.namespaced.unwrap_or(next.namespaced);
        if let Some(NewOwner(owner)) = self.owner {
            next.owner = owner;
        }
        next
    }
}

/// What a cluster that has the operator keeps of it as it was.
fn notes(old: &Project, new: &Project) -> Vec<String> {
    let mut notes = Vec::new();
    if new.owner.is_some() && new.owner != old.owner && new.license.is_none() {
        notes.push(UNUSED_OWNER.to_owned());
    }
    let crds = |of: &Project, other: &Project| {
        let is_in = |name: &String| other.own_kinds().any(|kind| kind.crd_name() == *name);
        let names = of
            .own_kinds()
            .map(ProjectKind::crd_name)
            .filter(|name| !is_in(name));
        names.map(|name| format!("`{name}`")).collect::<Vec<_>>()
    };
    let [gone, come] = [crds(old, new), crds(new, old)];
    if !gone.is_empty() {
        let (removed, added) = (listed(&gone, NAMED), listed(&come, NAMED));
        notes.push(format!(
            "clusters keep the CRDs {removed} and their objects: recreate the objects as {added} before you delete the old CRDs"
        ));
    }
    if new.project_name != old.project_name {
        let name = &old.project_name;
        notes.push(format!(
            "clusters keep the operator under its old name. Before you deploy the renamed one, run `kubectl delete \
            validatingwebhookconfigurations,mutatingwebhookconfigurations,clusterrolebindings,clusterroles \
            --selector app.kubernetes.io/name={name}`, then `kubectl delete deployment {name}-controller-manager \
            --namespace {name}-system`"
        ));
    }
    if new.multigroup != old.multigroup && new.own_kinds().next().is_some() {
        notes.push("user roles in `config/rbac` were renamed: update your RoleBindings".to_owned());
    }
    if new.project_name != old.project_name {
        notes.push(format!(
            "the field manager is now `{}`: fields that `{}` set and this operator does not set remain in child \
            objects until you remove them",
            new.project_name, old.project_name
        ));
    }
    if new.project_name != old.project_name {
        let (old, new) = (&old.project_name, &new.project_name);
        notes.push(format!(
            "label selectors with `{old}` match nothing now: the operator's pods have the label \
                `app.kubernetes.io/name: {new}`, and its children `app.kubernetes.io/managed-by: {new}`"
        ));
    }
    notes
}
