//! A generated operator that runs against a real API server, as its own service account.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::support::World;
use crate::support::cargo;
use crate::support::control_plane::ControlPlane;
use crate::support::shared::Once;
use crate::support::slot::Slot;
use crate::support::tools::copy_program;

/// The flag that says where probes are answered: anywhere, where nobody asks.
pub(crate) const PROBES: &str = "--health-probe-bind-address";

/// A generated operator that is built, and that a control plane has the manifests of.
pub(crate) struct Installed {
    name: String,
    program: PathBuf,
}

impl Installed {
    /// Builds the operator of `world` and deploys what `config/default` says. The program outlives
    /// the world: it is with the files of the control plane.
    pub(crate) fn new(world: &World, plane: &ControlPlane, name: &str) -> Self {
        let installed = Self::alone(world, plane, name);
        plane.install(&world.path().join("config/default"));
        installed
    }

    /// Builds the operator of `world`. What it needs in the cluster is the test's to install.
    pub(crate) fn alone(world: &World, plane: &ControlPlane, name: &str) -> Self {
        let program = plane.dir().join(name);
        copy_program(&built(world, name), &program);
        let name = name.to_owned();
        Self { name, program }
    }

    /// Builds an example of the library. What it needs in the cluster is the test's to install.
    pub(crate) fn example(plane: &ControlPlane, name: &str) -> Self {
        let target = Slot::first();
        let target = target.folder();
        let built = cargo::command()
            .args(["build", "--locked", "--package=rop-runtime"])
            // With the features that its tests are built with, nothing is compiled again for it.
            .args(["--all-features", "--example", name])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("CARGO_TARGET_DIR", target)
            .status();
        assert!(built.expect("cargo runs").success(), "the example {name}");
        let program = plane.dir().join(name);
        copy_program(&target.join("debug/examples").join(name), &program);
        let name = name.to_owned();
        Self { name, program }
    }

    /// The namespace that it would run in.
    pub(crate) fn namespace(&self) -> String {
        format!("{}-system", self.name)
    }

    /// The service account that it would run as, in that namespace.
    pub(crate) fn service_account(&self) -> String {
        format!("{}-controller-manager", self.name)
    }

    /// A kubeconfig of its service account, which leads to the API server or to what is before it.
    pub(crate) fn kubeconfig(&self, plane: &ControlPlane, url: Option<&str>) -> PathBuf {
        let (namespace, account) = (self.namespace(), self.service_account());
        match url {
            Some(url) => plane.kubeconfig_through(url, &namespace, &account),
            None => plane.kubeconfig_for(&namespace, &account),
        }
    }

    /// Starts it.
    pub(crate) fn run(
        &self,
        plane: &ControlPlane,
        kubeconfig: &Path,
        environment: &[(&str, &str)],
        flags: &[&str],
    ) -> Operator {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        let log = self.program.with_extension(format!("{run}.log"));
        let output = File::create(&log).expect("a log");
        let mut command = Command::new(&self.program);
        if !flags.contains(&PROBES) {
            command.args([PROBES, "127.0.0.1:0"]);
        }
        command
            .args(flags)
            .env_clear()
            .env("KUBECONFIG", kubeconfig)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("a log"))
            .stderr(output);
        plane.adopt(&mut command);
        let child = command.spawn().expect("the operator starts");
        Operator { child, log }
    }
}

/// The program of a project. Tests whose projects have the same sources share it.
fn built(world: &World, name: &str) -> PathBuf {
    static PROGRAMS: Once<u64, PathBuf> = Once::new();
    let mut sources = DefaultHasher::new();
    let ends = [".rs", ".toml", ".lock"];
    let is_source = |path: &str| ends.iter().any(|end| path.ends_with(end));
    for (path, text) in world.tree().iter().filter(|(path, _)| is_source(path)) {
        (path, text).hash(&mut sources);
    }
    name.hash(&mut sources);
    let digest = sources.finish();

    PROGRAMS.get(digest, || {
        cargo::cargo(world, "build --locked").ok();
        let programs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
        let kept = programs.join(digest.to_string());
        std::fs::create_dir_all(&kept).expect("a folder");
        let kept = kept.join(name);
        copy_program(&cargo::built(world, name), &kept);
        kept
    })
}

/// A running operator. Dropping it ends the process.
pub(crate) struct Operator {
    child: Child,
    log: PathBuf,
}

impl Operator {
    /// Builds the operator of `world`, deploys what `config/default` says, and starts the program
    /// under the service account that it would have in the cluster.
    pub(crate) fn start(world: &World, plane: &ControlPlane, environment: &[(&str, &str)]) -> Self {
        Self::start_with(world, plane, environment, &[])
    }

    /// The same, with more flags.
    pub(crate) fn start_with(
        world: &World,
        plane: &ControlPlane,
        environment: &[(&str, &str)],
        flags: &[&str],
    ) -> Self {
        let installed = Installed::new(world, plane, "app-operator");
        let kubeconfig = installed.kubeconfig(plane, None);
        installed.run(plane, &kubeconfig, environment, flags)
    }

    /// What it logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Whether it is still the process that was started.
    pub(crate) fn is_running(&mut self) -> bool {
        let ended = self.child.try_wait().expect("a child can be waited for");
        ended.is_none()
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child can be waited for")
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        kill.args(["-s", name, &self.child.id().to_string()]);
        assert!(kill.status().expect("kill runs").success());
    }

    /// Ends it as the kernel does when memory is short.
    pub(crate) fn kill(mut self) {
        let _ = self.child.kill();
    }

    /// Asks it to end, as Kubernetes does, and gives its exit code and how long it took.
    pub(crate) fn terminate(mut self) -> (Option<i32>, Duration) {
        let start = Instant::now();
        let mut kill = Command::new("kill");
        kill.arg(self.child.id().to_string())
            .status()
            .expect("kill runs");
        let status = self.child.wait().expect("an exit status");
        (status.code(), start.elapsed())
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("the operator logged:\n{}", self.log());
        }
    }
}
