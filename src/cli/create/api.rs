use clap::Args;

use crate::error::{Code, Error, Result};
use crate::project::name::{ControllerName, Group, Kind, Version};
use crate::project::{Project, ProjectKind, finalizer_of_others};
use crate::ui::Ui;

use super::extend::{Source, extend_with};
use super::external::ExternalArgs;
use super::external_version::Selector;
use super::own_kind::{KindOptions, OwnKindArgs};
use crate::address::{EXTERNAL, VERSIONS};
use crate::cli::args::api_spec::DEFAULT_VERSION;
use crate::cli::args::ignored_flags::IgnoredFlags;
use crate::cli::args::target::project_here;
use crate::cli::help::examples;
use crate::cli::invocation::Invocation;

const EXAMPLES: &str = "\
Examples:
  rop create api --group app --kind AppService
  rop create api --group app --version v1 --kind AppService --image nginx:1.29 --port 80
  rop create api --group ops --kind Region --cluster-scoped --template minimal
  rop create api --group app --kind Snapshot --controller=false
  rop create api --group app --version v1 --kind AppService    # another version
  rop create api --group app --version v1 --kind AppService --hub --controller
  rop create api --group app --version v1alpha1 --kind AppService --deprecation-warning 'use v1'
  rop create api --group apps --kind Deployment --resource=false    # only a controller
  rop create api --group app --kind AppService --resource=false --controller-name backup
  rop create api --group cert-manager.io --kind Certificate --external-crd certificates.yaml
  rop create api --external-crd crds.yaml    # all kinds in the file";

/// Add an API: types, CRD, sample, controller and role.
///
/// A new version of an existing kind starts as a copy of the newest version's types; `--hub` and `--controller` move
/// storage and the controller to it. For an existing version, the command changes its settings, and keeps files that
/// you edited.
///
/// `--resource=false` adds only a controller, for an existing or built-in kind such as `--group apps --kind
/// Deployment`. `--controller=false` generates only the types.
///
/// `--external-crd` generates the types of another operator's kind from its CRD, or of all kinds in the file without
/// `--kind`. `--external-api-crate` uses the types of an existing crate instead.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[VERSIONS, EXTERNAL]))]
pub(in crate::cli) struct ApiArgs {
    /// API group without the domain; `core` is the core group.
    #[arg(long, required_unless_present = "crd")]
    group: Option<Group>,

    /// API version [default: v1alpha1, or the version of an existing kind].
    #[arg(long)]
    version: Option<Version>,

    /// Kind, such as `AppService`.
    #[arg(long, required_unless_present = "crd")]
    kind: Option<Kind>,

    /// Create the types and the CRD [default: true].
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    resource: Option<bool>,

    /// Same as `--resource=false`.
    #[arg(long, conflicts_with = "resource")]
    no_resource: bool,

    /// Create a controller [default: true].
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    controller: Option<bool>,

    /// Same as `--controller=false`.
    #[arg(long, conflicts_with = "controller")]
    no_controller: bool,

    /// Name of an additional controller; requires `--resource=false`.
    #[arg(long, value_name = "NAME")]
    controller_name: Option<ControllerName>,

    /// Add a finalizer and a cleanup that runs before an object is deleted.
    #[arg(long)]
    finalizer: bool,

    /// Overwrite files that conflict.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    own: OwnKindArgs,

    #[command(flatten)]
    external: ExternalArgs,

    #[command(flatten)]
    ignored: IgnoredFlags,
}

pub(super) fn run(args: ApiArgs, invocation: &Invocation) -> Result<()> {
    if args.check_names(None).is_err() {
        let root = project_here(invocation).ok();
        args.check_names(root.as_ref().map(|root| &root.project))?;
    }
    args.ignored.report(&invocation.ui);
    let force = args.force;
    extend_with("create api", force, invocation, |project| {
        args.apply(project, &invocation.ui)
    })
}

impl ApiArgs {
    /// Whether to generate types.
    fn with_api(&self) -> bool {
        let is_usual = !self.no_resource && self.external.file().is_none();
        self.resource.unwrap_or(is_usual)
    }

    /// Checks names that a kind of the project's own can have, and those of others need not. An existing kind whose name
    /// differs only in case was meant.
    fn check_names(&self, project: Option<&Project>) -> Result<()> {
        if !self.with_api() {
            return Ok(());
        }
        if let Some(kind) = &self.kind {
            kind.check_own().map_err(|mut error| {
                let mut own_kinds = project.into_iter().flat_map(Project::own_kinds);
                if let Some(existing) = own_kinds.find(|own| own.name.is_same(kind)) {
                    error.hint = Some(format!("did you mean `{}`?", existing.name));
                }
                error
            })?;
        }
        self.version.as_ref().map_or(Ok(()), Version::check_own)?;
        Ok(())
    }

    /// How to change the flags so that they create another controller.
    fn for_controller_name(&self, with_api: bool, with_controller: bool) -> String {
        let add = match self.resource {
            Some(true) => "replace `--resource` with `--resource=false`",
            _ => "add `--resource=false`",
        };
        let remove = if self.no_controller {
            "remove `--no-controller`"
        } else {
            "remove `--controller=false`"
        };
        let changes = [(with_api, add), (!with_controller, remove)];
        let changes = changes.iter().filter(|(is_needed, _)| *is_needed);
        changes
            .map(|(_, change)| *change)
            .collect::<Vec<_>>()
            .join(" and ")
    }

    /// Adds the API to the project.
    fn apply(mut self, project: &mut Project, ui: &Ui) -> Result<Vec<Source>> {
        let crd = self.external.file().map(str::to_owned);
        let with_api = self.with_api();
        let with_controller = self.controller.unwrap_or(!self.no_controller);
        if with_api && crd.is_some() {
            return Err(Error::new(
                Code::NotExternal,
                "`--external-crd` is for another operator's kind, which this project does not define",
            )
            .hint("remove `--resource`"));
        }
        if !with_api && crd.is_none() && !with_controller {
            return Err(Error::new(
                Code::ConflictingFlags,
                "nothing to create: neither types nor a controller were requested",
            )
            .hint("remove `--resource=false` or `--controller=false`"));
        }
        if self.controller_name.is_some() && (with_api || !with_controller) {
            return Err(Error::new(
                Code::ConflictingFlags,
                "`--controller-name` adds a controller to an existing kind and creates no types",
            )
            .hint(self.for_controller_name(with_api, with_controller)));
        }
        if let Some(crd) = crd {
            return self.apply_external(&crd, project, with_controller, ui);
        }
        let (Some(full_group), Some(kind)) = (self.group.take(), self.kind.take()) else {
            return Err(Error::new(
                Code::ConflictingFlags,
                "`--group` and `--kind` are required",
            ));
        };
        let full_group = if with_api {
            full_group
        } else {
            self.external.whole(&full_group)?
        };
        let (group, domain) = project.split_group(full_group.clone())?;
        if group != full_group {
            ui.note(&format!("the API group is `{group}.{domain}`"));
        }
        if !with_api {
            self.own.note_flags_without_types(ui);
            let (version, name) = (self.version.as_ref(), self.controller_name);
            project.add_controller(full_group, version, &kind, name, self.finalizer)?;
            return Ok(Vec::new());
        }
        let (is_hub, moves_controller) = (self.own.is_hub(), self.controller == Some(true));
        let new = ProjectKind::own(domain, group, DEFAULT_VERSION.parse()?, kind);
        let options = KindOptions {
            version: self.version,
            controller: self.controller.or(self.no_controller.then_some(false)),
            finalizer: self.finalizer,
        };
        let desired = self.own.kind(options, project.same(&new), new, ui);
        if moves_controller {
            project.move_controllers(&desired);
        }
        project.add(desired.clone())?;
        if is_hub {
            project.make_hub(&desired)?;
        }
        Ok(Vec::new())
    }

    /// Adds the selected kinds of another operator. A kind that is named gets a controller.
    fn apply_external(
        self,
        file: &str,
        project: &mut Project,
        with_controller: bool,
        ui: &Ui,
    ) -> Result<Vec<Source>> {
        let selector = Selector {
            group: self.group.as_ref(),
            version: self.version.as_ref(),
            kind: self.kind.as_ref(),
            with_controller: with_controller
                && (self.kind.is_some()
                    || self.controller.is_some()
                    || self.controller_name.is_some()),
        };
        let kinds = self.external.read(file, project, &selector, ui)?;
        self.own.note_flags_without_types(ui);
        if let (Some(first), true) = (kinds.first(), self.finalizer) {
            return Err(finalizer_of_others(&first.kind));
        }
        if let ([_, other, ..], true) = (&kinds[..], selector.with_controller) {
            let gvk = other.kind.hub().gvk();
            return Err(Error::new(
                Code::AmbiguousKind,
                format!("a controller needs one kind, but `{file}` also defines {gvk}"),
            )
            .hint("select the kind with `--group` and `--kind`, or remove `--controller`"));
        }
        let controlled = match &kinds[..] {
            [only] if selector.with_controller => Some(only.kind.clone()),
            _ => None,
        };
        let (kinds, sources): (Vec<_>, Vec<Source>) = kinds
            .into_iter()
            .map(|external| ((external.kind, external.moved), external.crd))
            .unzip();
        project.add_external(kinds)?;
        if let Some(kind) = controlled {
            let group = kind.api_group().parse()?;
            let name = self.controller_name.clone();
            let version = Some(&kind.hub);
            project.add_controller(group, version, &kind.name, name, self.finalizer)?;
        }
        Ok(sources)
    }
}
