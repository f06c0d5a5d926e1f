//! Servers as child processes.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Context, Error, Result};

use super::watchdog::Watchdog;

/// How long a server may take to get ready, on a busy machine.
const READY: Duration = Duration::from_mins(2);
/// How long a server may take to end by itself before it is killed.
const STOP: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);

/// So many lines at the end of a log say why a server ended.
const LAST_LINES: usize = 40;

/// A server, killed on drop.
#[derive(Debug)]
pub(super) struct Server(Child);

impl Server {
    /// Starts a program in `dir` and waits until it is ready.
    pub(super) fn start(
        program: &Path,
        flags: &str,
        dir: &Path,
        watchdog: &Watchdog,
        ready: impl Fn() -> bool,
    ) -> Result<Self> {
        let path = dir.join(program.file_name().unwrap_or_default());
        let path = path.with_extension("log");
        let child = log(&path)
            .and_then(|(stdout, stderr)| {
                Command::new(program)
                    .args(flags.split_whitespace())
                    .current_dir(dir)
                    .stdin(Stdio::null())
                    .stdout(stdout)
                    .stderr(stderr)
                    .process_group(watchdog.group())
                    .spawn()
            })
            .context(|| format!("failed to run `{}`", program.display()))?;
        let mut server = Self(child);
        watchdog.hold(&server.0)?;
        let deadline = Instant::now() + READY;
        while !ready() {
            if server.has_ended() || Instant::now() > deadline {
                let log = fs::read_to_string(&path).unwrap_or_default();
                let lines: Vec<_> = log.lines().collect();
                let end = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
                let message = format!("`{}` did not get ready", program.display());
                return Err(Error::new(format!("its log ends with\n{end}")).context(message));
            }
            thread::sleep(POLL);
        }
        Ok(server)
    }

    /// Asks the server to end, and kills it where it does not.
    pub(super) fn terminate(&mut self) -> Result<()> {
        terminate(&self.0)?;
        let deadline = Instant::now() + STOP;
        while !self.has_ended() && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        kill(&mut self.0);
        Ok(())
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        kill(&mut self.0);
    }
}

/// Asks a process to end. The standard library sends SIGKILL alone; every shell sends this one.
pub(crate) fn terminate(child: &Child) -> Result<()> {
    let command = format!("kill -TERM {}", child.id());
    let status = Command::new("sh").args(["-c", &command]).status();
    status
        .map(drop)
        .context(|| format!("failed to run `{command}`"))
}

/// Kills a child, which may have ended already, and waits for it.
fn kill(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[expect(clippy::disallowed_methods, reason = "it is no file of a project")]
fn log(path: &Path) -> std::io::Result<(File, File)> {
    let log = File::create(path)?;
    Ok((log.try_clone()?, log))
}
