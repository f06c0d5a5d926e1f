//! A cluster that is not of this machine: on a terminal, rop asks.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{command, fake_kubectl};
use crate::support::{World, kubectl};

/// An address that nobody has (RFC 5737).
const KUBECONFIG: &str = "apiVersion: v1
kind: Config
current-context: prod
contexts: [{name: prod, context: {cluster: prod, user: prod}}]
users: [{name: prod, user: {token: x}}]
clusters: [{name: prod, cluster: {server: 'https://192.0.2.1:6443'}}]
";

/// What rop asks about a command, in words of its own.
fn question(what: &str) -> String {
    format!("{what} in the remote cluster of context `prod` (https://192.0.2.1:6443)? [y/N]")
}

/// A project, and a kubectl whose cluster never answers: nothing is sent anywhere.
fn world() -> Option<(World, PathBuf)> {
    if kubectl().is_none() || !Path::new("/usr/bin/script").is_file() {
        return None;
    }
    let world = World::with_api();
    std::fs::write(world.path().join("../home/kubeconfig"), KUBECONFIG).expect("a kubeconfig");
    let kubectl = fake_kubectl(
        &world,
        "case \"$*\" in config*|kustomize*) exec {} \"$@\";; *) echo no route to host >&2; exit 1;; esac",
    );
    Some((world, kubectl))
}

/// Runs rop on a terminal where somebody types an answer, and gives what the terminal shows.
fn typed(
    (world, kubectl): &(World, PathBuf),
    arguments: &str,
    answer: &str,
) -> (Option<i32>, String) {
    let mut script = Command::new("script");
    let rop = env!("CARGO_BIN_EXE_rop");
    script
        .args([
            "-qec",
            &format!("{rop} --color never {arguments}"),
            "/dev/null",
        ])
        .current_dir(world.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", world.path().join("../home"))
        .env("KUBECTL", kubectl)
        .env("KUBECONFIG", world.path().join("../home/kubeconfig"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = script.spawn().expect("script runs");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    std::io::Write::write_all(&mut stdin, answer.as_bytes()).expect("an answer");
    let output = child.wait_with_output().expect("script ends");
    drop(stdin);
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

#[test]
fn no_means_no() {
    let Some(world) = world() else {
        return;
    };
    for (command, what) in [
        ("install", "install the CRDs"),
        ("uninstall", "remove the CRDs"),
        ("deploy", "deploy the operator"),
        ("undeploy", "remove the operator"),
        ("run", "run the operator"),
    ] {
        for answer in ["n\n", "\n"] {
            let (code, shown) = typed(&world, command, answer);
            assert_eq!(code, Some(1), "{shown}");
            assert!(shown.contains(&question(what)), "{shown}");
            assert!(
                shown.contains("error[not-confirmed]: nothing was done"),
                "{shown}"
            );
        }
    }
}

#[test]
fn yes_goes_on_and_so_does_the_flag() {
    let Some(world) = world() else {
        return;
    };
    let (_, shown) = typed(&world, "install", "yes\n");
    assert!(shown.contains(&question("install the CRDs")), "{shown}");
    assert!(
        shown.contains("error[cluster-unreachable]: no response from the cluster"),
        "{shown}"
    );
    for arguments in ["install --yes", "install --dry-run"] {
        let (_, shown) = typed(&world, arguments, "");
        assert!(!shown.contains("[y/N]"), "{shown}");
        assert!(
            shown.contains("error[cluster-unreachable]: no response from the cluster"),
            "{shown}"
        );
    }
}

/// Where nobody can answer, nobody is asked.
#[test]
fn without_a_terminal() {
    let Some((world, kubectl)) = world() else {
        return;
    };
    let kubeconfig = world.path().join("../home/kubeconfig");
    let mut command = command(&world, &kubeconfig, "install");
    let outcome = world.run(command.env("KUBECTL", kubectl)).exits(1);
    assert!(!outcome.stderr.contains("[y/N]"), "{outcome}");
    assert!(
        outcome
            .stderr
            .contains("error[cluster-unreachable]: no response"),
        "{outcome}"
    );
}
