use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::tools::install;
use crate::support::{Outcome, World};

const CARGO: &str = "case $1 in\n\
    fmt) echo rustfmt 1.9 ;;\n\
    clippy) echo clippy 0.1 ;;\n\
    *) echo 'cargo 1.95.0' ;;\n\
esac";

const RUSTC: &str = "case $1 in\n\
    --version) echo 'rustc 1.95.0 (abc)' ;;\n\
    -vV) echo 'host: none' ;;\n\
    *) echo /nonexistent ;;\n\
esac";

/// kubectl of a cluster whose release is `$VERSION`.
const KUBECTL: &str = r#"case "$*" in
    *--client*) echo '{"clientVersion": {"gitVersion": "v1.36.1"}}' ;;
    config*) echo '{"contexts": [{"name": "kind-a", "context": {}}], "clusters": [{"cluster": {"server": "https://127.0.0.1:1"}}]}' ;;
    version*) echo '{"serverVersion": {"major": "1", "minor": "MINOR", "gitVersion": "v1.MINOR.0"}}' ;;
esac"#;

/// A program that prints without end, in lines of 16 KiB.
const FLOOD: &str = "line=x\n\
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do line=$line$line; done\n\
    while :; do echo $line >&2; done";

/// A machine with these programs and no others.
struct Machine(World);

impl Machine {
    fn new(programs: &[(&str, &str)]) -> Self {
        let machine = Self(World::new());
        for (name, script) in programs {
            machine.add(name, script);
        }
        machine
    }

    /// One that has all that is required.
    fn complete(more: &[(&str, &str)]) -> Self {
        let required = [("cargo", CARGO), ("rustc", RUSTC), ("cc", "")];
        Self::new(&[&required, more].concat())
    }

    fn add(&self, name: &str, script: &str) {
        fs::create_dir_all(self.programs()).expect("a folder");
        install(&self.programs(), name, &format!("#!/bin/sh\n{script}\n"));
    }

    fn programs(&self) -> std::path::PathBuf {
        self.0.path().join("bin")
    }

    fn command(&self) -> Command {
        fs::create_dir_all(self.programs()).expect("a folder");
        let mut command = self.0.command(".");
        command.env("PATH", self.programs()).arg("doctor");
        command
    }

    fn doctor(&self) -> Outcome {
        self.0.run(self.command().arg("--quiet"))
    }

    /// The finding of a name.
    fn finding(&self, name: &str) -> Value {
        let outcome = self.0.run(self.command().arg("--json"));
        let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        let findings = report["findings"].as_array().expect("findings");
        let found = findings.iter().find(|finding| finding["name"] == name);
        found
            .unwrap_or_else(|| panic!("no {name}: {report:#}"))
            .clone()
    }
}

/// What a report of a machine says that is not true of all.
fn without_disk(outcome: &Outcome) -> String {
    let text = outcome.to_string();
    let lines = text.lines().filter(|line| !line.contains(" disk: "));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    text.replace(std::env::consts::ARCH, "[ARCH]")
}

#[test]
fn only_a_toolchain_is_required() {
    let machine = Machine::complete(&[]);
    insta::assert_snapshot!(without_disk(&machine.doctor().ok()), @"
    exit: 0
    --- stdout
           ok cargo: cargo 1.95.0 ([DIR]/app-operator/bin/cargo)
           ok rustc: rustc 1.95.0 (abc) ([DIR]/app-operator/bin/rustc)
           ok rustfmt: rustfmt 1.9 ([DIR]/app-operator/bin/cargo)
           ok clippy: clippy 0.1 ([DIR]/app-operator/bin/cargo)
           ok linker: [DIR]/app-operator/bin/cc
      missing target: neither `[ARCH]-unknown-linux-musl` nor `[ARCH]-unknown-linux-gnu` is installed; needed for `rop build` without a container engine
        hint: run `rustup target add [ARCH]-unknown-linux-musl`
      missing kubectl: no kubectl on PATH; needed for `rop install`, `deploy`, `run`, `undeploy`, `uninstall` and OLM commands
        hint: install kubectl (https://kubernetes.io/docs/tasks/tools), or set $KUBECTL to its path
      missing container engine: neither docker nor podman nor buildah is on PATH; needed for `rop build --engine docker`, and images with a Dockerfile
        hint: none is needed: `rop build --engine none` builds an image with cargo
      missing registry login: neither docker nor podman has a login; needed for pushing images: `rop build --push`, `rop bundle build`, `rop catalog build`
        hint: log in: `docker login REGISTRY` or `podman login REGISTRY`
      missing control plane: no KUBEBUILDER_ASSETS, and none were downloaded; needed for `rop dev`, and tests on an API server
        hint: run `make test-cluster` or `rop dev`, which download them, or set KUBEBUILDER_ASSETS to a directory with etcd, kube-apiserver, kubectl
      missing git: no `git` on PATH; needed for the commit in the labels of images, and `git:` sources of the runtime
        hint: install git
    ");
    let machine = Machine::new(&[("cargo", CARGO)]);
    let outcome = machine.doctor().exits(1);
    insta::assert_snapshot!(outcome.stderr, @"
    error[tools-missing]: required but not usable: rustc
    hint: the hints above say how to get them
    ");
    outcome.says("missing rustc: no `rustc` on PATH");
    let machine = Machine::new(&[("cargo", CARGO), ("rustc", RUSTC)]);
    machine
        .doctor()
        .exits(1)
        .says("missing linker: no `cc` on PATH")
        .says("required but not usable: linker");
}

#[test]
fn json_has_all_findings() {
    let machine = Machine::complete(&[("git", "echo git version 2.50")]);
    insta::assert_snapshot!(format!("{:#}", machine.finding("git")), @r#"
    {
      "name": "git",
      "required": false,
      "neededFor": "the commit in the labels of images, and `git:` sources of the runtime",
      "place": "[DIR]/app-operator/bin/git",
      "state": "found",
      "about": "git version 2.50"
    }
    "#);
    insta::assert_snapshot!(format!("{:#}", machine.finding("kubectl")), @r#"
    {
      "name": "kubectl",
      "required": false,
      "neededFor": "`rop install`, `deploy`, `run`, `undeploy`, `uninstall` and OLM commands",
      "state": "missing",
      "reason": "no kubectl on PATH",
      "remedy": "install kubectl (https://kubernetes.io/docs/tasks/tools), or set $KUBECTL to its path"
    }
    "#);
}

#[test]
fn the_toolchain_must_be_new_enough() {
    let old = RUSTC.replace("1.95.0", "1.70.0");
    let machine = Machine::new(&[("cargo", CARGO), ("rustc", &old), ("cc", "")]);
    machine.doctor().exits(1).says(
        "unusable rustc: rustc 1.70.0 (abc) is older than 1.89, which generated projects require",
    );
    // In a project, its own Cargo.toml decides.
    let machine = Machine::complete(&[]);
    machine.0.rop("init --domain example.com --quiet").ok();
    let manifest = machine.0.read("Cargo.toml");
    let own = manifest.replace("rust-version = \"1.89\"", "rust-version = \"1.99\"");
    assert_ne!(own, manifest);
    machine.0.write("Cargo.toml", &own);
    machine
        .doctor()
        .exits(1)
        .says("rustc 1.95.0 (abc) is older than 1.99, which Cargo.toml requires");
    let tree = machine.0.tree();
    machine.0.write("Cargo.toml", "[package]\nrust-version = [");
    machine.doctor().ok();
    machine.0.write("Cargo.toml", &own);
    machine.0.write("PROJECT", "hostile: [\u{1b}[2J");
    machine.doctor().exits(1);
    assert_eq!(machine.0.tree().len(), tree.len());
}

#[test]
fn the_cluster_must_be_new_enough() {
    let machine = Machine::complete(&[("kubectl", &KUBECTL.replace("MINOR", "37"))]);
    machine
        .doctor()
        .ok()
        .says("ok kubectl: v1.36.1 ([DIR]/app-operator/bin/kubectl)")
        .says("ok cluster: v1.37.0 (context kind-a, https://127.0.0.1:1)");
    machine.add("kubectl", &KUBECTL.replace("MINOR", "20"));
    machine
        .doctor()
        .ok()
        .says("unusable cluster: the cluster runs Kubernetes v1.20.0, but generated operators need 1.33 or newer");
    machine.add(
        "kubectl",
        "echo 'Unable to connect to the server' >&2; exit 1",
    );
    machine.doctor().ok().says("unusable kubectl: ");
}

/// Programs of the machine are not trusted: some wait, print without end, or print what a terminal acts on.
#[test]
fn programs_can_do_anything() {
    let start = std::time::Instant::now();
    let machine = Machine::complete(&[
        ("docker", "exec /bin/sleep 1000"),
        ("podman", FLOOD),
        ("git", "printf 'git \\033[2J\\n\\nerror: forged\\n'"),
        ("kubectl", "/bin/sleep 1000 & exec /bin/sleep 1000"),
    ]);
    let outcome = machine.doctor().ok();
    assert!(!outcome.stdout.contains('\u{1b}'), "{outcome}");
    assert!(!outcome.stdout.contains("forged"), "{outcome}");
    outcome
        .says("ok git: git \\u{1b}[2J (")
        .says("docker: no response for 10 s; podman: it prints without end")
        .says("unusable kubectl: ");
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn logins_are_found_without_their_helpers() {
    let machine = Machine::complete(&[]);
    let config = |text: &str| {
        let folder = Path::new(&machine.0.path()).join("../home/.docker");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("config.json"), text).expect("a file");
        machine.finding("registry login")
    };
    let found = config(r#"{"auths": {"ghcr.io": {"auth": "c2VjcmV0"}}, "credsStore": ""}"#);
    assert_eq!(found["about"], "ghcr.io");
    assert!(!found.to_string().contains("c2VjcmV0"));
    let missing = config(r#"{"credHelpers": {"a.example.com": "fake"}}"#);
    let reason = missing["reason"].as_str().expect("a reason");
    assert!(
        reason.ends_with("`docker-credential-fake`, which is not on PATH"),
        "{reason}"
    );
    machine.add("docker-credential-fake", "touch started");
    let found = config(r#"{"credsStore": "fake"}"#);
    assert_eq!(found["about"], "all that docker-credential-fake knows");
    assert!(!machine.0.path().join("started").exists());
    for wrong in ["", "[]", "{\"auths\": 7", "\u{1b}[2J"] {
        assert_eq!(config(wrong)["state"], "unusable", "{wrong}");
    }
    assert_eq!(config("{\"auths\": 7}")["state"], "missing");
}

#[test]
fn a_control_plane_is_whole_or_unusable() {
    let machine = Machine::complete(&[]);
    assert_eq!(machine.finding("control plane")["state"], "missing");
    for name in ["etcd", "kube-apiserver"] {
        machine.add(name, "");
    }
    let finding = |machine: &Machine| {
        let mut command = machine.command();
        machine
            .0
            .run(command.env("KUBEBUILDER_ASSETS", machine.programs()))
            .ok()
    };
    finding(&machine).says("unusable control plane: no `kubectl` in `[DIR]/app-operator/bin`");
    machine.add("kubectl", "exit 1");
    finding(&machine).says("ok control plane: etcd, kube-apiserver, kubectl");
}
