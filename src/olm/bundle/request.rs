//! What a bundle is asked for.

use heck::ToTitleCase;

use crate::error::Result;
use crate::project::Project;
use crate::project::name::Owner;

use super::{Data, Parts, Written};

/// What people say of a bundle.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The folder, relative to the project.
    pub folder: String,
    /// The version, as semver has it.
    pub version: String,
    /// The channels that it is for.
    pub channels: Vec<String>,
    /// The channel of Subscriptions that name none.
    pub default_channel: Option<String>,
    /// Whether edits are overwritten.
    pub force: bool,
}

/// A bundle that is to be made.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub(super) project: &'a Project,
    pub(super) settings: &'a Settings,
    /// What it is made of, with the image of the operator.
    pub(super) parts: &'a Parts,
    /// The last bundle in the folder.
    pub(super) written: &'a Written,
}

impl<'a> Request<'a> {
    /// A bundle of a project's manifests and samples, after the one that is `written`.
    pub fn new(
        project: &'a Project,
        settings: &'a Settings,
        parts: &'a Parts,
        written: &'a Written,
    ) -> Self {
        Self {
            project,
            settings,
            parts,
            written,
        }
    }

    /// What was said of the last bundle, if there is one.
    pub(super) fn last_settings(&self) -> Option<Settings> {
        Some(Settings {
            version: self.written.version()?.to_owned(),
            channels: self.written.channels.clone().unwrap_or_default(),
            default_channel: self.written.default_channel.clone(),
            ..self.settings.clone()
        })
    }

    /// What the bundle is made of, with the image of the last one.
    ///
    /// # Errors
    /// There is no Deployment of the operator.
    pub(super) fn last_parts(&self) -> Result<Parts> {
        let mut parts = self.parts.clone();
        if let Some(image) = self.written.deployments().image() {
            parts.objects.set_image(image)?;
        }
        Ok(parts)
    }

    pub(super) fn package(&self) -> &'a str {
        self.project.project_name.as_str()
    }
}

impl<'a> Data<'a> {
    pub(super) fn of(project: &'a Project, settings: &'a Settings) -> Self {
        let kinds: Vec<_> = project.own_kinds().map(|kind| kind.name.as_str()).collect();
        let description = match &kinds[..] {
            [] => "An operator.".to_owned(),
            [kind] => format!("Manages {kind} objects."),
            [first @ .., last] => format!("Manages {} and {last} objects.", first.join(", ")),
        };
        let package = project.project_name.as_str();
        Self {
            package,
            folder: &settings.folder,
            channels: settings.channels.join(","),
            default_channel: settings.default_channel.as_deref(),
            display_name: package.to_title_case(),
            description,
            owner: project.owner.as_ref().map(Owner::as_str),
        }
    }
}
