use clap::{ArgGroup, Args};

use super::take_out::{Taken, take_out};
use crate::cli::invocation::Invocation;
use crate::error::Result;
use crate::project::Webhooks;
use crate::project::name::{Group, Kind, Version};

const EXAMPLES: &str = "\
Examples:
  rop delete webhook --group app --kind AppService --validation
  rop delete webhook --group app --kind AppService --conversion
  rop delete webhook --group core --kind Pod --defaulting      # a kind of Kubernetes";

/// Delete webhooks of a kind: functions, manifests and tests.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("webhooks").required(true).multiple(true))]
pub(in crate::cli) struct WebhookArgs {
    /// The group, without the project's domain; `core` for Pods and the like.
    #[arg(long)]
    group: Group,

    /// The version [default: the one that has them].
    #[arg(long)]
    version: Option<Version>,

    /// The kind.
    #[arg(long)]
    kind: Kind,

    /// Delete the webhook that completes objects.
    #[arg(long, group = "webhooks")]
    defaulting: bool,

    /// Delete the webhook that checks objects.
    #[arg(long, group = "webhooks", visible_alias = "programmatic-validation")]
    validation: bool,

    /// Convert objects no more between the hub of the kind and its other versions.
    #[arg(long, group = "webhooks")]
    conversion: bool,

    /// Delete files even if they were edited.
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: WebhookArgs, invocation: &Invocation) -> Result<()> {
    let gone = Webhooks {
        defaulting: args.defaulting,
        validation: args.validation,
        conversion: args.conversion,
        ..Webhooks::default()
    };
    take_out("delete webhook", args.force, invocation, |project| {
        project.remove_webhooks(&args.group, args.version.as_ref(), &args.kind, &gone)?;
        Ok(Taken::default())
    })
}
