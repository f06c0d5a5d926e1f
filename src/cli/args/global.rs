use clap::{Args, ColorChoice};

/// What every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
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
