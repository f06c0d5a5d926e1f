//! A panic is a bug of rop, and says so.

use std::env::consts::{ARCH, OS};
use std::panic::{self, PanicHookInfo};
use std::process;

use crate::address::REPOSITORY;
use crate::error::{Code, Error};
use crate::ui::Ui;

/// From now on a panic, of any thread, is reported as a bug and ends the process.
pub fn report_panics() {
    panic::set_hook(Box::new(|info| {
        let error = error(info);
        Ui::default().error(&error);
        // Before a release build aborts, which has no exit code.
        #[expect(clippy::exit, reason = "rop cannot continue")]
        process::exit(error.kind().exit_code().into());
    }));
}

fn error(info: &PanicHookInfo<'_>) -> Error {
    let message = info.payload_as_str().unwrap_or("no message");
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let address = match REPOSITORY {
        "" => "where you got rop".to_owned(),
        repository => format!("at {repository}/issues"),
    };
    Error::new(Code::Bug, message)
        .context(format!("this is a bug in rop {version} ({OS} {ARCH}), at {place}"))
        .hint(format!(
            "report it {address}, with this message and the command; the next rop command completes or undoes \
            unfinished writes"
        ))
}
