//! Programs, and what they print about themselves.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::bounded::{self, How, Limits};
use crate::on_path::on_path;

use super::finding::{Finding, State};

/// What a program may take to print its version.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(10),
    bytes: 64 << 10,
};

/// The longest line of another program that is reported.
const LONGEST: usize = 200;

/// What a program prints. It runs outside of the project, whose files could have it run others.
///
/// # Errors
/// Why it printed nothing useful.
pub(super) fn ask(
    program: &OsStr,
    arguments: &[&str],
    toolchain: Option<&str>,
) -> Result<String, String> {
    let mut command = Command::new(program);
    // rustup would download a toolchain that is missing.
    command.env("RUSTUP_AUTO_INSTALL", "0");
    command.envs(toolchain.map(|name| ("RUSTUP_TOOLCHAIN", name)));
    command.args(arguments).current_dir("/");
    let ended = bounded::run(&mut command, "", LIMITS).map_err(|error| error.to_string())?;
    match ended.how {
        How::Exited(status) if status.success() => {
            Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
        }
        How::Exited(status) => Err(match first_line(&ended.stderr) {
            line if line.is_empty() => format!("it failed with {status}"),
            line => line,
        }),
        How::Late => Err(format!("no answer within {} s", LIMITS.time.as_secs())),
        How::Flooding => Err("it prints without end".to_owned()),
    }
}

/// The first line with text, shortened.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or_default().chars().take(LONGEST).collect()
}

/// A program by its name, with the first line that it prints.
pub(super) fn look(program: &OsStr, arguments: &[&str], toolchain: Option<&str>) -> State {
    let Some(path) = on_path(program) else {
        return State::Missing(format!("no `{}` on PATH", program.display()));
    };
    match ask(path.as_os_str(), arguments, toolchain) {
        Ok(text) => State::found(first_line(&text), path.display().to_string()),
        Err(reason) => State::Unusable(reason),
    }
}

/// git names the commit in the labels of an image.
pub(super) fn git(_: &Path) -> Vec<Finding> {
    let state = look(OsStr::new("git"), &["--version"], None);
    let needed_for = "the commit in the labels of images, and `git:` sources of the runtime";
    vec![Finding::optional("git", needed_for, state).remedy("install git")]
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str) -> Result<String, String> {
        ask(OsStr::new("sh"), &["-c", script], None)
    }

    #[test]
    fn what_a_program_prints_is_bounded() {
        assert_eq!(sh("echo 1.2"), Ok("1.2\n".to_owned()));
        assert_eq!(sh("exec yes"), Err("it prints without end".to_owned()));
        assert_eq!(sh("echo; echo why >&2; exit 1"), Err("why".to_owned()));
        assert!(sh("exit 3").is_err_and(|reason| reason.contains('3')));
        let long = "x".repeat(1000);
        assert_eq!(first_line(&format!("\n{long}")).len(), LONGEST);
    }
}
