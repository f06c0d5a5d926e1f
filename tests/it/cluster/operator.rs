//! A generated operator that runs against a real API server, as its own service account.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::World;
use crate::support::cargo::{cargo, target};
use crate::support::control_plane::ControlPlane;

/// A running operator. Dropping it ends the process.
pub(crate) struct Operator {
    child: Child,
    log: PathBuf,
}

impl Operator {
    /// Builds the operator of `world`, deploys what `config/default` says, and starts the program
    /// under the service account that it would have in the cluster.
    pub(crate) fn start(world: &World, plane: &ControlPlane, environment: &[(&str, &str)]) -> Self {
        cargo(world, "build --locked").ok();
        let config = world.path().join("config/default");
        plane.install(&config);
        let program = world.path().join("operator");
        std::fs::copy(target().join("debug/app-operator"), &program).expect("a program");
        let kubeconfig =
            plane.kubeconfig_for("app-operator-system", "app-operator-controller-manager");
        Self::run(
            &program,
            &kubeconfig,
            &world.path().join("operator.log"),
            environment,
        )
    }

    fn run(program: &Path, kubeconfig: &Path, log: &Path, environment: &[(&str, &str)]) -> Self {
        let output = File::create(log).expect("a log");
        let child = Command::new(program)
            .args(["--health-probe-bind-address", "127.0.0.1:0"])
            .env_clear()
            .env("KUBECONFIG", kubeconfig)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("a log"))
            .stderr(output)
            .spawn()
            .expect("the operator starts");
        Self {
            child,
            log: log.to_owned(),
        }
    }

    /// What it logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
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
