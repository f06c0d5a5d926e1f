//! Tests of other images, as pods of a real API server. No kubelet runs them: the test gives pods their status, and a
//! kubectl of its own has their logs.

mod objects;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::{CONFIG, MIXED, bundle};
use crate::support::control_plane::{ControlPlane, eventually};
use crate::support::kubelet::{pods, tell, while_pods_are};
use crate::support::shared::Shared;
use crate::support::tools::install;
use crate::support::{Outcome, World, kubectl};

const PASSES: &str = r#"{"results": [{"name": "one", "state": "pass", "log": "all is well"}]}"#;

/// A control plane with a namespace for each test.
fn plane(namespace: &str) -> Option<std::sync::Arc<ControlPlane>> {
    static PLANE: Shared<ControlPlane> = Shared::new();
    let plane = PLANE.get(ControlPlane::new)?;
    plane.kubectl_ok(&["create", "namespace", namespace]);
    Some(plane)
}

/// A kubectl that has a log for each pod.
fn with_log(world: &World, log: &str) -> PathBuf {
    world.write("../home/log", log);
    let home = world.path().join("../home");
    let real = kubectl().expect("a kubectl");
    let (log, real) = (home.join("log"), real.display().to_string());
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *' logs '*) cat '{}';; *) exec '{real}' \"$@\";; esac\n",
        log.display()
    );
    install(&home, "kubectl", &script);
    home.join("kubectl")
}

fn command(
    world: &World,
    plane: &ControlPlane,
    namespace: &str,
    log: &str,
    flags: &str,
) -> Command {
    let mut command = world.command(".");
    command
        .args(["scorecard", "--cluster", "-n", namespace])
        .args(flags.split_whitespace())
        .env("KUBECONFIG", plane.kubeconfig())
        .env("KUBECTL", with_log(world, log));
    command
}

fn ended(code: i32) -> Value {
    json!({"phase": "Succeeded", "containerStatuses": [{
        "name": "scorecard-test", "image": "i", "imageID": "", "ready": false, "restartCount": 0,
        "state": {"terminated": {"exitCode": code, "reason": if code == 0 { "Completed" } else { "Error" }}},
    }]})
}

/// Runs the tests while the pods of the namespace have a status.
fn run(
    plane: &ControlPlane,
    namespace: &str,
    world: &World,
    status: &Value,
    log: &str,
    flags: &str,
) -> Outcome {
    let mut command = command(world, plane, namespace, log, flags);
    while_pods_are(status, plane, namespace, || world.run(&mut command))
}

fn config_maps(plane: &ControlPlane, namespace: &str) -> Vec<Value> {
    let path =
        format!("/api/v1/namespaces/{namespace}/configmaps?labelSelector=app%3Dscorecard-test");
    plane.api().get(&path)["items"]
        .as_array()
        .cloned()
        .unwrap_or_default()
}

#[track_caller]
fn nothing_is_left(plane: &ControlPlane, namespace: &str) {
    assert_eq!(config_maps(plane, namespace), Vec::<Value>::new());
    eventually("the end of the pods", Duration::from_secs(20), || {
        pods(plane.api(), namespace).is_empty().then_some(())
    });
}

fn world() -> World {
    let mut bundle = bundle();
    bundle.write(CONFIG, MIXED);
    bundle.world()
}

#[test]
fn a_test_passes() {
    let Some(plane) = plane("passes") else {
        return;
    };
    let world = world();
    let outcome = run(&plane, "passes", &world, &ended(0), PASSES, "-o json").ok();
    let list: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let names: Vec<_> = (0..3)
        .map(|at| &list["items"][at]["status"]["results"][0]["name"])
        .collect();
    assert_eq!(names, ["basic-check-spec", "one", "olm-spec-descriptors"]);
    assert_eq!(
        list["items"][1]["status"]["results"][0]["log"],
        "all is well"
    );
    outcome.says("`bundle` passes 3 tests");
    nothing_is_left(&plane, "passes");
}

#[test]
fn a_test_fails() {
    let Some(plane) = plane("fails") else {
        return;
    };
    let world = world();
    for (status, log, expected) in [
        (
            ended(0),
            r#"{"results": [{"name": "n", "state": "fail", "errors": ["bad\u001b[2J"], "suggestions": ["good"]}]}"#,
            "bad\\u{1b}[2J",
        ),
        (
            ended(0),
            r#"{"results": [{"state": "odd"}]}"#,
            "the test printed the unknown state `odd`",
        ),
        (
            ended(0),
            r#"{"results": []}"#,
            "the test printed no results",
        ),
        (
            ended(137),
            "panic: a\u{1b}[2J\n",
            "the container ended with exit code 137: Error",
        ),
        (ended(137), "panic: a\u{1b}[2J\n", "\t\tpanic: a\\u{1b}[2J"),
        (
            json!({"phase": "Failed", "reason": "Evicted", "message": "low on memory"}),
            "",
            "the pod failed: Evicted: low on memory",
        ),
        (
            json!({"phase": "Pending", "initContainerStatuses": [{"name": "scorecard-untar", "image": "i", "imageID": "",
            "ready": false, "restartCount": 0, "state": {"terminated": {"exitCode": 2, "reason": "Error"}}}]}),
            "",
            "the bundle was not unpacked: the container ended with exit code 2: Error",
        ),
    ] {
        let outcome = run(&plane, "fails", &world, &status, log, "").exits(1);
        assert!(!outcome.stdout.contains('\u{1b}'), "{outcome}");
        outcome
            .says(expected)
            .says("error[scorecard-failed]: `bundle` fails 1 of 3 tests: one");
        nothing_is_left(&plane, "fails");
    }
}

/// The reason of a test that does not end is that of its pod.
#[test]
fn a_test_does_not_end() {
    let Some(plane) = plane("late") else {
        return;
    };
    let world = world();
    let status = json!({"phase": "Pending", "containerStatuses": [{
        "name": "scorecard-test", "image": "i", "imageID": "", "ready": false, "restartCount": 0,
        "state": {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}},
    }]});
    let outcome = run(&plane, "late", &world, &status, "", "-w 2s").exits(1);
    outcome
        .says("the test did not end within 2s: until pod scorecard-test-")
        .says("(container scorecard-test: ImagePullBackOff: Back-off pulling image)")
        .says("`--wait-time`");
    nothing_is_left(&plane, "late");
}

/// Tests of a parallel stage are there at the same time; others one after the other.
#[test]
fn stages_run_as_they_say() {
    let Some(plane) = plane("stages") else {
        return;
    };
    let stage = |parallel: bool| {
        let mut text = format!("- parallel: {parallel}\n  tests:\n");
        for name in ["a", "b"] {
            let image = format!("example.test/{name}:v1");
            text.extend([format!(
                "  - image: {image}\n    labels: {{test: {name}}}\n"
            )]);
        }
        text
    };
    let (head, _) = MIXED.split_once("- tests:").expect("stages");
    for (parallel, most) in [(true, 2), (false, 1)] {
        let mut bundle = bundle();
        bundle.write(CONFIG, &format!("{head}{}", stage(parallel)));
        let world = bundle.world();
        let mut child = command(&world, &plane, "stages", PASSES, "");
        let mut child = child
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut seen = 0;
        loop {
            let live = pods(plane.api(), "stages");
            let waits = live
                .iter()
                .filter(|pod| pod["status"]["phase"] == "Pending")
                .count();
            seen = seen.max(waits);
            // In a parallel stage nothing ends before all have begun.
            if waits == most {
                for pod in &live {
                    tell(plane.api(), pod, &ended(0));
                }
            }
            if child.try_wait().expect("a child").is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(seen, most, "parallel: {parallel}");
        nothing_is_left(&plane, "stages");
    }
}

/// Ctrl-C, also with kubectl in the same group of processes.
#[test]
fn an_interrupted_run_leaves_nothing() {
    use std::os::unix::process::CommandExt;
    let Some(plane) = plane("interrupted") else {
        return;
    };
    let world = world();
    let mut child = command(&world, &plane, "interrupted", "", "");
    child
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = child.spawn().expect("it starts");
    eventually("a pod", Duration::from_mins(1), || {
        (!pods(plane.api(), "interrupted").is_empty()).then_some(())
    });
    let group = format!("-{}", child.id());
    let killed = Command::new("kill")
        .args(["-s", "INT", "--", &group])
        .status();
    assert!(killed.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("interrupted: the pods and the ConfigMap of the tests were deleted"),
        "{stderr}"
    );
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        stdout.contains("Not run: interrupted") && stdout.contains("State: pass"),
        "{stdout}"
    );
    nothing_is_left(&plane, "interrupted");
}

#[test]
fn what_the_cluster_refuses_is_reported() {
    let Some(plane) = plane("refused") else {
        return;
    };
    let world = world();
    let outcome = run(&plane, "missing", &world, &ended(0), PASSES, "").exits(1);
    outcome
        .says("error[namespace-missing]: failed to create the ConfigMap with the bundle")
        .says("hint: create it: `kubectl create namespace missing`");
    let label = "pod-security.kubernetes.io/enforce=restricted";
    plane.kubectl_ok(&["label", "namespace", "refused", label]);
    let outcome = run(&plane, "refused", &world, &ended(0), PASSES, "").exits(1);
    outcome
        .says("violates PodSecurity")
        .says("use `--pod-security restricted`");
    nothing_is_left(&plane, "refused");
    run(
        &plane,
        "refused",
        &world,
        &ended(0),
        PASSES,
        "--pod-security restricted",
    )
    .ok();
    nothing_is_left(&plane, "refused");
    // Who may do nothing there.
    plane.kubectl_ok(&["create", "serviceaccount", "nobody", "-n", "refused"]);
    let mut command = command(&world, &plane, "refused", PASSES, "");
    command.env("KUBECONFIG", plane.kubeconfig_for("refused", "nobody"));
    world
        .run(&mut command)
        .exits(1)
        .says("failed to create the ConfigMap with the bundle")
        .says("error[forbidden]")
        .says("need permission to create, list and delete pods");
}
