//! What the program prints: all of it, within bounds, and the same each time.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::{Code, Context as _, Error, Result};

use super::CRDGEN;

/// How often it runs: an order that depends on a hash differs from process to process.
const RUNS: usize = 3;

/// Bytes of all CRDs together. An API server takes 3 MiB in a request.
const LIMIT: usize = 64 << 20;

/// Bytes of a message.
const MESSAGE_LIMIT: usize = 64 << 10;

/// It takes some milliseconds.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Runs the program and gives what it prints.
///
/// # Errors
/// It fails, does not end, prints too much, or something else each time.
pub(super) fn run(program: &Path, root: &Path) -> Result<Vec<u8>> {
    let runs: Vec<Run> = (0..RUNS)
        .map(|_| Run::start(program, root, LIMIT))
        .collect::<Result<_>>()?;
    let deadline = Instant::now() + TIMEOUT;
    let mut printed = Vec::new();
    for run in runs {
        printed.push(run.end(deadline, LIMIT)?);
    }
    let first = printed.swap_remove(0);
    match printed.iter().find(|other| **other != first) {
        None => Ok(first),
        Some(other) => Err(differs(&first, other)),
    }
}

/// A process, which ends with this value.
struct Run {
    child: Child,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
}

impl Run {
    fn start(program: &Path, root: &Path, limit: usize) -> Result<Self> {
        let mut child = Command::new(program)
            .current_dir(root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context(Code::CrdgenFailed, || {
                format!("failed to run `{}`", program.display())
            })?;
        let stdout = read(child.stdout.take(), limit);
        let stderr = read(child.stderr.take(), MESSAGE_LIMIT);
        Ok(Self {
            child,
            stdout,
            stderr,
        })
    }

    /// What it printed.
    fn end(mut self, deadline: Instant, limit: usize) -> Result<Vec<u8>> {
        let left = deadline.saturating_duration_since(Instant::now());
        let printed = self.stdout.recv_timeout(left).map_err(|_| {
            Error::new(
                Code::CrdgenFailed,
                format!(
                    "the project's `{CRDGEN}` did not finish within {} s",
                    TIMEOUT.as_secs()
                ),
            )
            .hint("code in `api/` that computes schemas or defaults blocks or recurses: check it")
        })?;
        if printed.len() > limit {
            return Err(Error::new(
                Code::CrdgenFailed,
                format!(
                    "the project's `{CRDGEN}` printed more than {} MiB",
                    limit >> 20
                ),
            )
            .hint("code in `api/` must not print: CRDs are read from its standard output"));
        }
        let status = self.child.wait().context(Code::CrdgenFailed, || {
            format!("failed to wait for `{CRDGEN}`")
        })?;
        if status.success() {
            return Ok(printed);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let output = self.stderr.recv_timeout(left).unwrap_or_default();
        let message = String::from_utf8_lossy(&output).trim().to_owned();
        let hint = super::panicked::hint(&message);
        Err(Error::new(Code::CrdgenFailed, message)
            .context(format!("the project's `{CRDGEN}` failed ({status})"))
            .hint(hint))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // It has ended, as a rule.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a stream to its end, or to one byte more than `limit`.
fn read(stream: Option<impl Read + Send + 'static>, limit: usize) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            // What was read until an error came is all there is.
            let _ = stream.take(limit as u64 + 1).read_to_end(&mut bytes);
        }
        // Nobody may be waiting any more.
        let _ = sender.send(bytes);
    });
    receiver
}

/// Says where two outputs differ.
fn differs(first: &[u8], second: &[u8]) -> Error {
    let parsed = |bytes| serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    let place = place("", &parsed(first), &parsed(second)).unwrap_or_default();
    Error::new(Code::UnstableCrds, format!(
        "the CRDs differ from run to run at `{place}`, as the order of a `HashMap` or `HashSet` \
        does"
    ))
    .hint("use `BTreeMap` or `BTreeSet` for values in schemas, such as defaults and enums")
}

/// Where two values first differ. CRDs are called by their names.
fn place(path: &str, first: &Value, second: &Value) -> Option<String> {
    match (first, second) {
        (Value::Object(left), Value::Object(right)) if left.keys().eq(right.keys()) => left
            .iter()
            .zip(right.values())
            .find_map(|((key, left), right)| {
                let path = match path {
                    "" => key.clone(),
                    _ => format!("{path}.{key}"),
                };
                place(&path, left, right)
            }),
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => left
            .iter()
            .zip(right)
            .enumerate()
            .find_map(|(at, (left, right))| {
                let name = left["metadata"]["name"].as_str();
                let path = match name.filter(|_| path == "items") {
                    Some(name) => format!("{name}:"),
                    None => format!("{path}[{at}]"),
                };
                place(&path, left, right)
            }),
        _ => (first != second).then(|| path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_the_place_that_differs() {
        let list = |values: [&str; 2]| {
            json!({"kind": "List", "items": [
                {"metadata": {"name": "a.example.com"}},
                {"metadata": {"name": "b.example.com"}, "spec": {"x.y": [{"enum": values}]}},
            ]})
        };
        let (first, second) = (list(["a", "b"]), list(["b", "a"]));
        assert_eq!(place("", &first, &first), None);
        assert_eq!(
            place("", &first, &second).as_deref(),
            Some("b.example.com:.spec.x.y[0].enum[0]")
        );
    }

    /// A program that prints without end is stopped.
    #[cfg(unix)]
    #[test]
    fn bounds_what_is_read() {
        let run = Run::start(Path::new("yes"), Path::new("/"), 10).expect("`yes` runs");
        let deadline = Instant::now() + TIMEOUT;
        let error = run.end(deadline, 10).expect_err("too much");
        assert!(error.chain().any(|line| line.contains("printed more than")));
    }

    #[cfg(unix)]
    #[test]
    fn stops_what_does_not_end() {
        let mut command = Command::new("/bin/sleep");
        let child = command.arg("600").spawn().expect("`sleep` runs");
        let (_sender, stdout) = mpsc::channel();
        let (_other, stderr) = mpsc::channel();
        let run = Run {
            child,
            stdout,
            stderr,
        };
        let error = run.end(Instant::now(), LIMIT).expect_err("too long");
        assert!(
            error
                .chain()
                .any(|line| line.contains("did not finish within 60 s"))
        );
    }
}
