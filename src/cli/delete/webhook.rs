use clap::{ArgGroup, Args};

use super::removal::{RemovedEntry, remove_entry};
use crate::cli::args::kind::KindArgs;
use crate::cli::invocation::Invocation;
use crate::error::Result;
use crate::project::Webhooks;

const EXAMPLES: &str = "\
Examples:
  rop delete webhook --group app --kind AppService --validation
  rop delete webhook --group app --kind AppService --conversion
  rop delete webhook --group core --kind Pod --defaulting      # a built-in kind";

/// Delete webhooks of a kind: functions, manifests and tests.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("webhooks").required(true).multiple(true))]
#[command(mut_arg("version", |flag| flag.help("API version [default: the version that has the webhooks]")))]
pub(in crate::cli) struct WebhookArgs {
    #[command(flatten)]
    of: KindArgs,

    /// Delete the defaulting webhook.
    #[arg(long, group = "webhooks")]
    defaulting: bool,

    /// Delete the validating webhook.
    #[arg(long, group = "webhooks", visible_alias = "programmatic-validation")]
    validation: bool,

    /// Delete the conversion between the hub and the other versions.
    #[arg(long, group = "webhooks")]
    conversion: bool,

    /// Delete files even if you edited them.
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
    remove_entry("delete webhook", args.force, invocation, |project| {
        project.remove_webhooks(
            &args.of.group,
            args.of.version.as_ref(),
            &args.of.kind,
            &gone,
        )?;
        Ok(RemovedEntry::default())
    })
}
