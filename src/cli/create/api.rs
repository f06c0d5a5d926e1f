use clap::Args;

use crate::error::{Code, Error, Result};
use crate::project::name::{ControllerName, Group, Kind, Version};
use crate::project::{Project, ProjectKind, finalizer_of_others};
use crate::ui::Ui;

use super::extend::{Source, extend_with};
use super::external::ExternalArgs;
use super::external_version::Wanted;
use super::own_kind::{Asked, OwnKindArgs};
use crate::cli::args::api_spec::DEFAULT_VERSION;
use crate::cli::args::ignored_flags::IgnoredFlags;
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
  rop create api --group apps --kind Deployment --resource=false     # a controller of a kind of Kubernetes
  rop create api --group app --kind AppService --resource=false --controller-name backup
  rop create api --group cert-manager.io --kind Certificate --external-crd certificates.yaml
  rop create api --external-crd crds.yaml    # the types of all kinds that the file defines";

/// Add an API: its types, its CRD, a sample, and a controller with its role.
///
/// For another version of a kind, its types start as a copy of those of the newest one. The controller stays
/// where it is, and objects are stored as before: `--controller` and `--hub` move them to this version.
///
/// For a version that exists, change what it was created with: its template, image, port, short names, categories, and
/// whether it has a controller and a finalizer. Files that you edited are left to you.
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

    /// Add a finalizer, and a cleanup that runs before an object is deleted.
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
    args.check_names()?;
    args.ignored.report(&invocation.ui);
    let force = args.force;
    extend_with("create api", force, invocation, |project| {
        args.apply(project, &invocation.ui)
    })
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
            return Err(Error::new(
 Code::NotExternal,
                "`--external-crd` is for another operator's kind, which this project does not define",
            )
            .hint("leave out `--resource`"));
        }
        if !with_api && crd.is_none() && !with_controller {
            return Err(Error::new(
                Code::ConflictingFlags,
                "nothing to create: neither types nor a controller were requested",
            )
            .hint("leave out `--resource=false` or `--controller=false`"));
        }
        if let Some(name) = &self.controller_name
            && (with_api || !with_controller)
        {
            return Err(Error::new(Code::ConflictingFlags, format!(
                "the controller `{name}` is another one of a kind that exists: it comes without types"
            ))
            .hint("add `--resource=false`, and leave out `--controller=false`"));
        }
        if let Some(crd) = crd {
            return self.apply_external(&crd, project, with_controller, ui);
        }
        let (Some(asked), Some(kind)) = (self.group.take(), self.kind.take()) else {
            return Err(Error::new(
                Code::ConflictingFlags,
                "`--group` and `--kind` name the kind",
            ));
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
            self.own.say_what_needs_types(ui);
            let (version, name) = (self.version.as_ref(), self.controller_name);
            project.add_controller(asked, version, &kind, name, self.finalizer)?;
            return Ok(Vec::new());
        }
        let (is_hub, moves_controller) = (self.own.is_hub(), self.controller == Some(true));
        let new = ProjectKind::own(domain, group, DEFAULT_VERSION.parse()?, kind);
        let asked = Asked {
            version: self.version,
            controller: self.controller.or(self.no_controller.then_some(false)),
            finalizer: self.finalizer,
        };
        let mut kind = self.own.kind(asked, project.same(&new), new, ui);
        if moves_controller {
            project.take_controllers(&mut kind);
        }
        project.add(kind.clone())?;
        if is_hub {
            project.make_hub(&kind)?;
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
        self.own.say_what_needs_types(ui);
        if let (Some(one), true) = (found.first(), self.finalizer) {
            return Err(finalizer_of_others(&one.kind));
        }
        if let ([_, other, ..], true) = (&found[..], wanted.with_controller) {
            let gvk = other.kind.hub().gvk();
            return Err(Error::new(
                Code::AmbiguousKind,
                format!("a controller is of one kind, and `{file}` defines {gvk} too"),
            )
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
            let version = Some(&kind.hub);
            project.add_controller(group, version, &kind.name, name, self.finalizer)?;
        }
        Ok(sources)
    }
}
