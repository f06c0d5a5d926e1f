//! The cluster, and the programs that change it.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{say, variable};

/// Names the context of the cluster.
const CONTEXT: &str = "E2E_CONTEXT";

/// Says that a cluster may lose everything in it, although kind did not create it.
const DISPOSABLE: &str = "E2E_DISPOSABLE";

/// What contexts of kind start with.
const KIND: &str = "kind-";

/// A cluster that may lose everything in it.
pub(super) struct DisposableCluster {
    context: String,
    project: PathBuf,
}

impl DisposableCluster {
    /// The cluster that the environment names. `None`, with a line on stderr, if it names none.
    pub(super) fn find(project: PathBuf) -> Option<Self> {
        let Some(context) = variable(CONTEXT) else {
            say(&format!(
                "skipped: {CONTEXT} is not set; `make test-e2e` creates a kind cluster and sets it"
            ));
            return None;
        };
        let marked = variable(DISPOSABLE);
        assert!(
            is_disposable(&context, marked.as_deref()),
            "the cluster of the context {context} is not changed, because kind did not create it: set \
             {DISPOSABLE}=true if it may lose everything in it"
        );
        Some(Self { context, project })
    }

    /// Whether the project has a folder.
    pub(super) fn has(&self, folder: &str) -> bool {
        self.project.join(folder).is_dir()
    }

    /// Runs kubectl. Returns its output, or its error.
    pub(super) fn kubectl(&self, arguments: &str, input: &str) -> Result<String, String> {
        run(
            self.kubectl_command().args(arguments.split_whitespace()),
            input,
        )
    }

    /// kubectl for this cluster.
    pub(super) fn kubectl_command(&self) -> Command {
        self.command("KUBECTL", "kubectl", "--context")
    }

    /// Runs Helm. Returns its output, or its error.
    pub(super) fn helm(&self, arguments: &str, input: &str) -> Result<String, String> {
        let mut command = self.command("HELM", "helm", "--kube-context");
        run(command.args(arguments.split_whitespace()), input)
    }

    fn command(&self, replaced_by: &str, program: &str, context: &str) -> Command {
        let program = variable(replaced_by).unwrap_or_else(|| program.to_owned());
        let mut command = Command::new(program);
        command
            .arg(format!("{context}={}", self.context))
            .current_dir(&self.project);
        command
    }
}

/// Whether everything in the cluster of a context may be lost.
fn is_disposable(context: &str, marked: Option<&str>) -> bool {
    context.starts_with(KIND) || marked == Some("true")
}

fn run(command: &mut Command, input: &str) -> Result<String, String> {
    let program = command.get_program().to_owned();
    let program = program.display();
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot run {program}: {error}"));
    let mut stdin = process.stdin.take().expect("stdin is piped");
    // A program that does not read all of it says why.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = process
        .wait_with_output()
        .unwrap_or_else(|error| panic!("cannot run {program}: {error}"));
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::is_disposable;

    #[test]
    fn only_marked_clusters_are_disposable() {
        assert!(is_disposable("kind-app-operator-e2e", None));
        assert!(is_disposable("ci", Some("true")));
        for (context, marked) in [
            ("production", None),
            ("production", Some("")),
            ("production", Some("false")),
            ("kindly", None),
            ("my-kind-cluster", None),
        ] {
            assert!(!is_disposable(context, marked), "{context} {marked:?}");
        }
    }
}
