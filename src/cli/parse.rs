//! Reads the command line, and reports what is wrong with it as every other error.

use std::error::Error as _;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::Error;
use crate::project::name::NameError;
use crate::ui::Ui;

use super::{Cli, absent};

/// The command line of the process, or the code to exit with.
pub(super) fn arguments() -> Result<Cli, ExitCode> {
    Cli::try_parse().map_err(|error| {
        if let Some(name) = name_error(&error) {
            let error = Error::from(name);
            Ui::default().error(&error);
            return ExitCode::from(error.kind().exit_code());
        }
        if let Some(error) = absent_command(&error) {
            Ui::default().error(&error);
            return ExitCode::from(error.kind().exit_code());
        }
        // Help goes to stdout and usage errors to stderr, in clap's own form.
        let _ = error.print();
        ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
    })
}

/// The name that clap refused on our behalf: the rule and the hint are in the error's source.
fn name_error(error: &clap::Error) -> Option<NameError> {
    if error.kind() != ErrorKind::ValueValidation {
        return None;
    }
    error.source()?.downcast_ref::<NameError>().cloned()
}

/// A command that rop does not have, where it is known what does its work.
fn absent_command(error: &clap::Error) -> Option<Error> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let hint = absent::hint(word)?;
    Some(Error::usage(format!("rop has no command `{word}`")).hint(hint))
}
