//! Ends processes with the one that started them.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::OnceLock;

use crate::error::{Code, Context, Result};
use crate::on_path::command;

/// The first line tells the process group, a second one that its processes are gone: without it
/// there may be some left.
const SCRIPT: &str =
    r#"read -r group && { read -r _ || kill -s KILL -- "-$group"; }; rm -rf -- "$1""#;

/// A shell that sees its stdin close when this process is gone, however that happened, and then
/// kills the servers and removes their files. Like them it is outside of the process group of this
/// process, so what ends that as a whole (Ctrl-C, a timeout) leaves it at its work.
///
/// `PR_SET_PDEATHSIG` would need `unsafe` and Linux, and fires when the *thread* ends that started a
/// server.
#[derive(Debug)]
pub(super) struct Watchdog {
    shell: Child,
    group: OnceLock<i32>,
}

impl Watchdog {
    /// Watches over the files in `dir`.
    pub(super) fn new(dir: &Path) -> Result<Self> {
        let shell = command("sh")
            .args(["-c", SCRIPT, "sh"])
            .arg(dir)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context(Code::ProgramNotStarted, || "failed to run `sh`")?;
        Ok(Self {
            shell,
            group: OnceLock::new(),
        })
    }

    /// The process group for the next server: that of the first, which has its own.
    pub(super) fn group(&self) -> i32 {
        self.group.get().copied().unwrap_or(0)
    }

    /// Watches over a process too, which was started in [`Self::group`].
    pub(super) fn hold(&self, child: &Child) -> Result<()> {
        let pid =
            i32::try_from(child.id()).context(Code::SystemError, || "a process id that is none")?;
        if self.group.set(pid).is_ok()
            && let Some(mut stdin) = self.shell.stdin.as_ref()
        {
            writeln!(stdin, "{pid}").context(Code::SystemError, || "failed to write to `sh`")?;
        }
        Ok(())
    }
}

impl Drop for Watchdog {
    /// Lets it remove the files, and waits for that. Whoever started a process has ended it by now.
    fn drop(&mut self) {
        if let Some(mut stdin) = self.shell.stdin.take() {
            let _ = writeln!(stdin, "ended");
        }
        let _ = self.shell.wait();
    }
}
