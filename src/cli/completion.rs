use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;

use crate::error::Result;

use super::Cli;
use super::invocation::Invocation;

const EXAMPLES: &str = r#"Examples:
  source <(rop completion bash)
  rop completion zsh > "${fpath[1]}/_rop"
  rop completion fish > ~/.config/fish/completions/rop.fish"#;

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CompletionArgs {
    /// Shell to generate the script for.
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &CompletionArgs, invocation: &Invocation) -> Result<()> {
    let mut script = Vec::new();
    let mut command = shown(&Cli::command());
    clap_complete::generate(args.shell, &mut command, "rop", &mut script);
    invocation.ui.data(&String::from_utf8_lossy(&script))
}

/// The part of a command that help shows: nobody wants to complete a flag without effect.
fn shown(command: &Command) -> Command {
    let arguments = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let mut part = Command::new(command.get_name().to_owned())
        .args(arguments.cloned())
        .subcommands(command.get_subcommands().map(shown));
    if let Some(about) = command.get_about() {
        part = part.about(about.clone());
    }
    match command.get_version() {
        Some(version) => part.version(version.to_owned()),
        None => part,
    }
}
