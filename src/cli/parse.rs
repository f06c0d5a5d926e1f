//! Reads the command line, and reports what is wrong with it as every other error.

use std::error::Error as _;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::builder::Styles;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, ColorChoice, FromArgMatches};

use crate::error::{Code, Error, Result};
use crate::project::name::NameError;
use crate::ui::{Ui, Verbosity, is_plain, one_line};

use super::invocation::stream_color;
use super::report::failure;
use super::{Cli, unsupported};

/// The command line of the process, or the code to exit with.
pub(super) fn arguments() -> std::result::Result<Cli, ExitCode> {
    let options = OutputOptions::read(std::env::args_os().skip(1));
    let mut command = super::command().color(options.color);
    if !options.is_plain {
        command = command.styles(Styles::plain());
    }
    let ui = Ui::new(stream_color(options.color), Verbosity::Normal);
    let refuse = |error: &Error| {
        ui.error(error);
        if options.json {
            let _ = ui.json(&failure::of_error(error));
        }
        ExitCode::from(error.kind().exit_code())
    };
    let parsed = command
        .try_get_matches()
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = parsed.map_err(|error| {
        let known = name_error(&error).map(Error::from);
        if let Some(error) = known.or_else(|| absent_command(&error)) {
            return refuse(&error);
        }
        // Help goes to stdout and usage errors to stderr, in clap's own form. It repeats arguments as
        // they are, so one that a terminal acts on costs the colors.
        if !error.use_stderr() {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        ui.usage(&usage(&error), options.is_plain);
        if options.json {
            let rendered = if options.is_plain {
                error.render().to_string()
            } else {
                error.render().ansi().to_string()
            };
            let text = rendered.trim_start_matches("error: ").trim_end().to_owned();
            let _ = ui.json(&failure::text(Code::Usage, &[text], &[]));
        }
        ExitCode::from(Code::Usage.kind().exit_code())
    })?;
    check_output(&matches).map_err(|error| refuse(&error))?;
    Ok(cli)
}

/// Refuses a path of `--output`, of any command, that a terminal would not show as it is.
fn check_output(matches: &ArgMatches) -> Result<()> {
    let outputs = matches.try_get_raw("output").ok().flatten();
    for output in outputs.into_iter().flatten() {
        let path = output.to_string_lossy();
        if !is_plain(&path) {
            let path = one_line(&path);
            let message = format!("invalid path `{path}`: it has a control or invisible character");
            return Err(
                Error::new(Code::InvalidName, message).hint("use another path for `--output`")
            );
        }
    }
    matches
        .subcommand()
        .map_or(Ok(()), |(_, matches)| check_output(matches))
}

/// clap's message, with the error code. The help shown for a missing subcommand is not an error.
fn usage(error: &clap::Error) -> String {
    let text = error.render().ansi().to_string();
    match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => text,
        _ => text.replacen("error:", &format!("error[{}]:", Code::Usage.name()), 1),
    }
}

/// How errors are reported, read from a command line that may be wrong.
#[derive(Debug, Default, PartialEq, Eq)]
struct OutputOptions {
    color: ColorChoice,
    json: bool,
    /// Whether no word has control characters that a terminal would act on.
    is_plain: bool,
}

impl OutputOptions {
    fn read(words: impl Iterator<Item = OsString>) -> Self {
        let words: Vec<_> = words
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let mut options = Self {
            is_plain: words.iter().all(|word| is_plain(word)),
            ..Self::default()
        };
        let mut words = words.into_iter().take_while(|word| word != "--").peekable();
        while let Some(word) = words.next() {
            let color = match word.strip_prefix("--color") {
                Some("") => words.peek().cloned(),
                Some(value) => value.strip_prefix('=').map(str::to_owned),
                None => None,
            };
            if let Some(color) = color.and_then(|color| color.parse().ok()) {
                options.color = color;
            }
            options.json |= word == "--json";
        }
        options
    }
}

/// The name that clap refused on our behalf: the rule and the hint are in the error's source.
fn name_error(error: &clap::Error) -> Option<NameError> {
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    error.source()?.downcast_ref::<NameError>().cloned()
}

/// The error of a command that rop does not have, if the alternative is known.
fn absent_command(error: &clap::Error) -> Option<Error> {
    let kind = match error.kind() {
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        // A command that works without a subcommand, such as `rop run`.
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        _ => return None,
    };
    let Some(ContextValue::String(word)) = error.get(kind) else {
        return None;
    };
    if kind == ContextKind::InvalidArg && !unsupported::is_subcommand_of_run(word) {
        return None;
    }
    let hint = unsupported::hint(word)?;
    Some(Error::new(Code::Unsupported, format!("unknown command `{word}`")).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_read_from_a_wrong_line() {
        for (line, color, json) in [
            ("nonsense --color never", ColorChoice::Never, false),
            ("--color=always --json x", ColorChoice::Always, true),
            ("--color", ColorChoice::Auto, false),
            ("--color=blue", ColorChoice::Auto, false),
            ("run -- --json --color=never", ColorChoice::Auto, false),
        ] {
            let words = line.split(' ').map(OsString::from);
            let options = OutputOptions::read(words);
            assert_eq!((options.color, options.json), (color, json), "{line}");
        }
    }
}
