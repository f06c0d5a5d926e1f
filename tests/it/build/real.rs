//! The whole way with nothing replaced: an operator is compiled, its image goes through a registry,
//! and runs in a container against a real API server.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::store::Store;
use super::{digest, inspect};
use crate::support::cargo::{QUICK_RELEASE, WORKSPACE_WRAPPER, settings};
use crate::support::control_plane::{ControlPlane, eventually};
use crate::support::registry::Real;
use crate::support::slot::Slot;
use crate::support::tools::tools;
use crate::support::turn::{self, build_in_first, turn};
use crate::support::{Outcome, World};

/// What an image of a new project may take: unpacked, and in a registry.
const LIMITS: (u64, u64) = (12_000_000, 5_000_000);

/// The project whose image runs.
const NAME: &str = "packed-operator";

/// How long the operator may take to answer.
const SOON: Duration = Duration::from_mins(1);

/// Runs `rop build` in the project of a world.
fn build(world: &World, arguments: &str, settings_of_release: &[(&str, &str)]) -> Outcome {
    let mut command = world.command(".");
    command
        .args(["build", "--engine", "none"])
        .args(arguments.split_whitespace())
        .envs(settings())
        .envs(settings_of_release.iter().copied());
    world.run(&mut command).ok()
}

/// An image of the same sources is the same image wherever they are.
#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn an_image_is_reproducible() {
    let digests = [(); 2].map(|()| {
        let world = World::with_api_of("copied-operator");
        build_in_first(&world);
        let _turn = turn(&world);
        digest(&build(&world, "copied --output oci:out", &QUICK_RELEASE))
    });
    assert_eq!(digests[0], digests[1], "in another directory");
}

/// An image as users get it is small, and it runs.
#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn an_image_is_small_and_runs() {
    let (Some(registry), Some([skopeo, umoci, runc])) =
        (Real::start(), tools(["skopeo", "umoci", "runc"]))
    else {
        return;
    };
    let world = World::with_api_of(NAME);
    let image = format!("{}/example/app-operator:v1", registry.host());
    // By rustc, and beside other releases: it takes longer than all of them.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("released");
    turn::configure(&world, &Slot::in_folder(&folder.to_string_lossy()));
    let settings = [(WORKSPACE_WRAPPER, "")];
    let built = build(&world, &format!("--push {image} --json"), &settings);
    let built: Value = serde_json::from_str(&built.stdout).expect("JSON");
    let size = |field: &str| built[field].as_u64().expect("a size");
    assert!(size("unpackedSize") <= LIMITS.0, "{built}");
    assert!(size("size") <= LIMITS.1, "{built}");

    let Some(plane) = ControlPlane::new() else {
        return;
    };
    plane.install(&world.path().join("config/default"));
    let dir = plane.dir();
    let layout = dir.join("image");
    copy(&skopeo, &image, &layout);
    let container = Container::start(&runc, &umoci, &layout, &plane);
    let sample = world
        .path()
        .join("config/samples/app_v1alpha1_appservice.yaml");
    plane.kubectl_ok(&["apply", "-f", &sample.to_string_lossy()]);
    eventually("a Deployment", SOON, || {
        let deployment = "/apis/apps/v1/namespaces/default/deployments/appservice-sample";
        plane.api().get(deployment).is_object().then_some(())
    });
    container.terminate();
}

/// Copies an image out of a registry into a layout.
fn copy(skopeo: &Path, image: &str, layout: &Path) {
    let status = Command::new(skopeo)
        .args([
            "--insecure-policy",
            "copy",
            "--quiet",
            "--src-tls-verify=false",
        ])
        .arg(format!("docker://{image}"))
        .arg(format!("oci:{}:v1", layout.display()))
        .status();
    assert!(status.expect("skopeo starts").success());
}

/// Unpacks the image of a layout.
fn unpack(umoci: &Path, layout: &Path, bundle: &Path) {
    let unpacked = Command::new(umoci)
        .args(["unpack", "--image"])
        .arg(format!("{}:v1", layout.display()))
        .arg(bundle)
        .output()
        .expect("umoci starts");
    assert!(
        unpacked.status.success(),
        "{}",
        String::from_utf8_lossy(&unpacked.stderr)
    );
}

/// The operator in a container, as runc starts what umoci unpacked.
struct Container {
    runc: PathBuf,
    state: PathBuf,
    child: Child,
    log: PathBuf,
}

const ID: &str = "operator";

impl Container {
    /// Unpacks the image and starts it as its configuration says, with a kubeconfig of the service
    /// account that it would have. It finds the API server by
    /// the name that it has in a cluster, and may write nowhere.
    fn start(runc: &Path, umoci: &Path, layout: &Path, plane: &ControlPlane) -> Self {
        let dir = plane.dir();
        let bundle = dir.join("bundle");
        unpack(umoci, layout, &bundle);
        let namespace = format!("{NAME}-system");
        let account = format!("{NAME}-controller-manager");
        let kubeconfig = plane.kubeconfig_for(&namespace, &account);
        let text = std::fs::read_to_string(&kubeconfig).expect("a kubeconfig");
        let shown = dir.join("shown");
        std::fs::create_dir(&shown).expect("a folder");
        let (authority, _) = plane.certificate();
        std::fs::copy(authority, shown.join("ca.crt")).expect("a certificate");
        let text = text.replace(&*plane.certificate().0.to_string_lossy(), "/shown/ca.crt");
        let text = text.replace("https://127.0.0.1:", "https://kubernetes.default.svc:");
        std::fs::write(shown.join("kubeconfig"), text).expect("a file");
        std::fs::write(shown.join("hosts"), "127.0.0.1 kubernetes.default.svc\n").expect("a file");
        configure(&bundle.join("config.json"), &shown);

        let (state, log) = (dir.join("runc"), dir.join("container.log"));
        let output = std::fs::File::create(&log).expect("a log");
        let child = Command::new(runc)
            .arg("--root")
            .arg(&state)
            .args(["run", "--bundle"])
            .arg(&bundle)
            .arg(ID)
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("a log"))
            .stderr(output)
            .spawn()
            .expect("runc starts");
        let runc = runc.to_owned();
        Self {
            runc,
            state,
            child,
            log,
        }
    }

    fn signal(&self, name: &str) {
        let mut kill = Command::new(&self.runc);
        kill.arg("--root").arg(&self.state).args(["kill", ID, name]);
        let _ = kill.stderr(Stdio::null()).status();
    }

    /// Asks the operator to end, which it does well.
    #[track_caller]
    fn terminate(mut self) {
        self.signal("TERM");
        let status = self.child.wait().expect("an exit status");
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        assert!(status.success(), "{status}: {log}");
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.signal("KILL");
            let _ = self.child.wait();
        }
        if std::thread::panicking() {
            let log = std::fs::read_to_string(&self.log).unwrap_or_default();
            eprintln!("the container logged:\n{log}");
        }
    }
}

/// Adds what Kubernetes would add to a container: a network, a token, a root that is read-only.
fn configure(file: &Path, shown: &Path) {
    let text = std::fs::read(file).expect("a configuration");
    let mut config: Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(
        config["process"]["user"],
        json!({"uid": 65532, "gid": 65532}),
        "the image says so"
    );
    assert_eq!(config["process"]["args"], json!(["/manager"]));
    config["root"]["readonly"] = json!(true);
    config["process"]["terminal"] = json!(false);
    config["process"]["noNewPrivileges"] = json!(true);
    for set in config["process"]["capabilities"]
        .as_object_mut()
        .expect("capabilities")
        .values_mut()
    {
        *set = json!([]);
    }
    let arguments = config["process"]["args"].as_array_mut().expect("arguments");
    arguments.extend([
        json!("--health-probe-bind-address=127.0.0.1:0"),
        json!("--metrics-bind-address=0"),
    ]);
    let environment = config["process"]["env"]
        .as_array_mut()
        .expect("an environment");
    environment.push(json!("KUBECONFIG=/shown/kubeconfig"));
    // The network of this machine, where the API server is.
    let spaces = config["linux"]["namespaces"]
        .as_array_mut()
        .expect("namespaces");
    spaces.retain(|space| space["type"] != "network");
    let mounts = config["mounts"].as_array_mut().expect("mounts");
    mounts.retain(|mount| {
        mount["destination"] != "/etc/resolv.conf"
            && mount["destination"] != "/sys"
            && mount["destination"] != "/sys/fs/cgroup"
    });
    let bind = |source: &Path, to: &str| json!({"destination": to, "type": "bind", "source": source, "options": ["rbind", "ro"]});
    mounts.push(bind(shown, "/shown"));
    mounts.push(bind(&shown.join("hosts"), "/etc/hosts"));
    std::fs::write(file, config.to_string()).expect("a configuration");
}

/// The project's Dockerfile, as buildah builds it. What stands in for the image with Rust has this
/// machine's, and nothing is fetched.
#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn the_dockerfile_builds() {
    let (Some(registry), Some([buildah, skopeo, umoci])) =
        (Real::start(), tools(["buildah", "skopeo", "umoci"]))
    else {
        return;
    };
    let world = World::with_api_of("boxed-operator");
    // Whether it builds is the question here; how small it gets, of the other image.
    world.replace("Cargo.toml", "lto = \"fat\"", "lto = \"off\"");
    world.replace("Cargo.toml", "opt-level = \"s\"", "opt-level = 0");
    let home = Home::of(&world);
    // With the names that rop gives to the folders of this machine the dependencies are built already.
    let (set, flags) = ("ENV CARGO_TARGET_DIR=/target", home.names().join(" "));
    let flags = format!("{set} CARGO_BUILD_RUSTFLAGS=\"-C target-feature=+crt-static {flags}\"");
    world.replace("Dockerfile", set, &flags);
    super::context::add_inputs(&world);
    let builder = Builder::new(&buildah, &world, &home);
    let image = format!("{}/example/app-operator:v1", registry.host());
    let arguments = format!(
        "build --engine buildah --push {image} --insecure --build-arg BUILDER={}",
        builder.image
    );
    let mut command = builder.rop(&world, &arguments);
    let pushed = digest(&world.run(&mut command).ok());
    let image_there = format!("docker://{image}");
    let inspect = |flags: &[&str]| inspect(&image_there, flags).expect("skopeo");
    assert_eq!(inspect(&[])["Digest"], *pushed);
    let config = inspect(&["--config"]);
    assert_eq!(config["config"]["User"], "65532:65532");
    assert_eq!(config["config"]["Entrypoint"], json!(["/manager"]));
    assert_eq!(
        config["config"]["Labels"]["org.opencontainers.image.version"],
        "0.1.0"
    );
    builder.starts(&image);

    // The same files as in an image of rop's own.
    let (layout, bundle) = (world.path().join("layout"), world.path().join("bundle"));
    copy(&skopeo, &image, &layout);
    unpack(&umoci, &layout, &bundle);
    let root = bundle.join("rootfs");
    let mut files: Vec<_> = walkdir::WalkDir::new(&root)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("a readable tree"))
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            entry
                .path()
                .strip_prefix(&root)
                .expect("below it")
                .to_owned()
        })
        .collect();
    files.sort();
    let expected = [
        "etc/group",
        "etc/nsswitch.conf",
        "etc/passwd",
        "etc/ssl/certs/ca-certificates.crt",
        "manager",
    ];
    assert_eq!(files, expected.map(PathBuf::from));
    let passwd = std::fs::read_to_string(root.join("etc/passwd")).expect("a file");
    assert!(
        passwd.ends_with("\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n"),
        "{passwd}"
    );
}

/// An image whose files are mostly this machine's, mounted.
struct Builder {
    store: Store,
    image: String,
}

impl Builder {
    fn new(buildah: &Path, world: &World, home: &Home) -> Self {
        let this = Self {
            store: Store::new(buildah, &volumes(home)),
            image: "localhost/builder:test".into(),
        };
        let context = this.store.path().join("context");
        let bundle = context.join("etc/ssl/certs/ca-certificates.crt");
        std::fs::create_dir_all(bundle.parent().expect("a folder")).expect("a folder");
        std::fs::write(&bundle, "none").expect("a file");
        let cargo = home.cargo.display().to_string();
        for folder in [
            "usr",
            "etc/alternatives",
            "tmp",
            "root",
            "proc",
            "dev",
            "sys",
            cargo.trim_start_matches('/'),
            "rustup",
        ] {
            std::fs::create_dir_all(context.join(folder)).expect("a folder");
            std::fs::write(context.join(folder).join(".keep"), "").expect("a file");
        }
        for folder in ["bin", "lib", "lib64", "sbin"] {
            std::os::unix::fs::symlink(format!("usr/{folder}"), context.join(folder))
                .expect("a link");
        }
        let text = format!(
            "FROM scratch\nCOPY . /\nENV PATH={cargo}/bin:/usr/bin:/bin CARGO_HOME={cargo} RUSTUP_HOME=/rustup CARGO_NET_OFFLINE=true\n"
        );
        let file = this.store.path().join("Dockerfile");
        std::fs::write(&file, text).expect("a file");
        let mut build = this.store.buildah("build");
        build
            .args(["--tag", &this.image, "--file"])
            .arg(&file)
            .arg(&context);
        world.run(&mut build).ok();
        this
    }

    /// rop, which finds buildah.
    fn rop(&self, world: &World, arguments: &str) -> Command {
        let mut command = world.command(".");
        command
            .args(arguments.split_whitespace())
            .envs(self.store.settings());
        command
    }

    /// Whether the program of an image starts where there is nothing else.
    fn starts(&self, image: &str) {
        let from = self
            .store
            .buildah("from")
            .args(["--tls-verify=false", image])
            .output()
            .expect("buildah starts");
        let name = String::from_utf8(from.stdout).expect("a name");
        let run = self
            .store
            .buildah("run")
            .args([name.trim(), "/manager", "--help"])
            .output()
            .expect("buildah starts");
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(
            said.contains("--leader-elect"),
            "{said} {}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
}

/// What it mounts: this machine's Rust, what that needs, and what other tests have built. Cargo takes of that what
/// has the same flags and came from the same folder.
fn volumes(home: &Home) -> [String; 5] {
    // This test may be the first that builds.
    let first = Slot::first();
    std::fs::create_dir_all(first.folder()).expect("a folder");
    [
        "/usr:/usr:ro".into(),
        "/etc/alternatives:/etc/alternatives:ro".into(),
        format!("{0}:{0}", home.cargo.display()),
        format!("{}:/rustup:ro", home.rustup.display()),
        format!("{}:/target", first.folder().display()),
    ]
}

/// Where this machine's cargo and rustup have their files.
struct Home {
    cargo: PathBuf,
    rustup: PathBuf,
}

impl Home {
    fn of(world: &World) -> Self {
        let command = world.command(".");
        let home = |name: &str, folder: &str| {
            let set = command
                .get_envs()
                .find(|(key, _)| *key == name)
                .and_then(|(_, value)| value);
            set.map_or_else(|| Path::new("/usr/local").join(folder), PathBuf::from)
        };
        Self {
            cargo: home("CARGO_HOME", "cargo"),
            rustup: home("RUSTUP_HOME", "rustup"),
        }
    }

    /// How rop has rustc name them, and the target directory.
    fn names(&self) -> [String; 3] {
        let rustc = |argument: &str| {
            let output = Command::new("rustc").arg(argument).output();
            String::from_utf8(output.expect("rustc starts").stdout).expect("UTF-8")
        };
        let sysroot = rustc("--print=sysroot");
        let version = rustc("-vV");
        let commit = version
            .lines()
            .find_map(|line| line.strip_prefix("commit-hash: "));
        let library = Path::new(sysroot.trim()).join("lib/rustlib/src/rust");
        let of_library = format!("/rustc/{}", commit.expect("a commit"));
        let first = Slot::first();
        [
            (&*self.cargo, "/cargo"),
            (&*library, &*of_library),
            (first.folder(), "/target"),
        ]
        .map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()))
    }
}
