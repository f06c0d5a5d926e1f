use std::env;
use std::ffi::OsString;
use std::io::{PipeReader, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::error::{Code, Context, Error, Result};
use crate::kubectl::Target;

/// The process's own stdin, as a file.
const STDIN: &str = "/dev/stdin";

/// An operator that is to run on this machine.
#[derive(Debug)]
pub struct Operator<'a> {
    /// The path of the compiled operator.
    pub program: PathBuf,
    /// The command-line arguments of the operator.
    pub arguments: &'a [OsString],
    /// The cluster that it works on.
    pub target: &'a Target,
    /// The namespaces that it watches, where not those of `$WATCH_NAMESPACE`.
    pub namespace: Option<&'a str>,
}

impl Operator<'_> {
    /// Becomes the operator: signals go to it, and its exit code is that of the process. Returns
    /// only where that fails.
    pub fn run(&self) -> Error {
        match self.command() {
            Ok(mut command) => {
                let error = become_it(&mut command);
                Error::new(Code::ProgramNotStarted, error)
                    .context(format!("failed to run `{}`", self.program.display()))
            }
            Err(error) => error,
        }
    }

    fn command(&self) -> Result<Command> {
        let mut command = Command::new(&self.program);
        command.args(self.arguments);
        if let Some(namespace) = self.namespace {
            command.env("WATCH_NAMESPACE", namespace);
        }
        match &self.target.context {
            Some(context) => {
                let reader =
                    choice(context).context(Code::SystemError, || "failed to create a pipe")?;
                command
                    .env("KUBECONFIG", self.kubeconfigs()?)
                    .stdin(Stdio::from(reader));
            }
            None => {
                if let Some(path) = &self.target.kubeconfig {
                    command.env("KUBECONFIG", path);
                }
            }
        }
        Ok(command)
    }

    /// The files that say how clusters are reached, behind one that chooses the context: of two
    /// choices the first counts.
    fn kubeconfigs(&self) -> Result<OsString> {
        let mut paths = vec![PathBuf::from(STDIN)];
        let given = env::var_os("KUBECONFIG").filter(|paths| !paths.is_empty());
        match (&self.target.kubeconfig, given) {
            (Some(path), _) => paths.push(path.clone()),
            (None, Some(given)) => paths.extend(env::split_paths(&given)),
            (None, None) => paths.extend(env::home_dir().map(|home| home.join(".kube/config"))),
        }
        env::join_paths(paths).context(Code::SystemError, || "failed to set KUBECONFIG")
    }
}

/// A kubeconfig that says nothing but which context is the current one. It is in a pipe, so that
/// no file is left behind by the operator that this process becomes.
fn choice(context: &str) -> std::io::Result<PipeReader> {
    let (reader, mut writer) = std::io::pipe()?;
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": context,
        "clusters": [], "contexts": [], "users": [],
    });
    writer.write_all(config.to_string().as_bytes())?;
    Ok(reader)
}

#[cfg(unix)]
fn become_it(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

/// Without `exec` the operator is a child, which gets the signals of the console too.
#[cfg(not(unix))]
fn become_it(command: &mut Command) -> std::io::Error {
    match command.status() {
        #[expect(
            clippy::exit,
            reason = "the operator's exit code is that of the process"
        )]
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
