//! A source as rustfmt writes it where nobody tells it otherwise.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// A configuration that says nothing.
const NO_CONFIGURATION: &str = if cfg!(windows) { "NUL" } else { "/dev/null" };

/// A source formatted by rustfmt's defaults, if there is a rustfmt and it can read the source.
pub(crate) fn formatted(source: &str) -> Option<String> {
    let rustfmt = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
    let mut child = Command::new(rustfmt)
        .args(["--edition", "2024", "--config-path", NO_CONFIGURATION])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // It reads all before it writes anything.
    let read = child.stdin.take()?.write_all(source.as_bytes());
    let output = child.wait_with_output().ok()?;
    if read.is_err() || !output.status.success() {
        return None;
    }
    String::from_utf8(output.stdout).ok()
}
