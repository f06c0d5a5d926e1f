//! The flags of `rop create api` for kinds of the project's own.

use clap::Args;

use crate::project::name::{DeprecationWarning, Image, Label, Plural, Version};
use crate::project::{KindVersion, Origin, ProjectKind, Template};
use crate::ui::Ui;

/// What its types are like.
#[derive(Debug, Args)]
#[command(next_help_heading = "Types")]
struct TypesArgs {
    /// Template of the types and the controller [default: workload].
    #[arg(long, value_enum)]
    template: Option<Template>,

    /// Container image in the sample.
    #[arg(long)]
    image: Option<Image>,

    /// Container port in the sample.
    #[arg(long, alias = "image-container-port", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,

    /// Plural resource name for URLs [default: English plural of the kind].
    #[arg(long)]
    plural: Option<Plural>,

    /// Short name for kubectl; repeatable.
    #[arg(long = "short-name", value_name = "NAME")]
    short_names: Vec<Label>,

    /// Category for kubectl, such as `all`; repeatable.
    #[arg(long = "category", value_name = "NAME")]
    categories: Vec<Label>,

    /// Make the kind cluster-scoped; same as `--namespaced=false`.
    #[arg(long, conflicts_with = "namespaced")]
    cluster_scoped: bool,

    /// Make the kind namespaced [default: true].
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    namespaced: Option<bool>,
}

/// What this version is to the others of the kind.
#[derive(Debug, Args)]
#[command(next_help_heading = "Versions")]
struct VersionArgs {
    /// Make this version the storage version (hub) of the kind.
    #[arg(long)]
    hub: bool,

    /// Serve this version in the API server [default: true].
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    served: Option<bool>,

    /// Mark this version as deprecated.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    deprecated: Option<bool>,

    /// Deprecation warning shown to clients; implies `--deprecated`.
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

/// Settings of a kind from other flags.
pub(super) struct KindOptions {
    pub(super) version: Option<Version>,
    /// Whether it gets a controller, if a flag says so.
    pub(super) controller: Option<bool>,
    pub(super) finalizer: bool,
}

impl OwnKindArgs {
    /// Whether this becomes the storage version.
    pub(super) fn is_hub(&self) -> bool {
        self.of_version.hub
    }

    /// The kind in the requested version: `new`, or the existing kind. Without a flag, a setting stays as it is.
    pub(super) fn kind(
        self,
        options: KindOptions,
        existing: Option<&ProjectKind>,
        new: ProjectKind,
        ui: &Ui,
    ) -> ProjectKind {
        let Self { types, of_version } = self;
        let base = existing.unwrap_or(&new);
        let version = options.version.unwrap_or_else(|| base.hub.clone());
        let mut kind = match existing.and_then(|kind| kind.version(&version)) {
            Some(found) => base.only(found.version),
            None => base.in_version(version),
        };
        // A further version has no controller of its own.
        let is_further =
            existing.is_some_and(|own| own.versions.iter().any(|version| version.name != kind.hub));
        let is_controlled = if is_further {
            options.controller == Some(true) || kind.controlled().is_some()
        } else {
            options.controller.unwrap_or(true)
        };
        kind.controllers
            .retain(|controller| controller.name.is_some());
        if is_controlled {
            kind.add_controller(&kind.hub.clone(), None);
        }
        kind.finalizer |= options.finalizer;
        let version = &mut kind.versions[0];
        if let Some(is_namespaced) = types.is_namespaced() {
            (kind.namespaced, version.api) = (is_namespaced, true);
        }
        version.template = types.template.unwrap_or(version.template);
        types.note_flags_without_effect(version.template, ui);
        version.image = types.image.or(version.image.take());
        version.port = types.port.or(version.port);
        of_version.apply(version);
        kind.plural = types.plural.unwrap_or(kind.plural);
        if let Origin::Own(own) = &mut kind.origin {
            replace_if_given(types.short_names, &mut own.short_names);
            replace_if_given(types.categories, &mut own.categories);
        }
        kind
    }

    /// Notes each flag that has no effect without types.
    pub(super) fn note_flags_without_types(&self, ui: &Ui) {
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

impl VersionArgs {
    /// Applies the flags to a version.
    fn apply(self, version: &mut KindVersion) {
        version.served = self.served.unwrap_or(version.served);
        let warning = self
            .deprecation_warning
            .or(version.deprecation_warning.take());
        let is_deprecated = version.deprecated || warning.is_some();
        version.deprecated = self.deprecated.unwrap_or(is_deprecated);
        version.deprecation_warning = warning.filter(|_| self.deprecated != Some(false));
    }
}

impl TypesArgs {
    /// The scope, if a flag sets it.
    fn is_namespaced(&self) -> Option<bool> {
        if self.cluster_scoped {
            Some(false)
        } else {
            self.namespaced
        }
    }

    /// Says of each flag that is about the sample that the sample of the template has no such field.
    fn note_flags_without_effect(&self, template: Template, ui: &Ui) {
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

/// Replaces names if new ones are given, without duplicates.
fn replace_if_given(given: Vec<Label>, names: &mut Vec<Label>) {
    if !given.is_empty() {
        names.clear();
    }
    for name in given {
        if !names.contains(&name) {
            names.push(name);
        }
    }
}
