//! The flags of `rop create api` for kinds of the project's own.

use clap::Args;

use crate::project::name::{DeprecationWarning, Image, Label, Plural, Version};
use crate::project::{Api, OwnKind, Resource, Template};
use crate::ui::Ui;

/// What its types are like.
#[derive(Debug, Args)]
#[command(next_help_heading = "Types")]
struct TypesArgs {
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

    /// Template for the types and the controller.
    #[arg(long, value_enum)]
    template: Option<Template>,

    /// The image in the sample.
    #[arg(long)]
    image: Option<Image>,

    /// The port in the sample.
    #[arg(long, alias = "image-container-port", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
}

/// What this version is to the others of the kind.
#[derive(Debug, Args)]
#[command(next_help_heading = "Versions")]
struct VersionArgs {
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
}

/// All of these flags.
#[derive(Debug, Args)]
pub(super) struct OwnKindArgs {
    #[command(flatten)]
    types: TypesArgs,
    #[command(flatten)]
    of_version: VersionArgs,
}

/// What other flags say of a kind.
pub(super) struct Asked {
    pub(super) version: Option<Version>,
    /// Whether it gets a controller, if that is said.
    pub(super) controller: Option<bool>,
    pub(super) finalizer: bool,
}

impl OwnKindArgs {
    /// Whether objects are to be stored in this version.
    pub(super) fn is_hub(&self) -> bool {
        self.of_version.hub
    }

    /// The version of a kind that was asked for: `new`, or what there is of it. What no flag says stays as it is.
    pub(super) fn resource(
        self,
        asked: Asked,
        kind: &OwnKind<'_>,
        new: Resource,
        ui: &Ui,
    ) -> Resource {
        let Self { types, of_version } = self;
        let hub = kind.versions().next().map(|_| kind.hub().version.clone());
        let version = asked.version.or(hub).unwrap_or_else(|| new.version.clone());
        let base = match (kind.version(&version), kind.newest()) {
            (Some(found), _) => found.clone(),
            (None, Some(newest)) => newest.in_version(version),
            (None, None) => Resource { version, ..new },
        };
        // A further version has no controller of its own.
        let is_further = kind.versions().any(|one| one.version != base.version);
        let controller = match is_further {
            true => asked.controller == Some(true) || base.controller,
            false => asked.controller.unwrap_or(true),
        };
        let template = types.template.unwrap_or(base.template);
        types.say_what_has_no_effect(template, ui);
        let warning = of_version.deprecation_warning.or(base.deprecation_warning);
        let scope = match types.cluster_scoped {
            true => Some(false),
            false => types.namespaced,
        };
        Resource {
            api: scope.map(Api::new).or(base.api),
            controller,
            finalizer: asked.finalizer || base.finalizer,
            plural: types.plural.unwrap_or(base.plural),
            short_names: unless_empty(types.short_names, base.short_names),
            categories: unless_empty(types.categories, base.categories),
            template,
            image: types.image.or(base.image),
            port: types.port.or(base.port),
            served: of_version.served.unwrap_or(base.served),
            deprecated: of_version
                .deprecated
                .unwrap_or(base.deprecated || warning.is_some()),
            deprecation_warning: warning.filter(|_| of_version.deprecated != Some(false)),
            ..base
        }
    }

    /// Says of each flag that is about types that it does nothing without them.
    pub(super) fn say_what_needs_types(&self, ui: &Ui) {
        let (types, version) = (&self.types, &self.of_version);
        for (flag, is_given) in [
            ("--plural", types.plural.is_some()),
            ("--short-name", !types.short_names.is_empty()),
            ("--category", !types.categories.is_empty()),
            ("--namespaced", types.namespaced.is_some()),
            ("--cluster-scoped", types.cluster_scoped),
            ("--template", types.template.is_some()),
            ("--image", types.image.is_some()),
            ("--port", types.port.is_some()),
            ("--hub", version.hub),
            ("--served", version.served.is_some()),
            ("--deprecated", version.deprecated.is_some()),
            (
                "--deprecation-warning",
                version.deprecation_warning.is_some(),
            ),
        ] {
            if is_given {
                ui.note(&format!("{flag} has no effect without types"));
            }
        }
    }
}

impl TypesArgs {
    /// Says of each flag that is about the sample that the sample of the template has no such field.
    fn say_what_has_no_effect(&self, template: Template, ui: &Ui) {
        let image = (
            "--image",
            self.image.is_some(),
            template.default_image().is_some(),
        );
        let port = (
            "--port",
            self.port.is_some(),
            template.default_port().is_some(),
        );
        for (flag, is_given, is_used) in [image, port] {
            if is_given && !is_used {
                ui.note(&format!(
                    "{flag} has no effect: the sample of this template has none"
                ));
            }
        }
    }
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
