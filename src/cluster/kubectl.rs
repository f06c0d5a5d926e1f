use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, thread};

use serde_json::Value;

use crate::bounded::{self, How, Limits};
use crate::error::{Context, Error, Result};

use super::failure;

/// What kubectl may print of versions.
const MOST: usize = 16 * 1024 * 1024;

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
}

/// What kubectl says when it succeeds.
pub(super) struct Answer {
    /// What it was asked for.
    pub(super) stdout: String,
    /// What it has to say beside that.
    stderr: String,
}

impl Answer {
    /// What the API server warns of.
    pub(super) fn warnings(&self) -> Vec<String> {
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
                    format!(
                        "$KUBECTL names `{}`, and there is no such program",
                        name.display()
                    ),
                    "set it to kubectl, or unset it if kubectl is on PATH",
                ),
                None => (
                    "no kubectl on PATH".to_owned(),
                    "install kubectl (https://kubernetes.io/docs/tasks/tools), or name it with $KUBECTL",
                ),
            };
            Error::new(message).hint(hint)
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
        })
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
    pub(super) fn text(&self, arguments: &[&str], input: Option<&str>) -> Result<String> {
        Ok(self.answer(arguments, input)?.stdout)
    }

    /// What kubectl prints, and what it says beside that.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub(super) fn answer(&self, arguments: &[&str], input: Option<&str>) -> Result<Answer> {
        self.try_answer(arguments, input)?
            .map_err(|stderr| failure::explain(&stderr))
    }

    /// What kubectl prints, or its complaint.
    ///
    /// # Errors
    /// It cannot be run.
    pub(super) fn try_answer(
        &self,
        arguments: &[&str],
        input: Option<&str>,
    ) -> Result<Result<Answer, String>> {
        let failed = || self.not_run();
        let mut child = self
            .command(arguments)
            .stdin(if input.is_some() {
                Stdio::piped()
            } else {
                Stdio::null()
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context(failed)?;
        let stdin = child.stdin.take();
        let output = thread::scope(|scope| {
            // Where kubectl stops reading early, its stderr says why.
            scope.spawn(move || {
                if let (Some(mut stdin), Some(input)) = (stdin, input) {
                    let _ = stdin.write_all(input.as_bytes());
                }
            });
            child.wait_with_output()
        });
        let output = output.context(failed)?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            return Ok(Err(stderr));
        }
        let stdout = String::from_utf8(output.stdout).context(|| "kubectl did not print UTF-8")?;
        Ok(Ok(Answer { stdout, stderr }))
    }

    /// What kubectl prints, where a program that it gets credentials from may wait for somebody.
    ///
    /// # Errors
    /// As [`Self::text`], or it does not end within a time.
    pub(super) fn text_within(&self, arguments: &[&str], time: Duration) -> Result<String> {
        let limits = Limits { time, bytes: MOST };
        let ended = bounded::run(&mut self.command(arguments), "", limits);
        let ended = ended.context(|| self.not_run())?;
        let error = match ended.how {
            How::Exited(status) if status.success() => return Ok(ended.stdout),
            How::Exited(_) => return Err(failure::explain(&ended.stderr)),
            How::Flooding => Error::new(format!("kubectl prints more than {MOST} bytes")),
            How::Late => failure::so_far(&ended.stderr)
                .context(format!("kubectl does not end within {} s", time.as_secs()))
                .hint("if a program that it gets credentials from waits for you, log in with that first: `kubectl get nodes`"),
        };
        Err(error)
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
    pub(super) fn json(&self, arguments: &[&str], input: Option<&str>) -> Result<Value> {
        json(&self.text(arguments, input)?)
    }

    /// The objects that kubectl prints: those of a list, one, or none.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub(super) fn objects(&self, arguments: &[&str], input: Option<&str>) -> Result<Vec<Value>> {
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
    pub(super) fn live(&self, list: &str) -> Result<Vec<Value>> {
        let arguments = ["get", "--ignore-not-found", "-o", "json", "-f", "-"];
        self.objects(&arguments, Some(list))
    }

    /// What kustomize makes of a folder. No cluster takes part.
    ///
    /// # Errors
    /// The folder has no kustomization, or kustomize refuses it.
    pub(super) fn kustomize(&self, folder: &Path) -> Result<String> {
        self.text(&["kustomize", &folder.to_string_lossy()], None)
            .map_err(|e| e.context(format!("kustomize cannot render `{}`", folder.display())))
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
        }
    }
}

/// Reads JSON: null where there is nothing.
pub(super) fn json(text: &str) -> Result<Value> {
    match text.trim() {
        "" => Ok(Value::Null),
        text => serde_json::from_str(text).context(|| "kubectl did not print JSON"),
    }
}

/// A program by its path, or by its name on PATH.
fn on_path(name: &OsStr) -> Option<PathBuf> {
    let name = Path::new(name);
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_owned());
    }
    let file = name.with_extension(env::consts::EXE_EXTENSION);
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
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
        let error = kubectl.text_within(&[], Duration::from_millis(300));
        let error = error.expect_err("it does not end");
        let causes: Vec<_> = error.chain().collect();
        assert!(causes[0].contains("does not end within"), "{causes:?}");
        assert_eq!(causes[1], "open https://login.example.com");
        assert!(error.hints()[0].contains("log in with that first"));
    }
}
