//! Servers as child processes that never outlive the tests.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take to get ready, on a busy machine.
const READY: Duration = Duration::from_mins(2);
/// How long a server may take to end by itself before it is killed.
const STOP: Duration = Duration::from_secs(20);
const POLL: Duration = Duration::from_millis(50);

/// A server, killed on drop.
pub(super) struct Server(Child);

impl Server {
    /// Starts a program in `dir` and waits until it is ready. `Err` holds the
    /// end of its log.
    pub(super) fn start(
        program: &Path,
        flags: &str,
        dir: &Path,
        lifeline: &Lifeline,
        ready: impl Fn() -> bool,
    ) -> Result<Self, String> {
        let name = program.file_name().expect("a program has a name");
        let path = dir.join(name).with_extension("log");
        let log = File::create(&path).expect("a log file");
        let child = Command::new(program)
            .args(flags.split_whitespace())
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a second handle of the log"))
            .stderr(log)
            .process_group(lifeline.group())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let mut server = Self(child);
        lifeline.hold(server.pid());
        let deadline = Instant::now() + READY;
        while !ready() {
            if server.has_ended() || Instant::now() > deadline {
                let log = fs::read_to_string(&path).unwrap_or_default();
                let lines: Vec<_> = log.lines().collect();
                let end = lines[lines.len().saturating_sub(40)..].join("\n");
                let program = program.display();
                return Err(format!(
                    "{program} did not get ready; its log ends with:\n{end}"
                ));
            }
            thread::sleep(POLL);
        }
        Ok(server)
    }

    /// Asks the server to end, and kills it where it does not.
    pub(super) fn terminate(&mut self) {
        // The standard library sends SIGKILL alone; every shell sends this one.
        let command = format!("kill -TERM {}", self.pid());
        let sent = Command::new("sh").args(["-c", &command]).status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "{command} failed"
        );
        let deadline = Instant::now() + STOP;
        while !self.has_ended() && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        kill(&mut self.0);
    }

    fn has_ended(&mut self) -> bool {
        self.0
            .try_wait()
            .expect("a child can be waited for")
            .is_some()
    }

    fn pid(&self) -> i32 {
        self.0.id().try_into().expect("a process id fits pid_t")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        kill(&mut self.0);
    }
}

/// A shell that sees its stdin close when the test process is gone, however
/// that happened, and then kills the servers and removes their files. Like them
/// it is outside the tests' process group, so what ends that as a whole
/// (Ctrl-C, a test runner's timeout) leaves it at its work.
///
/// `PR_SET_PDEATHSIG` would need `unsafe` and Linux, and fires when the *thread*
/// that spawned a server ends: servers that tests share would die with the
/// first test.
pub(super) struct Lifeline {
    shell: Child,
    group: OnceLock<i32>,
}

impl Lifeline {
    /// Watches over the files in `dir`.
    pub(super) fn new(dir: &Path) -> Self {
        // The first line tells the servers' process group; then comes the end.
        let script =
            r#"read -r group && { read -r _; kill -s KILL -- "-$group"; }; rm -rf -- "$1""#;
        let shell = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(dir)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self {
            shell: shell.expect("sh runs"),
            group: OnceLock::new(),
        }
    }

    /// The process group for the next server: that of the first, which has its
    /// own.
    pub(super) fn group(&self) -> i32 {
        self.group.get().copied().unwrap_or(0)
    }

    /// Watches over a server too.
    fn hold(&self, pid: i32) {
        if self.group.set(pid).is_ok() {
            let mut stdin = self.shell.stdin.as_ref().expect("stdin is piped");
            stdin
                .write_all(format!("{pid}\n").as_bytes())
                .expect("the shell listens");
        }
    }
}

impl Drop for Lifeline {
    fn drop(&mut self) {
        // Killed before its stdin closes, it does nothing.
        kill(&mut self.shell);
    }
}

/// Kills a child, which may have ended already, and waits for it.
fn kill(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
