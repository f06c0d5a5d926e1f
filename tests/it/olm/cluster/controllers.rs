//! OLM's own controllers, as plain processes: Subscription, `InstallPlan` and `ClusterServiceVersion` are theirs. Only the
//! kubelet's part is played: the catalog's opm runs on this machine, and pods are said to be ready.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::copy;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::image::{bundle, registry};
use super::refused::bundled;
use crate::in_out::rop;
use crate::olm::api_server::with_olm_and_controllers;
use crate::support::World;
use crate::support::control_plane::{ControlPlane, eventually, free_port};
use crate::support::kubelet::{pods, ready, tell};
use crate::support::say::say;

/// Addresses of this machine that no other test uses, less their end. OLM reaches the pods of catalogs there.
const ADDRESSES: &str = "127.77.31.";
const PORT: u16 = 50051;

/// So many of them are in use.
static COUNT: AtomicUsize = AtomicUsize::new(0);

const SOON: Duration = Duration::from_mins(1);

/// OLM's programs: the operators, and opm.
struct Programs {
    olm: PathBuf,
    catalog: PathBuf,
    opm: PathBuf,
}

impl Programs {
    /// Those on PATH, or a line on stderr.
    fn find() -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        let find = |name: &str| {
            let mut folders = std::env::split_paths(&path).map(|folder| folder.join(name));
            let found = folders.find(|program| program.is_file());
            if found.is_none() {
                say(&format!(
                    "skipped: tests with OLM's controllers, as `{name}` of OLM is not on PATH"
                ));
            }
            found
        };
        Some(Self {
            olm: find("olm")?,
            catalog: find("catalog")?,
            opm: find("opm")?,
        })
    }
}

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A cluster with OLM v0.
pub(super) struct Olm {
    plane: ControlPlane,
    programs: Programs,
    /// The files in the image of a bundle.
    bundle: Mutex<PathBuf>,
    _running: Vec<Running>,
}

impl Olm {
    /// `None`, with a line on stderr, if a program is missing.
    pub(super) fn start() -> Option<Self> {
        let programs = Programs::find()?;
        let plane = with_olm_and_controllers()?;
        plane.kubectl_ok(&["create", "namespace", "olm"]);
        let flags: [(&Path, &[&str]); 2] = [
            (&programs.olm, &["--writeStatusName="]),
            (
                &programs.catalog,
                &["--namespace=olm", "--writeStatusName=", "--interval=5s"],
            ),
        ];
        let running = flags.map(|(program, flags)| {
            let name = program.file_name().expect("a name");
            let log = File::create(plane.dir().join(name).with_extension("log"));
            let mut command = Command::new(program);
            command
                .args(flags)
                .env("KUBECONFIG", plane.kubeconfig())
                .env("OPERATOR_NAMESPACE", "olm")
                .env("OPERATOR_NAME", "olm-operator")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(log.expect("a log"));
            plane.adopt(&mut command);
            Running(command.spawn().expect("it starts"))
        });
        Some(Self {
            plane,
            programs,
            bundle: Mutex::default(),
            _running: running.into(),
        })
    }

    /// Does something while the kubelet's part is played in a namespace.
    fn while_pods_run<T>(&self, namespace: &str, work: impl FnOnce() -> T) -> T {
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| self.play(namespace, &is_over));
            let _over = Over(&is_over);
            work()
        })
    }

    fn play(&self, namespace: &str, is_over: &AtomicBool) {
        let api = self.plane.api();
        let mut catalogs: BTreeMap<String, Catalog> = BTreeMap::new();
        while !is_over.load(Ordering::Relaxed) {
            let pods = pods(api, namespace);
            catalogs.retain(|name, _| pods.iter().any(|pod| pod["metadata"]["name"] == **name));
            for pod in &pods {
                match pod["spec"]["containers"][0]["name"].as_str() {
                    Some("registry") => {}
                    Some("extract") => {
                        self.extract(pod);
                        continue;
                    }
                    _ => {
                        tell(api, pod, &ready());
                        continue;
                    }
                }
                let name = pod["metadata"]["name"].as_str().expect("a name");
                let catalog = catalogs.entry(name.to_owned()).or_insert_with(|| {
                    let end = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
                    Catalog::serve(self, pod, format!("{ADDRESSES}{end}"))
                });
                let mut status = ready();
                status["podIP"] = catalog.address.clone().into();
                status["podIPs"] = json!([{"ip": catalog.address}]);
                tell(api, pod, &status);
            }
            thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Olm {
    /// Runs the container of OLM's Job that unpacks the image of a bundle, on the files of the bundle.
    fn extract(&self, pod: &Value) {
        if pod["status"]["phase"] == "Succeeded" {
            return;
        }
        let container = &pod["spec"]["containers"][0];
        let bundle = format!("{}/", self.bundle.lock().expect("a bundle").display());
        let command = container["command"].as_array().expect("a command").iter();
        let mut command: Vec<_> = command.map(|it| it.as_str().expect("text")).collect();
        assert_eq!(command[..4], ["opm", "alpha", "bundle", "extract"]);
        for argument in &mut command {
            if *argument == "/bundle/" {
                *argument = &bundle;
            }
        }
        let mut opm = Command::new(&self.programs.opm);
        opm.args(&command[1..])
            .env("KUBECONFIG", self.plane.kubeconfig());
        for variable in container["env"].as_array().into_iter().flatten() {
            let [name, value] =
                ["name", "value"].map(|it| variable[it].as_str().unwrap_or_default());
            opm.env(name, value);
        }
        let output = opm.output().expect("opm runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        tell(self.plane.api(), pod, &json!({"phase": "Succeeded"}));
    }
}

struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The pod of a catalog: its opm, and its address.
struct Catalog {
    address: String,
    _running: Running,
}

impl Catalog {
    /// Runs the container of the pod, with its own command and its `ConfigMap`.
    fn serve(olm: &Olm, pod: &Value, address: String) -> Self {
        let metadata = &pod["metadata"];
        let [name, namespace] =
            ["name", "namespace"].map(|field| metadata[field].as_str().expect("text"));
        let map = format!("/api/v1/namespaces/{namespace}/configmaps/{name}");
        let map = olm.plane.api().get(&map);
        let folder = olm.plane.dir().join(name);
        std::fs::create_dir_all(folder.join("configs")).expect("a folder");
        for (file, text) in map["data"].as_object().expect("data") {
            let text = text.as_str().expect("text");
            std::fs::write(folder.join("configs").join(file), text).expect("a file");
        }
        let container = &pod["spec"]["containers"][0];
        assert_eq!(container["command"], json!(["opm"]));
        let port = free_port();
        let here = folder.display().to_string();
        let arguments = container["args"].as_array().expect("arguments").iter();
        let arguments = arguments.map(|argument| {
            let argument = argument.as_str().expect("text");
            argument
                .replace("/configs", &format!("{here}/configs"))
                .replace("/tmp/", &format!("{here}/"))
                .replace(&PORT.to_string(), &port.to_string())
        });
        let mut command = Command::new(&olm.programs.opm);
        command
            .args(arguments)
            .arg(format!("--termination-log={here}/termination"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(folder.join("log")).expect("a log"));
        olm.plane.adopt(&mut command);
        let running = Running(command.spawn().expect("opm starts"));
        eventually("opm serves the catalog", SOON, || {
            TcpStream::connect(("127.0.0.1", port)).ok().map(drop)
        });
        let listener = TcpListener::bind((&*address, PORT)).expect("the port of catalogs");
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // opm ends with the pod, and the listener with the tests.
                if let Ok(server) = TcpStream::connect(("127.0.0.1", port)) {
                    join(&client, &server);
                }
            }
        });
        Self {
            address,
            _running: running,
        }
    }
}

/// Hands on what each of two connections sends.
fn join(one: &TcpStream, other: &TcpStream) {
    for (from, to) in [(one, other), (other, one)] {
        let [mut from, mut to] = [from, to].map(|stream| stream.try_clone().expect("a stream"));
        thread::spawn(move || {
            let _ = copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Both);
        });
    }
}

/// Every object that the API server has, but for what Kubernetes and OLM make of themselves.
fn objects(plane: &ControlPlane) -> Vec<String> {
    let kinds = plane.kubectl_ok(&["api-resources", "--verbs=list", "-o", "name"]);
    let kinds: Vec<_> = kinds
        .lines()
        .filter(|kind| !kind.starts_with("events"))
        .collect();
    let kinds = kinds.join(",");
    let list = plane.kubectl_ok(&["get", &kinds, "--all-namespaces", "-o", "json"]);
    let list: Value = serde_json::from_str(&list).expect("JSON");
    let items = list["items"].as_array().expect("objects").iter();
    let mut names: Vec<_> = items
        .filter(|object| object["kind"] != "Lease" && object["kind"] != "OLMConfig")
        .map(|object| {
            let metadata = &object["metadata"];
            format!(
                "{} {} {}",
                object["kind"], metadata["namespace"], metadata["name"]
            )
        })
        .collect();
    names.sort();
    names
}

fn phase(plane: &ControlPlane, namespace: &str, csv: &str) -> Value {
    let path = format!(
        "/apis/operators.coreos.com/v1alpha1/namespaces/{namespace}/clusterserviceversions/{csv}"
    );
    plane.api().get(&path)["status"]["phase"].clone()
}

/// From the directory of a bundle to a running operator, to its next version, and to nothing.
#[test]
fn a_bundle_is_installed_upgraded_and_removed() {
    let Some(olm) = Olm::start() else {
        return;
    };
    let plane = &olm.plane;
    plane.kubectl_ok(&["create", "namespace", "apps"]);
    eventually("service accounts", SOON, || {
        let account = "/api/v1/namespaces/apps/serviceaccounts/default";
        plane.api().get(account).is_object().then_some(())
    });
    let before = objects(plane);
    let world = World::with_api();
    world
        .rop("bundle --image example.com/app:v1 --version 0.1.0")
        .ok();
    olm.while_pods_run("apps", || {
        let run = "run bundle bundle --namespace apps --timeout 3m";
        rop(&world, plane, run)
            .ok()
            .says("app-operator.v0.1.0 is installed");
        assert_eq!(phase(plane, "apps", "app-operator.v0.1.0"), "Succeeded");
        // The same again changes nothing.
        let again = rop(&world, plane, run).ok();
        assert!(!again.stderr.contains("create"), "{again}");
        // Another bundle of the same version is not taken for it.
        world
            .rop("bundle --image example.com/app:v1.1 --version 0.1.0")
            .ok();
        rop(&world, plane, run).exits(1).says("with other content");

        world
            .rop("bundle --image example.com/app:v2 --version 0.2.0")
            .ok();
        rop(&world, plane, run)
            .exits(1)
            .says("rop run bundle-upgrade");
        let upgrade = "run bundle-upgrade bundle --namespace apps --timeout 1m";
        rop(&world, plane, upgrade).ok();
        assert_eq!(phase(plane, "apps", "app-operator.v0.2.0"), "Succeeded");
        eventually("the end of the old version", SOON, || {
            phase(plane, "apps", "app-operator.v0.1.0")
                .is_null()
                .then_some(())
        });
        let deployment =
            "/apis/apps/v1/namespaces/apps/deployments/app-operator-controller-manager";
        let deployment = plane.api().get(deployment);
        let containers = &deployment["spec"]["template"]["spec"]["containers"];
        assert_eq!(containers[0]["image"], "example.com/app:v2");

        rop(&world, plane, "cleanup app-operator --namespace apps").ok();
    });
    eventually("what was before", SOON, || {
        let after = objects(plane);
        let more: Vec<_> = after.iter().filter(|it| !before.contains(it)).collect();
        if !more.is_empty() {
            eprintln!("left: {more:?}");
        }
        (after == before).then_some(())
    });
    rop(&world, plane, "cleanup app-operator --namespace apps")
        .ok()
        .says("nothing to delete");
}

/// From the image of a bundle, which OLM unpacks in the cluster.
#[test]
fn a_bundle_is_installed_from_its_image() {
    let Some(olm) = Olm::start() else {
        return;
    };
    let plane = &olm.plane;
    let world = bundled();
    *olm.bundle.lock().expect("a bundle") = world.path().join("bundle");
    let host = registry(bundle(&world));
    olm.while_pods_run("default", || {
        rop(
            &world,
            plane,
            &format!("run bundle {host}/bundle:v1 --timeout 3m"),
        )
        .ok()
        .says("app-operator.v0.1.0 is installed");
    });
    assert_eq!(phase(plane, "default", "app-operator.v0.1.0"), "Succeeded");
    rop(&world, plane, "cleanup app-operator").ok();
    let roles = plane.kubectl_ok(&["get", "clusterroles", "-o", "name"]);
    assert!(!roles.contains("app-operator"), "{roles}");
}
