use std::path::PathBuf;

use clap::{Args, ColorChoice, ValueHint};

/// What every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Run as if rop was started in this directory.
    #[arg(
        id = "start",
        short = 'C',
        long = "directory",
        global = true,
        value_name = "DIR",
        value_hint = ValueHint::DirPath
    )]
    pub(crate) start: Option<PathBuf>,

    /// Show the changes without making them.
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,

    /// Print the result as JSON to stdout.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Print errors only.
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Print more details.
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,

    /// When to use color.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,
}
