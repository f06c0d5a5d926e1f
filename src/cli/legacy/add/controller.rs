use clap::Args;

use crate::cli::create::extend;
use crate::cli::invocation::Invocation;
use crate::error::{Code, Error, Result};

use super::KindArgs;

const EXAMPLES: &str = "\
Examples:
  rop add controller --api-version=app.example.com/v1alpha1 --kind=AppService";

/// Add a controller for a kind that already has types.
///
/// Same as `rop create api --resource=false`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct ControllerArgs {
    #[command(flatten)]
    kind: KindArgs,
}

pub(super) fn run(args: ControllerArgs, invocation: &Invocation) -> Result<()> {
    let args = args.kind;
    args.ignored.report(&invocation.ui);
    extend("add controller", args.force, invocation, |project| {
        let (group, domain) = args.api_version.group(project)?;
        let (version, kind) = (args.api_version.version, args.kind);
        invocation.ui.note(&format!(
            "this command is now `rop create api --group {group} --version {version} --kind {kind} \
            --resource=false`"
        ));
        let whole = format!("{group}.{domain}").parse()?;
        project
            .add_controller(whole, Some(&version), &kind, None, false)
            .map_err(|_| {
                let group = &args.api_version.group;
                Error::new(
                    Code::UnknownKind,
                    format!("unknown kind {group}/{version} {kind}: not in this project"),
                )
                .hint(format!(
                    "create its types first: `rop add api --api-version={group}/{version} --kind={kind}`"
                ))
            })
    })
}
