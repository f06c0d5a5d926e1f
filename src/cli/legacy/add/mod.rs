//! `rop add …`, as operator-sdk 0.x has it.

mod api;
mod controller;

use std::str::FromStr;

use clap::{Args, Subcommand};

use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::project::name::{Domain, Group, Kind, NameError, Version};

use crate::cli::args::ignored_flags::IgnoredFlags;
use crate::cli::invocation::Invocation;

/// Add an API or a controller.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) enum AddCommand {
    Api(api::ApiArgs),
    Controller(controller::ControllerArgs),
}

pub(super) fn run(command: AddCommand, invocation: &Invocation) -> Result<()> {
    match command {
        AddCommand::Api(args) => api::run(args, invocation),
        AddCommand::Controller(args) => controller::run(args, invocation),
    }
}

/// A kind, as operator-sdk 0.x names it.
#[derive(Debug, Args)]
struct KindArgs {
    /// API group and version, such as `app.example.com/v1`.
    #[arg(long, value_name = "GROUP.DOMAIN/VERSION")]
    api_version: ApiVersion,

    /// Kind, such as `AppService`.
    #[arg(long)]
    kind: Kind,

    /// Overwrite files that conflict.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    ignored: IgnoredFlags,
}

/// Group and version in one word, as manifests have them: `app.example.com/v1alpha1`.
#[derive(Clone, Debug)]
struct ApiVersion {
    /// The group, with its domain.
    group: String,
    version: Version,
}

impl FromStr for ApiVersion {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let parts = value.split_once('/');
        let Some((group, version)) = parts.filter(|(group, _)| group.contains('.')) else {
            return Err(NameError {
                what: "API version",
                value: value.to_owned(),
                rule: "expected GROUP.DOMAIN/VERSION".into(),
                hint: Some("for example `app.example.com/v1alpha1`".into()),
            });
        };
        Ok(Self {
            group: group.to_owned(),
            version: version.parse()?,
        })
    }
}

impl ApiVersion {
    /// The group and its domain. A project without APIs takes the domain that the first one has.
    fn group(&self, project: &mut Project) -> Result<(Group, Domain)> {
        let below = self.group.strip_suffix(project.domain.as_str());
        if below.is_some_and(|below| below.is_empty() || below.ends_with('.')) {
            return project.split_group(self.group.parse()?);
        }
        if !project.kinds.is_empty() {
            return Err(Error::new(
                Code::InvalidGroup,
                format!(
                    "the group `{}` is not in the project's domain `{}`",
                    self.group, project.domain
                ),
            )
            .hint(format!("for example `app.{}/v1alpha1`", project.domain)));
        }
        let (group, domain) = self.group.split_once('.').unwrap_or_default();
        project.domain = domain.parse()?;
        Ok((group.parse()?, project.domain.clone()))
    }
}
