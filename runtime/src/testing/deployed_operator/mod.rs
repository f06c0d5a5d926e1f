//! An operator in a disposable cluster, deployed as its users deploy it.

mod cluster;
mod manifests;
mod metrics;

use std::env;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::cluster::{is_too_early, lock};
use cluster::DisposableCluster;
use manifests::Manifests;

/// How long a rollout may take, or a sample until it is ready: images have to be pulled.
const TIMEOUT: Duration = Duration::from_secs(180);

/// The same, for kubectl and Helm.
const TIMEOUT_FLAG: &str = "--timeout=3m";

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// The chart of a project.
const CHART: &str = "dist/chart";

/// The samples of a project.
const SAMPLES: &str = "config/samples";

/// Names the image to test.
const IMAGE: &str = "E2E_IMAGE";

/// Names the image that is upgraded to it, such as the last release.
const UPGRADE_FROM: &str = "E2E_UPGRADE_FROM";

/// The annotation of pods that differs after an upgrade, even to the same image.
const REVISION: &str = "e2e-revision";

/// Both ways of deployment use the same names in a cluster.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// What the operator is deployed from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Config,
    Chart,
}

/// An operator that runs in a disposable cluster, deployed with kubectl or Helm. Dropping it removes
/// it.
///
/// `E2E_CONTEXT` names the kubeconfig context of the cluster. It must be a context of kind
/// (`kind-…`), unless `E2E_DISPOSABLE` is `true`, and the cluster must have neither the namespace
/// nor the CRDs of the operator: no other cluster is ever changed. `E2E_IMAGE` is the image, and
/// `E2E_UPGRADE_FROM` the one that is deployed first; without them, it is that of the manifests.
/// `KUBECTL` and `HELM` replace the programs.
///
/// In one process, operators wait for each other.
///
/// ```no_run
/// use rop_runtime::testing::DeployedOperator;
///
/// # async fn test() {
/// // #[tokio::test]
/// // async fn deployed_from_config() {
/// # macro_rules! env { ($name:literal) => { "" } }
/// let project = env!("CARGO_MANIFEST_DIR");
/// let Some(mut operator) = DeployedOperator::from_config(project) else { return };
/// operator.apply_samples("default").await;
/// operator.becomes_ready("app_v1alpha1_appservice.yaml");
/// operator.upgrade();
/// operator.reconciles().await;
/// operator.remove();
/// # }
/// ```
pub struct DeployedOperator {
    cluster: DisposableCluster,
    source: Source,
    manifests: Manifests,
    /// The namespaces that did not exist before.
    namespaces: Vec<String>,
    /// The namespace of the samples, if they were applied.
    samples: Option<String>,
    is_removed: bool,
    _turn: MutexGuard<'static, ()>,
}

impl DeployedOperator {
    /// Deploys `config/default` of the project in a folder, and waits until the operator is ready.
    /// Returns `None`, and prints a line to stderr, if `E2E_CONTEXT` is not set.
    ///
    /// # Panics
    /// Panics if the cluster is not disposable or already has such an operator, and if the operator
    /// does not become ready.
    #[must_use]
    pub fn from_config(project: impl Into<PathBuf>) -> Option<Self> {
        Self::deploy(project.into(), Source::Config)
    }

    /// Installs the chart in `dist/chart` of the project in a folder, and waits until the operator is
    /// ready. Returns `None`, and prints a line to stderr, if `E2E_CONTEXT` is not set or if there is
    /// no chart.
    ///
    /// # Panics
    /// Like [`from_config`](Self::from_config).
    #[must_use]
    pub fn from_chart(project: impl Into<PathBuf>) -> Option<Self> {
        let project = project.into();
        if !project.join(CHART).join("Chart.yaml").is_file() {
            say("skipped: the project has no chart; `rop generate chart` creates it");
            return None;
        }
        Self::deploy(project, Source::Chart)
    }

    fn deploy(project: PathBuf, source: Source) -> Option<Self> {
        let cluster = DisposableCluster::find(project)?;
        let turn = lock(&ONE_AT_A_TIME);
        let manifests = Manifests::render(&cluster);
        manifests.assert_absent(&cluster);
        let mut operator = Self {
            cluster,
            source,
            manifests,
            namespaces: Vec::new(),
            samples: None,
            is_removed: false,
            _turn: turn,
        };
        operator.create_namespaces();
        operator.roll_out(variable(UPGRADE_FROM).or_else(|| variable(IMAGE)), "1");
        Some(operator)
    }

    /// Runs kubectl in the project's folder, with the context of the cluster. Returns its output.
    /// Blanks separate arguments.
    ///
    /// # Errors
    /// Returns what kubectl printed to stderr if it fails.
    ///
    /// # Panics
    /// Panics if kubectl cannot run.
    pub fn kubectl(&self, arguments: &str) -> Result<String, String> {
        self.cluster.kubectl(arguments, "")
    }

    /// Applies `config/samples`, if the project has it. Samples without a namespace get this one.
    ///
    /// # Panics
    /// Panics if the API server rejects them.
    pub async fn apply_samples(&mut self, namespace: &str) {
        if !self.cluster.has(SAMPLES) {
            return;
        }
        self.samples = Some(namespace.to_owned());
        let apply = format!("apply --server-side --kustomize={SAMPLES} --namespace={namespace}");
        let applied = self.once_answered(&apply, "").await;
        applied.unwrap_or_else(|error| panic!("{SAMPLES}: {error}"));
    }

    /// Waits until the object of a file in `config/samples` has the condition `Ready`.
    ///
    /// # Panics
    /// Panics if it does not become ready within 3 minutes.
    pub fn becomes_ready(&self, sample: &str) {
        let object = self.object(sample);
        let ready = self.kubectl(&format!(
            "wait --for=condition=Ready {object} {TIMEOUT_FLAG}"
        ));
        if let Err(error) = ready {
            let object = self.kubectl(&format!("get --output=yaml {object}"));
            panic!("{sample}: {error}\n{}", object.unwrap_or_default());
        }
    }

    /// Returns the response to a merge patch for the object of a file in `config/samples`, as a dry
    /// run.
    ///
    /// # Errors
    /// Returns the reason if the API server, a webhook or a policy rejects it.
    pub async fn try_edit(&self, sample: &str, patch: &Value) -> Result<(), String> {
        let object = self.object(sample);
        let edit = format!("patch {object} --dry-run=server --type=merge --patch-file=/dev/stdin");
        let edited = self.once_answered(&edit, &patch.to_string()).await;
        edited.map(drop)
    }

    /// Returns the response to the creation of an object, as a dry run. Without a namespace, it gets
    /// that of the samples.
    ///
    /// # Errors
    /// Returns the reason if the API server, a webhook or a policy rejects it.
    pub async fn try_create(&self, object: &Value) -> Result<(), String> {
        let create = format!("create --dry-run=server --filename=- {}", self.namespace());
        let created = self.once_answered(&create, &object.to_string()).await;
        created.map(drop)
    }

    /// Deploys the operator again, in new pods and from the image in `E2E_IMAGE`, and waits until it
    /// is ready.
    ///
    /// # Panics
    /// Panics if it does not become ready.
    pub fn upgrade(&self) {
        self.roll_out(variable(IMAGE), "2");
    }

    /// Deletes the samples, then the operator, its CRDs and its namespace.
    ///
    /// # Panics
    /// Panics if an object is not gone after 3 minutes.
    pub fn remove(mut self) {
        let removed = self.delete_all();
        removed.unwrap_or_else(|error| panic!("the operator was not removed: {error}"));
        self.is_removed = true;
    }

    /// Creates the namespace of the operator, and those that its roles are in: on deployment, they
    /// already exist.
    fn create_namespaces(&mut self) {
        for namespace in &self.manifests.namespaces {
            let get = format!("get namespace {namespace} --ignore-not-found --output=name");
            let found = self.kubectl(&get);
            if found
                .unwrap_or_else(|error| panic!("{namespace}: {error}"))
                .is_empty()
            {
                let created = self.kubectl(&format!("create namespace {namespace}"));
                created.unwrap_or_else(|error| panic!("{namespace}: {error}"));
                self.namespaces.push(namespace.clone());
            }
        }
    }

    fn roll_out(&self, image: Option<String>, revision: &str) {
        let image = image.as_deref();
        let Manifests {
            name, namespace, ..
        } = &self.manifests;
        match self.source {
            Source::Config => {
                let objects = self.manifests.with(image, revision);
                let apply = "apply --server-side --force-conflicts --filename=-";
                let applied = self.cluster.kubectl(apply, &objects);
                applied.unwrap_or_else(|error| panic!("config/default: {error}"));
            }
            Source::Chart => {
                let mut values = json!({ "podAnnotations": { REVISION: revision } });
                if let Some(image) = image {
                    values["image"] = image_values(image);
                }
                let upgrade =
                    format!("upgrade --install {name} {CHART} --values=- --namespace={namespace}");
                let installed = self.cluster.helm(&upgrade, &values.to_string());
                installed.unwrap_or_else(|error| panic!("{CHART}: {error}"));
            }
        }
        if let Some(crds) = self.manifests.crds() {
            let wait = format!("wait --for=condition=Established --filename=- {TIMEOUT_FLAG}");
            let served = self.cluster.kubectl(&wait, &crds);
            served.unwrap_or_else(|error| panic!("the CRDs are not served: {error}"));
        }
        let deployment = self.manifests.deployment();
        let status = format!("rollout status {deployment} --namespace={namespace} {TIMEOUT_FLAG}");
        let ready = self.kubectl(&status);
        ready.unwrap_or_else(|error| panic!("the operator is not ready: {error}"));
    }

    /// Deletes everything, also after a failure. Returns the first one.
    fn delete_all(&self) -> Result<(), String> {
        let delete = format!("delete --ignore-not-found {TIMEOUT_FLAG}");
        let mut results = Vec::new();
        if let Some(namespace) = &self.samples {
            let samples = format!("{delete} --kustomize={SAMPLES} --namespace={namespace}");
            results.push(self.kubectl(&samples));
        }
        if self.source == Source::Chart {
            let Manifests {
                name, namespace, ..
            } = &self.manifests;
            let uninstall =
                format!("uninstall {name} --namespace={namespace} --wait {TIMEOUT_FLAG}");
            results.push(self.cluster.helm(&uninstall, ""));
        }
        // A chart keeps CRDs.
        let objects = format!("{delete} --filename=-");
        results.push(
            self.cluster
                .kubectl(&objects, &self.manifests.all(&self.namespaces)),
        );
        results.into_iter().collect::<Result<Vec<_>, _>>().map(drop)
    }

    /// The object of a sample, for kubectl.
    fn object(&self, sample: &str) -> String {
        format!("--filename={SAMPLES}/{sample} {}", self.namespace())
    }

    /// The namespace of the samples, for kubectl.
    fn namespace(&self) -> String {
        let namespace = self.samples.as_deref().unwrap_or("default");
        format!("--namespace={namespace}")
    }

    /// Runs kubectl until the operator answers its webhooks.
    async fn once_answered(&self, arguments: &str, input: &str) -> Result<String, String> {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            match self.cluster.kubectl(arguments, input) {
                Err(error) if is_too_early(&error) && Instant::now() < deadline => {
                    sleep(PAUSE).await;
                }
                answer => return answer,
            }
        }
    }

    /// The pods of the operator, and what it logged.
    fn report(&self) -> String {
        let logs = format!("logs {} --tail=50", self.manifests.deployment());
        let commands = [
            "get pods --output=wide",
            "get events --sort-by=.lastTimestamp",
            &logs,
        ];
        let outputs = commands.map(|command| {
            let output = self.kubectl(&format!(
                "{command} --namespace={}",
                self.manifests.namespace
            ));
            output.unwrap_or_else(|error| error)
        });
        outputs.join("\n")
    }
}

impl Drop for DeployedOperator {
    fn drop(&mut self) {
        if self.is_removed {
            return;
        }
        if thread::panicking() {
            say(&self.report());
        }
        if let Err(error) = self.delete_all() {
            say(&format!("the operator was not removed: {error}"));
        }
    }
}

/// Prints a line, also of a test that passes, unlike `eprintln!`.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A variable of the environment, if it is set.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The values of a chart for an image.
fn image_values(image: &str) -> Value {
    let (image, digest) = image.split_once('@').unwrap_or((image, ""));
    // A registry may have a port.
    let tagged = image.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'));
    let (repository, tag) = tagged.unwrap_or((image, "latest"));
    json!({ "repository": repository, "tag": tag, "digest": digest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_becomes_values() {
        for (image, repository, tag, digest) in [
            ("app:v1", "app", "v1", ""),
            ("localhost:5000/app", "localhost:5000/app", "latest", ""),
            ("localhost:5000/app:v1", "localhost:5000/app", "v1", ""),
            ("app:v1@sha256:12", "app", "v1", "sha256:12"),
        ] {
            let values = json!({ "repository": repository, "tag": tag, "digest": digest });
            assert_eq!(image_values(image), values);
        }
    }
}
