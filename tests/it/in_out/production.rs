//! A cluster that is not of this machine: on a terminal, rop asks.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{World, kubectl};

/// An address that nobody has (RFC 5737). Nothing is sent there: the answer comes first.
const KUBECONFIG: &str = "apiVersion: v1
kind: Config
current-context: prod
contexts: [{name: prod, context: {cluster: prod, user: prod}}]
users: [{name: prod, user: {token: x}}]
clusters: [{name: prod, cluster: {server: 'https://192.0.2.1:6443'}}]
";

/// Runs rop on a terminal where somebody types an answer, and gives what the terminal shows.
fn typed(world: &World, arguments: &str, answer: &str) -> (Option<i32>, String) {
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
        .env("KUBECTL", kubectl().expect("kubectl"))
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
    let is_there = |program: &Path| program.is_file();
    if kubectl().is_none() || !is_there(Path::new("/usr/bin/script")) {
        return;
    }
    let world = World::with_api();
    std::fs::write(world.path().join("../home/kubeconfig"), KUBECONFIG).expect("a kubeconfig");
    for (command, what) in [
        ("install", "install the CRDs"),
        ("uninstall", "remove the CRDs"),
        ("deploy", "deploy the operator"),
        ("undeploy", "remove the operator"),
        ("run", "run the operator"),
    ] {
        let (code, shown) = typed(&world, command, "n\n");
        assert_eq!(code, Some(1), "{shown}");
        let question = format!(
            "{what} in the cluster of the context `prod` (https://192.0.2.1:6443), which is not on this machine? [y/N]"
        );
        assert!(shown.contains(&question), "{shown}");
        assert!(shown.contains("error: nothing was done"), "{shown}");
    }
}
