//! A source as rustfmt writes it where nobody tells it otherwise.

use std::time::Duration;

use crate::bounded::{self, How, Limits};
use crate::on_path::command;

/// What rustfmt may take for a file.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(30),
    bytes: 64 << 20,
};

/// A configuration that says nothing.
const NO_CONFIGURATION: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// A source formatted by rustfmt's defaults, if there is a rustfmt and it can read the source.
pub(crate) fn formatted(source: &str) -> Option<String> {
    let rustfmt = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
    let mut command = command(rustfmt);
    command
        .args(["--edition", "2024", "--config-path", NO_CONFIGURATION])
        // A project can name a toolchain, even one of its own.
        .current_dir("/")
        .env("RUSTUP_AUTO_INSTALL", "0");
    let ended = bounded::run(&mut command, source, LIMITS).ok()?;
    match ended.how {
        How::Exited(status) if status.success() => String::from_utf8(ended.stdout).ok(),
        How::Exited(_) | How::Late | How::Flooding => None,
    }
}
