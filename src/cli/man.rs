use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use crate::cli::args::place::Place;
use crate::error::{Code, Context, Error, Result};
use crate::plan::{File, Tree};

use super::Cli;
use super::invocation::{Access, Invocation, Transition};

const EXAMPLES: &str = "\
Examples:
  rop man create api | man -l -
  rop man --output ~/.local/share/man/man1";

/// Print a man page, or write all man pages.
///
/// Without `--output`, prints the page of a command.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ManArgs {
    /// Command, such as `create api` [default: rop itself].
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    words: Vec<String>,

    /// Directory to write all pages to, such as a `man1` in MANPATH.
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Overwrite pages even if you edited them.
    #[arg(long, requires = "output")]
    force: bool,
}

pub(super) fn run(args: &ManArgs, invocation: &Invocation) -> Result<()> {
    let mut rop = Cli::command().disable_help_subcommand(true);
    rop.build();
    let Some(output) = &args.output else {
        invocation.refuse_json("man", "without `--output`, it prints a page")?;
        let command = find(&rop, &args.words)?;
        return invocation.ui.data(&page(command)?);
    };
    let mut pages = Vec::new();
    collect(&rop, &mut pages)?;
    let place = Place::find(output)?;
    let entered = invocation.enter(&place.root, Access::Write)?;
    let mut after = Tree::default();
    for (name, text) in pages {
        let path = format!("{}/{name}.1", place.folder);
        after.insert(File::owned(path, text));
    }
    invocation
        .carry_out(&Transition {
            command: "man",
            view: &entered.view,
            before: Tree::default(),
            after,
            force: args.force,
        })
        .map(drop)
}

/// The command that words name.
fn find<'a>(rop: &'a Command, words: &[String]) -> Result<&'a Command> {
    words.iter().try_fold(rop, |command, word| {
        command.find_subcommand(word).ok_or_else(|| {
            let message = format!("unknown command `{}`", words.join(" "));
            Error::new(Code::Unsupported, message).hint("`rop man` lists the commands")
        })
    })
}

/// The pages of a command and of those below it, by name.
fn collect(command: &Command, pages: &mut Vec<(String, String)>) -> Result<()> {
    pages.push((name(command).to_owned(), page(command)?));
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        collect(sub, pages)?;
    }
    Ok(())
}

/// Such as `rop-create-api`.
fn name(command: &Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

fn page(command: &Command) -> Result<String> {
    let mut page = Vec::new();
    let man = Man::new(command.clone())
        .source(concat!("rop ", env!("CARGO_PKG_VERSION")))
        .manual("rop");
    man.render(&mut page)
        .context(Code::GenerationFailed, || "failed to generate the page")?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
