//! Tests that run as pods.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::args::target::{Reached, TargetArgs};
use crate::cli::invocation::Invocation;
use crate::cluster::{End, Interrupt, TestRun, parse_timeout};
use crate::dns::{label_1123, subdomain_1123};
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::olm::read::Directory;
use crate::olm::scorecard::{
    self, CONTAINER, Config, DEFAULT_UNTAR_IMAGE, Results, Test, TestResult, archive,
};
use crate::ui::Progress;

/// How long a call of kubectl may take: waiting is done here.
const CALL: Duration = Duration::from_secs(30);

/// Flags of tests in a cluster.
#[derive(Debug, Args)]
pub(super) struct ClusterArgs {
    /// Run tests in other images as pods.
    #[arg(long)]
    cluster: bool,

    /// Namespace of the pods [default: the context's namespace].
    #[arg(long, short, value_parser = namespace)]
    namespace: Option<String>,

    /// Service account [default: the configuration's, or `default`].
    #[arg(long, short, value_name = "NAME", value_parser = service_account)]
    service_account: Option<String>,

    /// Timeout of each test or parallel stage [default: 2m].
    #[arg(long, short, value_name = "TIME", value_parser = parse_timeout)]
    wait_time: Option<Duration>,

    /// Keep the pods and the `ConfigMap`.
    #[arg(long, short = 'x')]
    skip_cleanup: bool,

    /// Image that unpacks the bundle.
    #[arg(long, short, value_name = "IMAGE", default_value = DEFAULT_UNTAR_IMAGE, hide_default_value = true)]
    untar_image: String,

    /// Security context of the pods.
    #[arg(long, value_enum, default_value = "legacy")]
    pod_security: PodSecurity,

    /// For scripts of operator-sdk.
    #[arg(short = 'b', long, hide = true)]
    storage_image: Option<String>,

    /// For scripts of operator-sdk.
    #[arg(short, long, hide = true)]
    test_output: Option<String>,

    #[command(flatten)]
    target: TargetArgs,
}

/// The security context of pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PodSecurity {
    /// Allow images that run as root.
    Legacy,
    /// Follow the Pod Security Standard `restricted`.
    Restricted,
}

fn namespace(value: &str) -> Result<String, String> {
    label_1123(value).map(|()| value.to_owned())
}

fn service_account(value: &str) -> Result<String, String> {
    subdomain_1123(value).map(|()| value.to_owned())
}

impl ClusterArgs {
    /// Whether tests may run in a cluster.
    pub(super) fn is_used(&self) -> bool {
        self.cluster
    }

    /// Names flags that change nothing.
    pub(super) fn note_flags_without_effect(&self, invocation: &Invocation) {
        let of_cluster = [
            ("--namespace", self.namespace.is_some()),
            ("--service-account", self.service_account.is_some()),
            ("--wait-time", self.wait_time.is_some()),
            ("--skip-cleanup", self.skip_cleanup),
        ];
        for (flag, is_set) in of_cluster {
            if is_set && !self.cluster {
                let text = format!("{flag} has no effect without `--cluster`");
                invocation.ui.note(&text);
            }
        }
        let of_storage = [
            ("--storage-image", self.storage_image.is_some()),
            ("--test-output", self.test_output.is_some()),
        ];
        for (flag, is_set) in of_storage {
            if is_set {
                let text = format!("{flag} has no effect: rop does not collect the files of tests");
                invocation.ui.note(&text);
            }
        }
    }
}

/// Pods that run tests, and the `ConfigMap` that they read.
pub(super) struct Pods<'a> {
    args: &'a ClusterArgs,
    kubectl: Kubectl,
    interrupt: Interrupt,
    namespace: String,
    service_account: String,
    /// The name of the run.
    name: String,
    number: std::cell::Cell<usize>,
    progress: Progress,
}

impl<'a> Pods<'a> {
    /// Packs the bundle into a `ConfigMap`.
    pub(super) fn create(
        args: &'a ClusterArgs,
        directory: &Path,
        config: &Config,
        invocation: &Invocation,
    ) -> Result<Self> {
        let archive = archive(&Directory::new(directory))?;
        let kubectl = Kubectl::find(&args.target.target())?.within(CALL);
        let what = "run the tests of the scorecard";
        let Reached {
            kubectl,
            connection,
        } = args.target.reach(kubectl, what, invocation)?;
        let namespace = args.namespace.clone().or(connection.namespace);
        let of_config = Some(&config.service_account).filter(|name| !name.is_empty());
        let service_account = args.service_account.as_ref().or(of_config);
        let pods = Self {
            args,
            kubectl,
            interrupt: Interrupt::catch()?,
            namespace: namespace.unwrap_or_else(|| "default".to_owned()),
            service_account: service_account.map_or("default", |name| name).to_owned(),
            name: format!("scorecard-test-{:08x}", random()),
            number: std::cell::Cell::new(0),
            progress: invocation
                .ui
                .progress("waiting", "until the tests have run", None),
        };
        let config_map = pods.objects().config_map(&archive);
        if let Err(error) = pods.run_of_tests().create(&config_map) {
            // The API server may have created it without an answer.
            let _ = pods.run_of_tests().delete();
            return Err(pods.refused(error));
        }
        Ok(pods)
    }

    /// Says what to do if the bundle cannot be stored.
    fn refused(&self, error: Error) -> Error {
        let namespace = &self.namespace;
        let is_missing = error
            .chain()
            .any(|cause| cause.contains(&format!("namespaces \"{namespace}\" not found")));
        let error = error.context("failed to create the ConfigMap with the bundle");
        if is_missing {
            let hint = format!("create it: `kubectl create namespace {namespace}`");
            return error.with_code(Code::NamespaceMissing).hint(hint);
        }
        error.hint(format!(
            "the tests need permission to create, list and delete pods and ConfigMaps in `{namespace}`"
        ))
    }

    fn objects(&self) -> scorecard::Pods<'_> {
        scorecard::Pods {
            namespace: &self.namespace,
            run: &self.name,
            service_account: &self.service_account,
            untar_image: &self.args.untar_image,
            is_restricted: self.args.pod_security == PodSecurity::Restricted,
        }
    }

    fn run_of_tests(&self) -> TestRun<'_> {
        TestRun {
            kubectl: &self.kubectl,
            namespace: &self.namespace,
            name: &self.name,
            container: CONTAINER,
            timeout: self.args.wait_time.unwrap_or(Duration::from_mins(2)),
            interrupt: &self.interrupt,
        }
    }

    /// Runs the tests of a stage. The results are in their order.
    pub(super) fn run(&self, tests: &[&Test], is_parallel: bool) -> Vec<Results> {
        let pod = |test: &&Test| {
            self.number.set(self.number.get() + 1);
            self.objects().pod(test, self.number.get())
        };
        let pods: Vec<_> = tests.iter().map(pod).collect();
        let at_once = if is_parallel { pods.len().max(1) } else { 1 };
        let mut say = |text: &str| self.progress.say(text);
        let ends = pods
            .chunks(at_once)
            .flat_map(|pods| self.run_of_tests().run(pods, &mut say));
        ends.map(results).collect()
    }

    /// Deletes all objects, and says whether the tests were interrupted.
    pub(super) fn end(&self, invocation: &Invocation) -> Result<()> {
        let kept = if self.args.skip_cleanup {
            invocation.ui.note(&format!(
                "kept the pods and the ConfigMap: `kubectl delete pods,configmaps -n {} -l testrun={}` deletes them",
                self.namespace, self.name
            ));
            "kept"
        } else {
            self.run_of_tests().delete()?;
            "deleted"
        };
        if self.interrupt.is_caught() {
            let message =
                format!("interrupted: the pods and the ConfigMap of the tests were {kept}");
            return Err(Error::new(Code::ScorecardFailed, message).hint("run the command again"));
        }
        Ok(())
    }
}

fn results(end: End) -> Results {
    Results::Ran(match end {
        End::Exited { log, why } => TestResult::of_log(&log, why.as_deref()),
        End::Failed { why, hint } => {
            let hint = if why.contains("PodSecurity") {
                "use `--pod-security restricted`".to_owned()
            } else {
                hint
            };
            vec![TestResult::failed(why, hint, String::new())]
        }
        End::Interrupted => return Results::NotRun("interrupted".to_owned()),
    })
}

/// A number that no other run has.
fn random() -> u32 {
    let number = RandomState::new().build_hasher().finish();
    u32::try_from(number >> 32).unwrap_or_default()
}
