//! Servers as child processes.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::disk;
use crate::error::{Code, Context, Error, Result};

use super::watchdog::Watchdog;

/// How long a server may take to get ready, on a busy machine.
const READY: Duration = Duration::from_mins(2);
/// How long a server may take to end by itself before it is killed.
const STOP: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);

/// So many lines at the end of a log say why a server ended.
const LAST_LINES: usize = 40;
/// And so many bytes at most.
const LONGEST_END: u64 = 64 << 10;

/// A server, killed on drop.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    program: PathBuf,
    log: PathBuf,
}

impl Server {
    /// Starts a program in `dir` and waits until it is ready. `below` are the servers that it needs.
    pub(super) fn start(
        program: &Path,
        flags: &str,
        dir: &Path,
        watchdog: &Watchdog,
        ready: impl Fn() -> bool,
        below: &mut [&mut Self],
    ) -> Result<Self> {
        let path = dir
            .join(program.file_name().unwrap_or_default())
            .with_extension("log");
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
            .context(Code::ProgramNotStarted, || {
                format!("failed to run `{}`", program.display())
            })?;
        let mut server = Self {
            child,
            program: program.to_owned(),
            log: path,
        };
        watchdog.hold(&server.child)?;
        let deadline = Instant::now() + READY;
        while !ready() {
            let ended = below.iter_mut().find_map(|server| server.ended());
            if let Some(error) = ended.or_else(|| server.ended()) {
                return Err(error);
            }
            if Instant::now() > deadline {
                let seconds = READY.as_secs();
                return Err(server.failure(&format!("did not become ready within {seconds} s")));
            }
            thread::sleep(POLL);
        }
        Ok(server)
    }

    /// What is wrong if it has ended by itself.
    pub(super) fn ended(&mut self) -> Option<Error> {
        match self.child.try_wait() {
            Ok(None) => None,
            Ok(Some(status)) => Some(self.failure(&format!("ended ({status})"))),
            Err(error) => Some(self.failure(&format!("was lost ({error})"))),
        }
    }

    /// What happened, with the last lines of the log.
    fn failure(&self, what: &str) -> Error {
        let end = disk::end_of(&self.log, LONGEST_END).unwrap_or_default();
        let log = String::from_utf8_lossy(&end);
        let lines: Vec<_> = log.lines().collect();
        let tail = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
        let message = format!("`{}` {what}", self.program.display());
        Error::new(
            Code::ControlPlaneFailed,
            format!("its log ends with\n{tail}"),
        )
        .context(message)
    }

    /// Asks the server to end, and kills it where it does not.
    pub(super) fn terminate(&mut self) -> Result<()> {
        terminate(&self.child)?;
        let deadline = Instant::now() + STOP;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        self.kill();
        Ok(())
    }

    pub(super) fn kill(&mut self) {
        kill(&mut self.child);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

/// Asks a process to end. The standard library sends SIGKILL alone; every shell sends this one.
pub(crate) fn terminate(child: &Child) -> Result<()> {
    let command = format!("kill -TERM {}", child.id());
    let status = Command::new("sh").args(["-c", &command]).status();
    status.map(drop).context(Code::ProgramNotStarted, || {
        format!("failed to run `{command}`")
    })
}

/// Kills a child, which may have ended already, and waits for it.
fn kill(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[expect(clippy::disallowed_methods, reason = "writes no file of a project")]
fn log(path: &Path) -> std::io::Result<(File, File)> {
    let log = File::create(path)?;
    Ok((log.try_clone()?, log))
}
