use std::collections::BTreeSet;
use std::str::FromStr;

use clap::Args;

use crate::error::{Error, Result};
use crate::plan::{Action, Ownership};
use crate::project::name::{
    ControllerName, DeprecationWarning, Group, Image, Kind, Label, NameError, Plural, Version,
};
use crate::project::{Api, Controller, CoreKind, Project, Resource, Template, finalizer_of_others};
use crate::scaffold;
use crate::ui::Ui;

use super::external::ExternalArgs;
use super::external_version::Wanted;
use super::fixture::say_what_to_check;
use super::moved::say_what_moved;
use crate::cli::args::ignored_flags::IgnoredFlags;
use crate::cli::invocation::{Access, Invocation, Opened, Transition};

const EXAMPLES: &str = "\
Examples:
  rop create api --group app --kind AppService
  rop create api --group app --version v1 --kind AppService --image nginx:1.29 --port 80
  rop create api --group ops --kind Region --cluster-scoped --template minimal
  rop create api --group app --kind Snapshot --controller=false
  rop create api --group app --version v1 --kind AppService    # another version
  rop create api --group app --version v1 --kind AppService --hub --controller
  rop create api --group app --version v1alpha1 --kind AppService --deprecation-warning 'use v1'
  rop create api --group apps --kind Deployment --resource=false     # a controller of a kind of Kubernetes
  rop create api --group app --kind AppService --resource=false --controller-name backup
  rop create api --group cert-manager.io --kind Certificate --external-crd certificates.yaml
  rop create api --external-crd crds.yaml    # the types of all kinds that the file defines";

/// Add an API: its types, its CRD, a sample, and a controller with its role.
///
/// For another version of a kind, its types start as a copy of those of the newest one. The controller stays
/// where it is, and objects are stored as before: `--controller` and `--hub` move them to this version.
///
/// With `--resource=false`, add a controller alone: of a kind that has types, or of a kind of Kubernetes, such as
/// `--group apps --kind Deployment`. `--controller-name` adds another controller to a kind that has one.
///
/// For a kind of another operator, such as `--group cert-manager.io --kind Certificate`, `--external-crd` generates its
/// types from its CRD, which the project keeps in `config/external`: run it again with a newer CRD. With
/// `--external-api-crate` a crate has the types. With `--controller=false` there are the types alone, for an operator
/// that owns or reads such objects. Without `--kind`, generate the types of all kinds that the file defines, or of those
/// of one group.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ApiArgs {
    /// The group, without the project's domain; `core` for Pods and the like.
    #[arg(long, required_unless_present = "crd")]
    group: Option<Group>,

    /// The version [default: v1alpha1, or that of a kind that exists].
    #[arg(long)]
    version: Option<Version>,

    /// The kind.
    #[arg(long, required_unless_present = "crd")]
    kind: Option<Kind>,

    /// Plural for URLs [default: the kind's English plural].
    #[arg(long)]
    plural: Option<Plural>,

    /// A short name for kubectl. May be given several times.
    #[arg(long = "short-name", value_name = "NAME")]
    short_names: Vec<Label>,

    /// A category for kubectl, such as `all`. May be given several times.
    #[arg(long = "category", value_name = "NAME")]
    categories: Vec<Label>,

    /// Whether objects are namespaced.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    namespaced: Option<bool>,

    /// Objects are cluster-scoped: same as `--namespaced=false`.
    #[arg(long, conflicts_with = "namespaced")]
    cluster_scoped: bool,

    /// Whether to create the types and the CRD.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    resource: Option<bool>,

    /// The same as `--resource=false`.
    #[arg(long, conflicts_with = "resource")]
    no_resource: bool,

    /// Whether to create a controller.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    controller: Option<bool>,

    /// The same as `--controller=false`.
    #[arg(long, conflicts_with = "controller")]
    no_controller: bool,

    /// Add another controller of this name to a kind that has one. Needs `--resource=false`.
    #[arg(long, value_name = "NAME")]
    controller_name: Option<ControllerName>,

    #[command(flatten)]
    external: ExternalArgs,

    /// Add a finalizer, and a cleanup that runs before an object is deleted.
    #[arg(long)]
    finalizer: bool,

    /// Store objects in this version, and convert the others to and from it.
    #[arg(long)]
    hub: bool,

    /// Whether the API server serves this version.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    served: Option<bool>,

    /// Whether clients of this version are warned.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    deprecated: Option<bool>,

    /// What they are warned with; implies `--deprecated`.
    #[arg(long, value_name = "TEXT")]
    deprecation_warning: Option<DeprecationWarning>,

    /// Template for the types and the controller.
    #[arg(long, value_enum)]
    template: Option<Template>,

    /// The image in the sample.
    #[arg(long)]
    image: Option<Image>,

    /// The port in the sample.
    #[arg(long, alias = "image-container-port", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,

    /// Overwrite files that conflict.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    ignored: IgnoredFlags,
}

const DEFAULT_VERSION: &str = "v1alpha1";

pub(super) fn run(args: ApiArgs, invocation: &Invocation) -> Result<()> {
    args.check_names()?;
    args.ignored.report(&invocation.ui);
    let force = args.force;
    extend_with("create api", force, invocation, |project| {
        args.apply(project, &invocation.ui)
    })
}

/// Path and text of a file from which others are generated.
type Source = (String, String);

/// Changes what PROJECT lists, and brings all files in line with it: also those of the flat folder
/// `deploy/`, where the project has one.
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

/// The same, with a new text of a file from which others are generated.
fn extend_with(
    command: &str,
    force: bool,
    invocation: &Invocation,
    change: impl FnOnce(&mut Project) -> Result<Vec<Source>>,
) -> Result<()> {
    let Opened { entered, root } = invocation.open_whole(Access::Write)?;
    let view = &entered.view;
    let mut project = root.project.clone();
    let sources = change(&mut project)?;
    let mut before = scaffold::made(view, &root.project)?;
    let renewed = files_of(&project, &sources);
    let with_sources = view.with(sources)?;
    let after = scaffold::wanted(&with_sources, &project, &before, false)?;
    say_what_to_check(&with_sources, &project, &before, &invocation.ui)?;
    for new in project
        .resources
        .own
        .iter()
        .skip(root.project.resources.own.len())
    {
        say_whose_it_is(new, &invocation.ui)?;
        if !new.plural.is_plain(&new.kind) {
            let (kind, plural) = (&new.kind, &new.plural);
            invocation.ui.note(&format!(
                "the plural of `{kind}` is `{plural}`: once it is served it cannot be changed; `--plural` sets another"
            ));
        }
    }
    // What is made of a source that was given again is compared with what is there.
    before.retain(|file| !renewed.contains(file.path()));
    let plan = invocation.carry_out(&Transition {
        command,
        view,
        before,
        after,
        force,
    })?;
    say_what_moved(view, &root.project, &project, &plan, &invocation.ui)?;
    let is_types = |path: &str| {
        let mut own = project.resources.own.iter();
        own.any(|one| path == one.types_file() || path == one.types_in_folder())
    };
    let types = plan.changes.iter().find(|c| {
        c.action == Action::Create && c.ownership == Ownership::Seeded && is_types(&c.path)
    });
    let edit = types.map(|c| format!("edit {}, then run `rop generate manifests`", c.path));
    let edits = edit
        .into_iter()
        .chain(new_controllers(&root.project, &project));
    let steps = edits.chain(["cargo test".into()]);
    invocation.next(&plan, &steps.collect::<Vec<_>>());
    Ok(())
}

/// The sources, and the types that are made of them.
fn files_of(project: &Project, sources: &[Source]) -> BTreeSet<String> {
    let crds: BTreeSet<String> = sources.iter().map(|(path, _)| path.clone()).collect();
    let kinds = project.external_types();
    let kinds = kinds.filter(|kind| crds.contains(&kind.crd()));
    let types: Vec<String> = kinds.map(CoreKind::types).collect();
    crds.into_iter().chain(types).collect()
}

/// Says of a new kind of the project that somebody else has one of its name.
fn say_whose_it_is(new: &Resource, ui: &Ui) -> Result<()> {
    let (group, kind, whole) = (&new.group, &new.kind, new.api_group()?);
    if let Ok(Some(core)) = CoreKind::find(group, None, kind) {
        let gvk = core.gvk();
        ui.note(&format!(
            "{kind} of `{whole}` is a new kind of this project; for a controller of Kubernetes' own {gvk}: \
             `rop create api --group {group} --kind {kind} --resource=false`"
        ));
    } else if group.as_str().contains('.') {
        ui.note(&format!(
            "{kind} of `{whole}` is a new kind of this project; for {group} {kind} of another operator: \
             `rop create api --group {group} --kind {kind} --external-crd FILE`"
        ));
    }
    Ok(())
}

/// What to do with each controller that was added without types.
fn new_controllers(before: &Project, after: &Project) -> Vec<String> {
    let before = before.controllers();
    let is_new = |one: &Controller<'_>| {
        !one.is_of_template() && before.iter().all(|known| known.module != one.module)
    };
    let new = after.controllers().into_iter().filter(is_new);
    new.map(|one| format!("edit {}/reconcile.rs", one.source()))
        .collect()
}

impl ApiArgs {
    /// Whether types of the project's own are asked for.
    fn with_api(&self) -> bool {
        let is_usual = !self.no_resource && self.external.file().is_none();
        self.resource.unwrap_or(is_usual)
    }

    /// Checks names that a kind of the project's own can have, and those of others need not.
    fn check_names(&self) -> Result<()> {
        if self.with_api() {
            self.kind.as_ref().map_or(Ok(()), Kind::check_own)?;
            self.version.as_ref().map_or(Ok(()), Version::check_own)?;
        }
        Ok(())
    }

    /// Puts what was asked for into the project.
    fn apply(mut self, project: &mut Project, ui: &Ui) -> Result<Vec<Source>> {
        let crd = self.external.file().map(str::to_owned);
        let with_api = self.with_api();
        let with_controller = self.controller.unwrap_or(!self.no_controller);
        if with_api && crd.is_some() {
            return Err(Error::usage(
                "`--external-crd` is for another operator's kind, which this project does not define",
            )
            .hint("leave out `--resource`"));
        }
        if !with_api && crd.is_none() && !with_controller {
            return Err(Error::usage(
                "nothing to create: neither types nor a controller were requested",
            )
            .hint("leave out `--resource=false` or `--controller=false`"));
        }
        if let Some(name) = &self.controller_name
            && (with_api || !with_controller)
        {
            return Err(Error::usage(format!(
                "the controller `{name}` is another one of a kind that exists: it comes without types"
            ))
            .hint("add `--resource=false`, and leave out `--controller=false`"));
        }
        if let Some(crd) = crd {
            return self.apply_external(&crd, project, with_controller, ui);
        }
        let (Some(asked), Some(kind)) = (self.group.take(), self.kind.take()) else {
            return Err(Error::usage("`--group` and `--kind` name the kind"));
        };
        let asked = match with_api {
            true => asked,
            false => self.external.whole(&asked)?,
        };
        let (group, domain) = project.split_group(asked.clone())?;
        if group != asked {
            ui.note(&format!("the API group is `{group}.{domain}`"));
        }
        if !with_api {
            self.say_what_needs_types(ui);
            let (version, name) = (self.version.as_ref(), self.controller_name);
            project.add_controller(asked, version, &kind, name, self.finalizer)?;
            return Ok(Vec::new());
        }
        let (hub, moves_controller) = (self.hub, self.controller == Some(true));
        let new = Resource::new(domain, group, default_version(), kind);
        let mut resource = self.into_resource(project, new, with_controller, ui);
        if moves_controller {
            project.take_controllers(&mut resource);
        }
        project.add(resource.clone())?;
        if hub {
            project.make_hub(&resource)?;
        }
        Ok(Vec::new())
    }

    /// Lists the kinds of other operators that were asked for. One that is named gets a controller.
    fn apply_external(
        self,
        file: &str,
        project: &mut Project,
        with_controller: bool,
        ui: &Ui,
    ) -> Result<Vec<Source>> {
        let wanted = Wanted {
            group: self.group.as_ref(),
            version: self.version.as_ref(),
            kind: self.kind.as_ref(),
            with_controller: with_controller
                && (self.kind.is_some()
                    || self.controller.is_some()
                    || self.controller_name.is_some()),
        };
        let found = self.external.read(file, project, &wanted, ui)?;
        self.say_what_needs_types(ui);
        if let (Some(one), true) = (found.first(), self.finalizer) {
            return Err(finalizer_of_others(&one.kind));
        }
        if let ([_, other, ..], true) = (&found[..], wanted.with_controller) {
            let gvk = other.kind.gvk();
            return Err(Error::usage(format!(
                "a controller is of one kind, and `{file}` defines {gvk} too"
            ))
            .hint("name the kind with `--group` and `--kind`, or leave out `--controller`"));
        }
        let controlled = match &found[..] {
            [one] if wanted.with_controller => Some(one.kind.clone()),
            _ => None,
        };
        let (kinds, sources): (Vec<_>, Vec<Source>) = found
            .into_iter()
            .map(|one| ((one.kind, one.moved), one.crd))
            .unzip();
        project.add_external(kinds)?;
        if let Some(kind) = controlled {
            let group = kind.api_group().parse()?;
            let name = self.controller_name.clone();
            let version = Some(&kind.version);
            project.add_controller(group, version, &kind.kind, name, self.finalizer)?;
        }
        Ok(sources)
    }

    /// The version of a kind that was asked for. What a flag does not say stays as it is, if there is one.
    fn into_resource(
        self,
        project: &Project,
        new: Resource,
        with_controller: bool,
        ui: &Ui,
    ) -> Resource {
        let kind = project.own_kind(&new);
        let hub = kind.versions().next().map(|_| kind.hub().version.clone());
        let version = self.version.or(hub).unwrap_or_else(default_version);
        let base = match (kind.version(&version), kind.newest()) {
            (Some(found), _) => found.clone(),
            (None, Some(newest)) => newest.in_version(version),
            (None, None) => Resource { version, ..new },
        };
        // A further version has no controller of its own.
        let others = kind.versions().any(|one| one.version != base.version);
        let with_controller = match others {
            true => self.controller == Some(true) || base.controller,
            false => with_controller,
        };
        let template = self.template.unwrap_or(base.template);
        for (flag, is_given, is_used) in [
            (
                "--image",
                self.image.is_some(),
                template.default_image().is_some(),
            ),
            (
                "--port",
                self.port.is_some(),
                template.default_port().is_some(),
            ),
        ] {
            if is_given && !is_used {
                ui.note(&format!(
                    "{flag} has no effect: the sample of this template has none"
                ));
            }
        }
        let scope = match self.cluster_scoped {
            true => Some(false),
            false => self.namespaced,
        };
        let warning = self.deprecation_warning.or(base.deprecation_warning);
        Resource {
            api: scope.map(Api::new).or(base.api),
            controller: with_controller,
            finalizer: self.finalizer || base.finalizer,
            plural: self.plural.unwrap_or(base.plural),
            short_names: unless_empty(self.short_names, base.short_names),
            categories: unless_empty(self.categories, base.categories),
            template,
            image: self.image.or(base.image),
            port: self.port.or(base.port),
            served: self.served.unwrap_or(base.served),
            deprecated: self
                .deprecated
                .unwrap_or(base.deprecated || warning.is_some()),
            deprecation_warning: warning.filter(|_| self.deprecated != Some(false)),
            ..base
        }
    }
}

impl ApiArgs {
    /// Says of each flag that is about types that it does nothing without them.
    fn say_what_needs_types(&self, ui: &Ui) {
        for (flag, is_given) in [
            ("--plural", self.plural.is_some()),
            ("--short-name", !self.short_names.is_empty()),
            ("--category", !self.categories.is_empty()),
            ("--namespaced", self.namespaced.is_some()),
            ("--cluster-scoped", self.cluster_scoped),
            ("--template", self.template.is_some()),
            ("--image", self.image.is_some()),
            ("--port", self.port.is_some()),
            ("--hub", self.hub),
            ("--served", self.served.is_some()),
            ("--deprecated", self.deprecated.is_some()),
            ("--deprecation-warning", self.deprecation_warning.is_some()),
        ] {
            if is_given {
                ui.note(&format!("{flag} has no effect without types"));
            }
        }
    }
}

fn default_version() -> Version {
    DEFAULT_VERSION.parse().expect("a version")
}

/// The names that were given, each once, or others if there are none.
fn unless_empty(given: Vec<Label>, others: Vec<Label>) -> Vec<Label> {
    let mut names = Vec::new();
    for name in given {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.is_empty() {
        true => others,
        false => names,
    }
}

/// An API in one word: `app/AppService` or `app/v1/AppService`.
#[derive(Clone, Debug)]
pub(in crate::cli) struct ApiSpec {
    group: Group,
    version: Version,
    kind: Kind,
}

impl ApiSpec {
    /// The API with everything else at its default.
    pub(in crate::cli) fn resource(&self, project: &Project) -> Result<Resource> {
        let (group, domain) = project.split_group(self.group.clone())?;
        let (version, kind) = (self.version.clone(), self.kind.clone());
        Ok(Resource::new(domain, group, version, kind))
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
                    rule: "is not GROUP/KIND or GROUP/VERSION/KIND".into(),
                    hint: Some("write it as in `app/v1/AppService`".into()),
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
