//! A session, as somebody has it in a terminal.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::site::{Fault, RELEASE, Site, store};
use crate::generate_monitoring::{are_exported, metrics};
use crate::support::cargo::settings;
use crate::support::control_plane::{assets, eventually, sorts_of_policies};
use crate::support::tools::install;
use crate::support::turn::turn;
use crate::support::{World, net};

/// How long a build may take on a busy machine.
const BUILD: Duration = Duration::from_mins(10);
const SOON: Duration = Duration::from_mins(1);

const TYPES: &str = "api/src/app/v1alpha1/app_service.rs";
const VALIDATION: &str = "src/webhook/app_service/validate.rs";
const RESOURCES: &str = "src/controller/app_service/resources.rs";

/// A `rop dev` in a world, with what it says in a file.
struct Session<'a> {
    world: &'a World,
    child: Child,
    log: PathBuf,
}

impl<'a> Session<'a> {
    fn start(world: &'a World, environment: &[(&str, &Path)], arguments: &[&str]) -> Self {
        let log = world.path().with_file_name("dev.log");
        let file = File::create(&log).expect("a log");
        let mut command = world.command(".");
        let child = command
            .arg("dev")
            .args(arguments)
            .envs(settings())
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("a log"))
            .stderr(file)
            .spawn()
            .expect("rop starts");
        Self { world, child, log }
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until it has said something for the nth time.
    #[track_caller]
    fn says(&mut self, what: &str, times: usize) {
        eventually(what, BUILD, || {
            let log = self.log();
            let ended = self.child.try_wait().expect("a child can be waited for");
            assert!(ended.is_none(), "{ended:?}: {log}");
            (log.matches(what).count() >= times).then_some(())
        });
    }

    /// What kubectl prints in another terminal.
    fn kubectl(&self, assets: &Path, arguments: &[&str]) -> String {
        let line = self.world.rop("dev --kubeconfig").ok().stdout;
        let real = self.world.path();
        let path = line
            .trim()
            .trim_start_matches("export KUBECONFIG=")
            .trim_matches('\'');
        let path = path.replace("[DIR]", &real.parent().expect("a folder").to_string_lossy());
        let output = Command::new(assets.join("kubectl"))
            .args(arguments)
            .env("KUBECONFIG", path)
            .env("HOME", real)
            .output()
            .expect("kubectl runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What kubectl prints when it creates another object like the sample.
    fn create(&self, assets: &Path, name: &str) -> String {
        let path = self.world.path().join("target").join(name);
        let sample = self
            .world
            .read("config/samples/app_v1alpha1_appservice.yaml");
        let other = sample.replace("name: appservice-sample", &format!("name: {name}"));
        fs::write(&path, other).expect("a manifest");
        self.kubectl(
            assets,
            &["create", "-o=name", "-f", &path.to_string_lossy()],
        )
    }

    fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        kill.args(["-s", name, &self.child.id().to_string()]);
        assert!(kill.status().expect("kill runs").success());
    }

    /// Waits for its end, and until nothing of it is left.
    #[track_caller]
    fn goes(mut self) -> Option<i32> {
        let status = eventually("the end of rop", SOON, || {
            self.child.try_wait().expect("a child can be waited for")
        });
        let folder = self.world.path().join("target/rop-dev");
        eventually("the end of its processes and files", SOON, || {
            (processes_in(&self.world.path()).is_empty() && !folder.exists()).then_some(())
        });
        status.code()
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address of the metrics is shown, and those of webhooks that dashboards and alerts name are there.
fn metrics_are_served(session: &mut Session<'_>) {
    session.says("/metrics\n", 1);
    let log = session.log();
    let address = log.lines().find_map(|line| {
        let url = line.trim().strip_prefix("curl http://")?;
        url.strip_suffix("/metrics")
    });
    let answer = net::answer(address.expect("an address"), "/metrics");
    let mut metrics = metrics(session.world);
    metrics.retain(|metric| metric.contains("webhook"));
    assert_eq!(metrics.len(), 3, "{metrics:?}");
    are_exported(&metrics, &answer);
}

/// The processes that work in a folder or below it.
fn processes_in(folder: &Path) -> Vec<PathBuf> {
    let folder = folder.canonicalize().expect("a folder");
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .map(|process| process.path())
        .filter(|process| {
            let directory = fs::read_link(process.join("cwd"));
            directory.is_ok_and(|directory| directory.starts_with(&folder))
        })
        .collect()
}

/// Adds webhooks, of which one names a team and one refuses a name.
fn add_webhooks(world: &World) {
    let create = "create webhook --group app --kind AppService --defaulting --validation";
    world.rop(create).ok();
    let default = "src/webhook/app_service/default.rs";
    let (by, team) = (
        "CREATED_BY.to_owned(), request.user().to_owned()",
        "\"team\".into(), \"none\".into()",
    );
    world.replace(default, by, team);
    let (review, refusal) = (
        "let mut review = webhook::Review::new();\n    if let",
        "let mut review = webhook::Review::new();\n    if object.metadata.name.as_deref() == Some(\"refused\") {\n        review.deny(\"it is called so\");\n    }\n    if let",
    );
    world.replace(VALIDATION, review, refusal);
}

/// Adds a kind of another operator while nothing compiles, with the command that is returned.
fn add_widget_to_broken_code(world: &World, session: &mut Session<'_>) -> &'static str {
    world.replace(RESOURCES, "fn ", "fm ");
    session.says("error[build-failed]: failed to build the operator", 1);
    world.write("widget.yaml", include_str!("../create_api/widget.yaml"));
    let widget = "create api --group example.org --kind Widget --external-crd widget.yaml --controller=false";
    world.rop(widget).ok();
    session.says("error[build-failed]: failed to build the operator", 2);
    world.replace(RESOURCES, "fm ", "fn ");
    widget
}

/// The CRD of that kind is there, and so is a newer one.
fn widgets_are_served(world: &World, session: &mut Session<'_>, assets: &Path, widget: &str) {
    session.says("   apply config/external", 1);
    let crd = ["get", "crd", "widgets.example.org", "-o=json"];
    assert!(session.kubectl(assets, &crd).contains("\"Large\""));
    world.replace("widget.yaml", "[Small, Large]", "[Small, Large, Huge]");
    world.rop(widget).ok();
    session.says("   apply config/external", 2);
    eventually("the newer CRD", SOON, || {
        let crd = session.kubectl(assets, &crd);
        crd.contains("\"Huge\"").then_some(())
    });
}

/// The operator may be built for minutes more.
#[test]
fn a_control_plane_that_ends_is_reported_during_the_build() {
    let world = World::with_api();
    let programs = world.path().with_file_name("programs");
    fs::create_dir(&programs).expect("a folder");
    for (name, script) in [
        ("etcd", "echo no space left >&2; exit 1"),
        ("kube-apiserver", ""),
        ("kubectl", ""),
        ("cargo", "while kill -0 $PPID; do sleep 0.1; done"),
    ] {
        install(&programs, name, &format!("#!/bin/sh\n{script}\n"));
    }
    let cargo = programs.join("cargo");
    let environment = [("KUBEBUILDER_ASSETS", &*programs), ("CARGO", &cargo)];
    let mut session = Session::start(&world, &environment, &[]);
    session.says("/etcd` ended (exit status: 1)", 1);
    session.says("no space left", 1);
}

/// The whole of it: downloaded, started, changed, broken, mended, and ended by Ctrl-C.
#[test]
fn what_is_saved_runs() {
    let Some(assets) = assets() else {
        return;
    };
    let world = World::with_api_of("saved-operator");
    add_webhooks(&world);
    world.use_cert_manager();
    let (sorts, count) = sorts_of_policies(&assets);
    let policies = format!("create policy --group app --kind AppService {sorts}");
    world.rop(&policies).ok();
    world.rop("generate monitoring").ok();
    let _turn = turn(&world);
    let programs = ["etcd", "kube-apiserver", "kubectl"]
        .map(|name| (name, fs::read(assets.join(name)).expect("a program")));
    let site = Site::new(&programs, Fault::Nothing);
    let index = site.index();
    let arguments = [
        "--kubernetes",
        RELEASE,
        "--index",
        &index,
        "--",
        "--log-level=debug",
    ];
    let mut session = Session::start(&world, &[], &arguments);

    session.says("    ready", 1);
    session.says(
        "note: skipped cert-manager.io/v1 Certificate: the control plane does not serve this kind",
        1,
    );
    assert!(store(&world).join("kube-apiserver").is_file());
    metrics_are_served(&mut session);
    let deployment = |path: &str| {
        let path = format!("-o=jsonpath={{{path}}}");
        session.kubectl(&assets, &["get", "deployment", "appservice-sample", &path])
    };
    let children = || (deployment(".spec.replicas") == "1").then_some(());
    eventually("the children of the sample", SOON, children);
    let team = "-o=jsonpath={.metadata.annotations.team}";
    let sample = ["get", "appservice", "appservice-sample", team];
    assert_eq!(session.kubectl(&assets, &sample), "none", "by the webhook");
    let requester = "-o=jsonpath={.metadata.annotations.example\\.com/requester}";
    // An API server goes by a policy a moment after it took it.
    eventually("a change by the policy", SOON, || {
        let probe = ["delete", "appservice", "probe", "--ignore-not-found"];
        session.kubectl(&assets, &probe);
        session.create(&assets, "probe");
        let probe = ["get", "appservice", "probe", requester];
        (count == 1 || session.kubectl(&assets, &probe) == "admin").then_some(())
    });
    assert_eq!(session.create(&assets, "refused"), "", "by the webhook");
    world
        .rop("dev")
        .exits(1)
        .stderr
        .contains("already running in `[DIR]/app-operator`")
        .then_some(())
        .expect("one session at a time");

    // A field of the types: a new CRD, and another program.
    let image = "    /// Container image to run.";
    let color = "    /// The color.\n    pub color: Option<String>,\n\n";
    world.replace(TYPES, image, &format!("{color}{image}"));
    session.says("    ready", 2);
    let crd = ["get", "crd", "appservices.app.example.com", "-o=json"];
    assert!(session.kubectl(&assets, &crd).contains("\"color\""));

    let widget = add_widget_to_broken_code(&world, &mut session);
    world.replace(VALIDATION, "\"refused\"", "\"another\"");
    session.says("    ready", 3);
    eventually("the webhook that was saved", SOON, || {
        session
            .create(&assets, "refused")
            .contains("refused")
            .then_some(())
    });

    widgets_are_served(&world, &mut session, &assets, widget);

    world.rop("edit --project-name other-operator").ok();
    session.says("error[project-renamed]: the project was renamed", 1);
    session.signal("INT");
    assert_eq!(session.goes(), Some(0));
    world.rop("edit --project-name saved-operator").ok();

    goes_on_after_a_panic(&world, &assets);
}

/// An operator that panics ends no session, though its webhooks are asked about the samples.
fn goes_on_after_a_panic(world: &World, assets: &Path) {
    let begin = "    let args = Args::parse();\n";
    let panics = format!("{begin}    assert!(std::env::args().len() > 99, \"on purpose\");\n");
    world.replace("src/main.rs", begin, &panics);
    let environment = [("KUBEBUILDER_ASSETS", assets)];
    let mut session = Session::start(world, &environment, &[]);
    session.says("note: the operator exited", 1);
    assert!(!session.log().contains("    ready"), "{}", session.log());
    world.replace("src/main.rs", &panics, begin);
    session.says("    ready", 1);
    let sample = ["get", "appservice", "-o=name"];
    let found = session.kubectl(assets, &sample);
    assert!(found.contains("/appservice-sample"), "{found}");
    session.signal("INT");
    assert_eq!(session.goes(), Some(0));
}

/// Whoever kills rop itself need not look for what it started.
#[test]
fn a_kill_leaves_nothing() {
    let Some(assets) = assets() else {
        return;
    };
    let world = World::with_api_of("killed-operator");
    let _turn = turn(&world);
    let environment = [("KUBEBUILDER_ASSETS", &*assets)];
    let mut session = Session::start(&world, &environment, &["--with-controllers"]);
    session.says("    ready", 1);
    // Kubernetes' own controllers are at work.
    eventually("the pods of the sample", SOON, || {
        let pods = session.kubectl(&assets, &["get", "pods", "-o=name"]);
        pods.contains("pod/appservice-sample").then_some(())
    });
    session.signal("KILL");
    assert_eq!(session.goes(), None);
}
