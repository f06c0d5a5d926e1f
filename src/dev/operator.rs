//! The operator as a process.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::control_plane::terminate;
use crate::error::{Code, Context, Result};

/// As long as Kubernetes waits for it.
const GRACE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(10);

/// A running operator, whose log is on the terminal. Dropping it ends the process.
pub(super) struct Operator(Child);

impl Operator {
    pub(super) fn start(mut command: Command) -> Result<Self> {
        let child = command.stdin(Stdio::null()).spawn();
        let program = command.get_program().to_string_lossy();
        Ok(Self(child.context(Code::ProgramNotStarted, || {
            format!("failed to run `{program}`")
        })?))
    }

    /// How it ended, if it has.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().ok().flatten()
    }

    /// Asks it to end, and waits as Kubernetes does.
    pub(super) fn stop(mut self) -> Result<()> {
        terminate(&self.0)?;
        let deadline = Instant::now() + GRACE;
        while self.ended().is_none() && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        Ok(())
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
