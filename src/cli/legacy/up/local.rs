use clap::Args;

use crate::cli::invocation::Invocation;
use crate::cli::run;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  rop up local
  rop up local --namespace=app-operator --operator-flags \"--log-level debug\"";

/// Build the operator and run it on this machine; same as `rop run`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct LocalArgs {
    /// Arguments for the operator, in one string.
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    operator_flags: Option<String>,

    #[command(flatten)]
    run: run::HostArgs,
}

pub(super) fn run(mut args: LocalArgs, invocation: &Invocation) -> Result<()> {
    invocation.ui.note("this command is now `rop run`");
    let flags = args.operator_flags.unwrap_or_default();
    let words = flags.split_whitespace().map(Into::into);
    args.run.arguments.extend(words);
    run::run_local(&args.run, invocation)
}
