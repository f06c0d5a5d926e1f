use clap::Args;
use clap_complete::Shell;

use crate::error::Result;

use super::context::Context;

const EXAMPLES: &str = r#"Examples:
  source <(rop completion bash)
  rop completion zsh > "${fpath[1]}/_rop"
  rop completion fish > ~/.config/fish/completions/rop.fish"#;

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CompletionArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &CompletionArgs, context: &Context) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "rop", &mut script);
    context.ui.data(&String::from_utf8_lossy(&script))
}
