use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};

use crate::error::{Code, Context, Error, Result};

use super::Cli;
use super::invocation::Invocation;

mod candidates;
mod line;

const EXAMPLES: &str = "\
Examples:
  source <(rop completion bash)
  source <(rop completion zsh)
  rop completion fish | source";

/// The variable by which a script asks for candidates.
const VARIABLE: &str = "ROP_COMPLETE";

/// Print a completion script for a shell.
///
/// The script asks rop for candidates: commands and flags, and in a project also its groups, kinds and versions. Load it
/// when the shell starts, so that it fits the installed release.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CompletionArgs {
    /// Shell to generate the script for.
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &CompletionArgs, invocation: &Invocation) -> Result<()> {
    invocation.refuse_json("completion", "it prints a script")?;
    let shell = args.shell.to_string();
    let Some(shell) = Shells::builtins().completer(&shell).map(|shell| {
        let mut script = Vec::new();
        let written = shell.write_registration(VARIABLE, "rop", "rop", "rop", &mut script);
        written.map(|()| String::from_utf8_lossy(&script).into_owned())
    }) else {
        let message = format!("no completion for `{shell}`");
        return Err(Error::new(Code::Unsupported, message));
    };
    let script = shell.context(Code::GenerationFailed, || "failed to generate the script")?;
    invocation.ui.data(&script)
}

/// Prints candidates if a script asks for them, and says whether it did. A shell has no place for errors.
pub(super) fn is_answered() -> bool {
    // A script passes what the user typed behind `--`.
    let is_script = std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == "--");
    let asks = is_script && std::env::var_os(VARIABLE).is_some_and(|shell| !shell.is_empty());
    let answer = || {
        if let Some(directory) = line::value(&["-C", "--directory"]) {
            // What cannot be entered has no candidates of its own.
            let _ = std::env::set_current_dir(directory);
        }
        let directory = std::env::current_dir().ok();
        let env = CompleteEnv::with_factory(|| candidates::add(shown(&Cli::command())));
        env.var(VARIABLE)
            .try_complete(std::env::args_os(), directory.as_deref())
    };
    asks && answer().unwrap_or(true)
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
