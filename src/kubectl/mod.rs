//! kubectl: where it is, what it prints, and what its errors mean. What it is asked for is the caller's.

pub(crate) mod failure;

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::bounded::{self, How, Limits};
use crate::error::{Code, Context, Error, Result};
use crate::on_path::on_path;

/// What kubectl may print, in bytes: all objects of an operator, with their CRDs. As values they take several times that.
const MOST: usize = 64 << 20;

/// How long it may take where no `--timeout` says so.
const TIME: Duration = Duration::from_mins(5);

/// How long it may take to render a folder, for which it reads files alone.
const RENDER: Duration = Duration::from_mins(1);

/// Variables that keep kustomize off the network: a proxy that is none, and no protocol for git.
const OFFLINE: [(&str, &str); 7] = [
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("HTTPS_PROXY", NO_PROXY),
    ("HTTP_PROXY", NO_PROXY),
    ("NO_PROXY", ""),
    ("http_proxy", NO_PROXY),
    ("https_proxy", NO_PROXY),
    ("no_proxy", ""),
];
const NO_PROXY: &str = "http://127.0.0.1:9";

/// The time that it has in any case: a short `--timeout` is for what is waited for.
const LEAST: Duration = Duration::from_secs(15);

/// What may be done about one that does not end.
const LOGIN: &str = "if a credential plugin waits for input, log in first: `kubectl get nodes`";

/// Which cluster is meant, in the words of kubectl's flags.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The file that says how clusters are reached, in place of `$KUBECONFIG` or the one in HOME.
    pub kubeconfig: Option<PathBuf>,
    /// The context in it, in place of the current one.
    pub context: Option<String>,
}

/// kubectl, and the cluster that it is to talk to.
#[derive(Debug)]
pub struct Kubectl {
    program: PathBuf,
    flags: Vec<OsString>,
    /// The variables that it sees otherwise than this process does.
    environment: Vec<(OsString, Option<OsString>)>,
    /// How long a call may take.
    time: Duration,
}

/// What kubectl says when it succeeds.
pub(crate) struct Answer {
    /// What it was asked for.
    pub(crate) stdout: String,
    /// What it has to say beside that.
    stderr: String,
}

impl Answer {
    /// What the API server warns of.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let lines = self.stderr.lines();
        lines
            .filter_map(|line| line.strip_prefix("Warning: "))
            .map(str::to_owned)
            .collect()
    }
}

impl Kubectl {
    /// The program that `$KUBECTL` names, or `kubectl` on PATH.
    ///
    /// # Errors
    /// There is none.
    pub fn find(target: &Target) -> Result<Self> {
        let named = env::var_os("KUBECTL").filter(|name| !name.is_empty());
        let name = named.clone().unwrap_or_else(|| "kubectl".into());
        let program = on_path(&name).ok_or_else(|| {
            let (message, hint) = match named {
                Some(_) => (
                    format!("$KUBECTL is `{}`, which does not exist", name.display()),
                    "set $KUBECTL to the path of kubectl, or unset it to use kubectl on PATH",
                ),
                None => (
                    "no kubectl on PATH".to_owned(),
                    "install kubectl (https://kubernetes.io/docs/tasks/tools), or set $KUBECTL to \
                    its path",
                ),
            };
            Error::new(Code::KubectlMissing, message).hint(hint)
        })?;
        let mut flags = Vec::new();
        if let Some(path) = &target.kubeconfig {
            flags.extend(["--kubeconfig".into(), path.clone().into_os_string()]);
        }
        if let Some(context) = &target.context {
            flags.extend(["--context".into(), context.into()]);
        }
        Ok(Self {
            program,
            flags,
            environment: Vec::new(),
            time: TIME,
        })
    }

    /// Gives each call as long as a command waits for a step.
    #[must_use]
    pub fn within(mut self, timeout: Duration) -> Self {
        self.time = timeout.max(LEAST);
        self
    }

    /// Where the program is.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// A token of a service account, for a day where the API server gives one for so long.
    ///
    /// # Errors
    /// There is no such service account, or the API server gives none.
    pub fn token(&self, service_account: &str, namespace: &str) -> Result<String> {
        let arguments = ["create", "token", service_account, "-n", namespace];
        let arguments = [&arguments[..], &["--duration=24h"]].concat();
        Ok(self.text(&arguments, None)?.trim().to_owned())
    }

    /// The API groups and versions that the API server serves: `v1`, `apps/v1`.
    ///
    /// # Errors
    /// The API server does not answer.
    pub fn api_versions(&self) -> Result<BTreeSet<String>> {
        let served = self.text(&["api-versions"], None)?;
        Ok(served.lines().map(str::to_owned).collect())
    }

    /// What kubectl prints.
    ///
    /// # Errors
    /// It fails: its own words are the cause, with a hint where they are known.
    pub(crate) fn text(&self, arguments: &[&str], input: Option<&str>) -> Result<String> {
        Ok(self.answer(arguments, input)?.stdout)
    }

    /// What kubectl prints, and what it says beside that.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub(crate) fn answer(&self, arguments: &[&str], input: Option<&str>) -> Result<Answer> {
        self.try_answer(arguments, input)?
            .map_err(|stderr| failure::explain(&stderr))
    }

    /// What kubectl prints, or its complaint.
    ///
    /// # Errors
    /// It cannot be run, does not end in time, or prints without end.
    pub(crate) fn try_answer(
        &self,
        arguments: &[&str],
        input: Option<&str>,
    ) -> Result<Result<Answer, String>> {
        self.run_within(self.time, arguments, input)
    }

    /// What kubectl prints, where a program that it gets credentials from may wait for somebody.
    ///
    /// # Errors
    /// As [`Self::text`], or it does not end within this time.
    pub(crate) fn text_within(&self, arguments: &[&str], time: Duration) -> Result<String> {
        let answer = self
            .run_within(time.min(self.time), arguments, None)?
            .map_err(|stderr| failure::explain(&stderr))?;
        Ok(answer.stdout)
    }

    fn run_within(
        &self,
        time: Duration,
        arguments: &[&str],
        input: Option<&str>,
    ) -> Result<Result<Answer, String>> {
        let limits = Limits { time, bytes: MOST };
        self.run(&mut self.command(arguments), input, limits, LOGIN)
    }

    /// Runs kubectl. `late` is the hint if it does not end.
    fn run(
        &self,
        command: &mut Command,
        input: Option<&str>,
        limits: Limits,
        late: &str,
    ) -> Result<Result<Answer, String>> {
        let ended = bounded::run(command, input.unwrap_or_default(), limits)
            .context(Code::KubectlFailed, || self.not_run())?;
        match ended.how {
            How::Exited(status) if !status.success() => return Ok(Err(ended.stderr)),
            How::Exited(_) => {}
            How::Flooding => {
                let limit = limits.bytes >> 20;
                return Err(Error::new(
                    Code::KubectlFailed,
                    format!("kubectl printed more than {limit} MiB"),
                ));
            }
            How::Late => {
                let time = limits.time.as_secs();
                let why = format!("kubectl did not finish within {time} s");
                return Err(failure::so_far(&ended.stderr).context(why).hint(late));
            }
        }
        let stdout = String::from_utf8(ended.stdout)
            .context(Code::KubectlFailed, || "kubectl did not print UTF-8")?;
        Ok(Ok(Answer {
            stdout,
            stderr: ended.stderr,
        }))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.args(&self.flags).args(arguments);
        command
    }

    fn not_run(&self) -> String {
        format!("failed to run `{}`", self.program.display())
    }

    /// What kubectl prints as JSON: null where it prints nothing.
    ///
    /// # Errors
    /// As [`Self::text`], or what it prints is no JSON.
    pub(crate) fn json(&self, arguments: &[&str], input: Option<&str>) -> Result<Value> {
        json(&self.text(arguments, input)?)
    }

    /// The objects that kubectl prints: those of a list, one, or none.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub(crate) fn objects(&self, arguments: &[&str], input: Option<&str>) -> Result<Vec<Value>> {
        Ok(match self.json(arguments, input)? {
            Value::Null => Vec::new(),
            Value::Object(mut list) if list.get("kind").is_some_and(|kind| kind == "List") => {
                match list.remove("items") {
                    Some(Value::Array(items)) => items,
                    _ => Vec::new(),
                }
            }
            object => vec![object],
        })
    }

    /// Those of some objects that are in the cluster, as they are there. `list` has them as kubectl
    /// reads them.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn live(&self, list: &str) -> Result<Vec<Value>> {
        let arguments = ["get", "--ignore-not-found", "-o", "json", "-f", "-"];
        self.objects(&arguments, Some(list))
    }

    /// What kustomize makes of a folder. Neither a cluster nor the network takes part.
    ///
    /// # Errors
    /// The folder has no kustomization, or kustomize refuses it or does not end.
    pub(crate) fn kustomize(&self, folder: &Path) -> Result<String> {
        let mut command = self.command(&["kustomize", &folder.to_string_lossy()]);
        command.envs(OFFLINE);
        let limits = Limits {
            time: self.time.min(RENDER),
            bytes: MOST,
        };
        let late = "split the directory, or list fewer files and patches";
        let answer = self.run(&mut command, None, limits, late);
        let rendered = answer.and_then(|answer| {
            let answer = answer.map_err(|stderr| failure::explain(&stderr))?;
            Ok(answer.stdout)
        });
        rendered.map_err(|error| {
            error
                .with_code(Code::KustomizeFailed)
                .context(format!("kustomize failed to render `{}`", folder.display()))
        })
    }
}

impl From<&Command> for Kubectl {
    /// kubectl as a command would run it that has no word for it yet.
    fn from(command: &Command) -> Self {
        let environment = command.get_envs();
        Self {
            program: command.get_program().into(),
            flags: command.get_args().map(OsStr::to_owned).collect(),
            environment: environment
                .map(|(name, value)| (name.to_owned(), value.map(OsStr::to_owned)))
                .collect(),
            time: TIME,
        }
    }
}

/// Reads JSON: null where there is nothing.
pub(crate) fn json(text: &str) -> Result<Value> {
    match text.trim() {
        "" => Ok(Value::Null),
        text => serde_json::from_str(text).map_err(|error| not_json(text, &error)),
    }
}

/// What it printed instead: the words of the library help nobody.
fn not_json(text: &str, error: &serde_json::Error) -> Error {
    let why = if error.is_eof() {
        "kubectl did not print JSON: the output is incomplete".to_owned()
    } else {
        let line = text.lines().next().unwrap_or_default();
        let start: String = line.chars().take(100).collect();
        format!("kubectl did not print JSON, but `{start}`")
    };
    Error::new(Code::KubectlFailed, why)
        .hint("check that `$KUBECTL`, or the kubectl on PATH, is kubectl itself")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// The program that credentials come from waits for somebody who sees nothing of it.
    #[test]
    fn a_kubectl_that_waits_is_stopped() {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "echo 'open https://login.example.com' >&2; sleep 1000",
        ]);
        let kubectl = Kubectl::from(&command);
        let error = kubectl
            .text_within(&[], Duration::from_millis(300))
            .expect_err("it does not end");
        let causes: Vec<_> = error.chain().collect();
        assert!(causes[0].contains("did not finish within"), "{causes:?}");
        assert_eq!(causes[1], "open https://login.example.com");
        assert!(error.hints()[0].contains("log in first"));
    }

    fn sh(script: &str) -> Kubectl {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Kubectl::from(&command)
    }

    #[test]
    fn a_kubectl_that_prints_without_end_is_stopped() {
        let error = sh("exec yes").text(&[], None).expect_err("too much");
        let message = error.chain().next();
        assert_eq!(message.as_deref(), Some("kubectl printed more than 64 MiB"));
    }

    #[test]
    fn a_folder_is_rendered_within_limits() {
        let error = sh("exec yes")
            .kustomize(Path::new("a"))
            .expect_err("too much");
        let last = error.chain().last();
        assert_eq!(last.as_deref(), Some("kubectl printed more than 64 MiB"));
        let proxies = sh("echo $HTTPS_PROXY $http_proxy $GIT_ALLOW_PROTOCOL")
            .kustomize(Path::new("a"))
            .expect("variables");
        assert_eq!(proxies.trim(), format!("{NO_PROXY} {NO_PROXY} none"));
    }

    #[test]
    fn what_kubectl_leaves_is_not_waited_for() {
        let start = std::time::Instant::now();
        let answer = sh("sleep 20 & echo '{}'").json(&[], None);
        assert_eq!(answer.expect("JSON"), serde_json::json!({}));
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_call_has_the_time_of_a_step() {
        let mut kubectl = sh("exec sleep 1000").within(Duration::from_secs(1));
        assert_eq!(kubectl.time, LEAST);
        kubectl.time = Duration::from_millis(300);
        let error = kubectl.live("").expect_err("it does not end");
        assert!(
            error
                .chain()
                .any(|text| text.contains("did not finish within"))
        );
        let error = kubectl
            .kustomize(Path::new("config/default"))
            .expect_err("it does not end");
        let causes: Vec<_> = error.chain().collect();
        assert_eq!(causes[0], "kustomize failed to render `config/default`");
        assert!(causes[1].contains("did not finish within"), "{causes:?}");
        assert_eq!(
            sh("").within(Duration::from_mins(7)).time,
            Duration::from_mins(7)
        );
    }

    #[test]
    fn what_is_not_json_is_shown() {
        for (script, message) in [
            (
                "echo 'Hello, I am not it'",
                "kubectl did not print JSON, but `Hello, I am not it`",
            ),
            (
                "echo '{\"a\":'",
                "kubectl did not print JSON: the output is incomplete",
            ),
        ] {
            let error = sh(script).json(&[], None).expect_err(script);
            assert_eq!(error.chain().collect::<Vec<_>>(), [message]);
        }
    }
}
