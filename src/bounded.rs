//! Programs that may not end, or print without end.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::iter;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::string::FromUtf8Error;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long it waits between two looks. Times are counted in looks: if the machine stands still, so does the program.
const POLL: Duration = Duration::from_millis(10);

/// How long what a program has started may keep its output open and be silent once it has ended: agents do.
const SILENT: Duration = Duration::from_millis(300);

/// How long it may keep it open in all.
const AFTER: Duration = Duration::from_secs(2);

/// What a program may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) time: Duration,
    /// The size of what it prints to stdout, and to stderr.
    pub(crate) bytes: usize,
}

/// How a program ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) how: How,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

#[derive(Debug)]
pub(crate) enum How {
    /// By itself.
    Exited(ExitStatus),
    /// It took too long, and was killed.
    Late,
    /// It printed too much, and was killed.
    Flooding,
}

/// Runs a program, with something to read, until it ends or has reached a limit.
///
/// # Errors
/// It does not start.
pub(crate) fn run(command: &mut Command, input: &str, limits: Limits) -> io::Result<Ended> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (mut stdin, input) = (child.stdin.take(), input.to_owned());
    thread::spawn(move || {
        if let Some(stdin) = &mut stdin {
            // One that does not read has a reason, which it says.
            let _ = stdin.write_all(input.as_bytes());
        }
    });
    let stdout = child
        .stdout
        .take()
        .map(|pipe| Text::read(pipe, limits.bytes));
    let stderr = child
        .stderr
        .take()
        .map(|pipe| Text::read(pipe, limits.bytes));
    let texts = || stdout.iter().chain(&stderr);
    let how = watch(
        &mut child,
        limits,
        || texts().any(Text::is_full),
        || texts().all(Text::is_whole),
        || texts().map(Text::size).sum(),
    );
    let _ = child.kill();
    let _ = child.wait();
    let bytes = |text: &Option<Text>| text.as_ref().map(Text::take).unwrap_or_default();
    Ok(Ended {
        how: how?,
        stdout: bytes(&stdout),
        stderr: String::from_utf8_lossy(&bytes(&stderr)).into_owned(),
    })
}

fn watch(
    child: &mut Child,
    limits: Limits,
    is_full: impl Fn() -> bool,
    is_whole: impl Fn() -> bool,
    size: impl Fn() -> usize,
) -> io::Result<How> {
    // Since it began, since it ended, and since something arrived after that.
    let (mut running, mut ended, mut silent) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let mut arrived = 0;
    loop {
        let end = child.try_wait()?;
        if is_full() {
            return Ok(How::Flooding);
        }
        if let Some(status) = end {
            let size = size();
            if size != arrived {
                (arrived, silent) = (size, Duration::ZERO);
            }
            if is_whole() || silent > SILENT || ended > AFTER {
                return Ok(How::Exited(status));
            }
            ended += POLL;
            silent += POLL;
        } else if running > limits.time {
            return Ok(How::Late);
        }
        running += POLL;
        thread::sleep(POLL);
    }
}

/// What a program prints, read as it comes.
pub(crate) struct Text {
    bytes: Arc<Mutex<Vec<u8>>>,
    most: usize,
    reader: JoinHandle<()>,
}

impl Text {
    /// Reads until it has more than so many bytes.
    fn read(pipe: impl Read + Send + 'static, most: usize) -> Self {
        Self::and_then(pipe, most, drop)
    }

    /// Keeps the first bytes, and reads all others too: a full pipe would stop the program.
    pub(crate) fn beginning(pipe: impl Read + Send + 'static, most: usize) -> Self {
        Self::and_then(pipe, most, |mut pipe| {
            let _ = io::copy(&mut pipe, &mut io::sink());
        })
    }

    fn and_then<P: Read + Send + 'static>(
        mut pipe: P,
        most: usize,
        rest: impl FnOnce(P) + Send + 'static,
    ) -> Self {
        let bytes = Arc::<Mutex<Vec<u8>>>::default();
        let kept = Arc::clone(&bytes);
        let reader = thread::spawn(move || {
            let mut part = [0; 8 * 1024];
            while let Ok(size @ 1..) = pipe.read(&mut part) {
                let mut kept = lock(&kept);
                kept.extend_from_slice(&part[..size]);
                if kept.len() > most {
                    break;
                }
            }
            rest(pipe);
        });
        Self {
            bytes,
            most,
            reader,
        }
    }

    /// The beginning, after the program has ended.
    pub(crate) fn ended(self) -> String {
        let mut waited = Duration::ZERO;
        while !self.is_whole() && waited <= AFTER {
            thread::sleep(POLL);
            waited += POLL;
        }
        let mut bytes = self.take();
        bytes.truncate(self.most);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn is_whole(&self) -> bool {
        self.reader.is_finished()
    }

    fn is_full(&self) -> bool {
        self.size() > self.most
    }

    fn size(&self) -> usize {
        lock(&self.bytes).len()
    }

    /// What has arrived.
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut lock(&self.bytes))
    }
}

fn lock(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lines that a program prints, without their ends. One that is longer than `most` bytes is an error.
pub(crate) fn lines(
    mut pipe: impl BufRead,
    most: usize,
) -> impl Iterator<Item = io::Result<String>> {
    iter::from_fn(move || {
        let mut line = Vec::new();
        let mut part = pipe.by_ref().take(most as u64);
        match part.read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(size) if size == most && !line.ends_with(b"\n") => {
                let message = format!("it printed a line of more than {most} bytes");
                Some(Err(io::Error::new(io::ErrorKind::InvalidData, message)))
            }
            Ok(_) => {
                while line.pop_if(|last| matches!(last, b'\r' | b'\n')).is_some() {}
                let lossy =
                    |error: FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
                Some(Ok(String::from_utf8(line).unwrap_or_else(lossy)))
            }
            Err(error) => Some(Err(error)),
        }
    })
}

/// The lines that a program prints until it has ended, each of at most so many bytes. What it has started may keep its
/// output open for longer.
pub(crate) fn printed(
    child: &mut Child,
    pipe: impl Read + Send + 'static,
    most: usize,
) -> impl Iterator<Item = io::Result<String>> {
    let (sender, receiver) = mpsc::sync_channel(0);
    thread::spawn(move || {
        let mut lines = lines(BufReader::new(pipe), most);
        while lines.next().is_some_and(|line| sender.send(line).is_ok()) {}
    });
    let mut silent = Duration::ZERO;
    iter::from_fn(move || {
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(line) => {
                    silent = Duration::ZERO;
                    return Some(line);
                }
                Err(RecvTimeoutError::Timeout) if silent <= AFTER => {
                    if !matches!(child.try_wait(), Ok(None)) {
                        silent += POLL;
                    }
                }
                Err(_) => return None,
            }
        }
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn sh(script: &str) -> Ended {
        sh_for(Duration::from_secs(30), script)
    }

    fn sh_for(time: Duration, script: &str) -> Ended {
        let limits = Limits { time, bytes: 1000 };
        let ended = run(Command::new("sh").args(["-c", script]), "input", limits);
        ended.expect("sh starts")
    }

    #[test]
    fn a_program_reads_and_prints() {
        let ended = sh("cat; echo also >&2; exit 3");
        assert!(matches!(ended.how, How::Exited(status) if status.code() == Some(3)));
        assert_eq!((&*ended.stdout, &*ended.stderr), (&b"input"[..], "also\n"));
    }

    #[test]
    fn a_program_that_does_not_end() {
        for script in ["exec sleep 1000", "sleep 1000", "exec >&- 2>&-; sleep 1000"] {
            let script = format!("echo so far >&2; {script}");
            let ended = sh_for(Duration::from_secs(1), &script);
            assert!(matches!(ended.how, How::Late), "{script}: {ended:?}");
            assert_eq!(ended.stderr, "so far\n");
        }
    }

    #[test]
    fn a_program_that_prints_without_end() {
        for script in ["exec yes", "exec yes >&2"] {
            let ended = sh(script);
            assert!(matches!(ended.how, How::Flooding), "{script}");
            assert!(ended.stdout.len() + ended.stderr.len() < 100_000);
        }
    }

    #[test]
    fn a_line_that_never_ends() {
        let endless = "one\n\ntwo\r\n".as_bytes().chain(io::repeat(b'x'));
        let mut lines = lines(io::BufReader::new(endless), 1000);
        for expected in ["one", "", "two"] {
            assert_eq!(lines.next().unwrap().unwrap(), expected);
        }
        let error = lines.next().unwrap().unwrap_err().to_string();
        assert_eq!(error, "it printed a line of more than 1000 bytes");
    }

    #[test]
    fn lines_of_no_text() {
        let found: Result<Vec<_>, _> = lines(&b"a\xff\nlast"[..], 1000).collect();
        assert_eq!(found.unwrap(), ["a\u{fffd}", "last"]);
    }

    #[test]
    fn a_program_that_leaves_an_agent() {
        let ended = sh("sleep 3 & echo done");
        assert_eq!(ended.stdout, b"done\n");
    }

    /// What it leaves may go on printing.
    #[test]
    fn a_program_that_leaves_one_that_prints() {
        let ended = sh("(for i in $(seq 80); do sleep 0.05; echo more; done) & echo done");
        assert!(matches!(ended.how, How::Exited(_)), "{ended:?}");
        assert!(ended.stdout.starts_with(b"done\nmore\n"), "{ended:?}");
        let ended = sh("(yes | head -c 10000000) & exit 0");
        assert!(matches!(ended.how, How::Flooding));
    }
}
