//! What takes kubectl to render.

use serde_json::json;

use super::helm::Helm;
use crate::support::World;

const JOBS: &str = "config/default/jobs.yaml";
const WORKLOADS: &str = "\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: nightly
  namespace: system
spec:
  schedule: 0 0 * * *
  jobTemplate:
    spec:
      template:
        spec:
          serviceAccountName: controller-manager
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: store
  namespace: system
---
apiVersion: batch/v1
kind: Job
metadata:
  name: once
  namespace: system
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: door
  namespace: system
";

fn with_workloads() -> World {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.write(JOBS, WORKLOADS);
    world.replace(
        "config/default/kustomization.yaml",
        "- ../crd\n",
        "- ../crd\n- jobs.yaml\n",
    );
    world
}

/// kubectl renders what rop does not, with components that are off too.
#[test]
fn other_workloads_are_in_the_chart() {
    let Some(kubectl) = crate::support::kubectl() else {
        return;
    };
    let world = with_workloads();
    let rop = |words: &[&str]| world.run(world.command(".").env("KUBECTL", &kubectl).args(words));
    rop(&["generate", "chart"]).ok();
    rop(&["generate", "chart", "--check"]).ok();
    rop(&["check", "--skip", "manifests"]).ok();
    let file = world.read("dist/chart/templates/extras/nightly.yaml");
    assert!(file.contains("kind: CronJob"), "{file}");
    let Some(helm) = Helm::find() else {
        return;
    };
    let objects = helm.objects(&world, &["--set", "prometheus.enabled=true"]);
    for (kind, name) in [
        ("CronJob", "nightly"),
        ("StatefulSet", "store"),
        ("Job", "once"),
        ("Ingress", "door"),
        ("ServiceMonitor", "controller-manager-metrics-monitor"),
    ] {
        let name = format!("app-operator-{name}");
        let is_it = |object: &&serde_json::Value| {
            object["kind"] == kind && object["metadata"]["name"] == *name
        };
        let found = objects.iter().find(is_it);
        let found = found.unwrap_or_else(|| panic!("no {kind} {name}"));
        assert_eq!(found["metadata"]["namespace"], "app-operator-system");
    }
    let cron = objects.iter().find(|object| object["kind"] == "CronJob");
    let account =
        &cron.expect("it")["spec"]["jobTemplate"]["spec"]["template"]["spec"]["serviceAccountName"];
    assert_eq!(*account, json!("app-operator-controller-manager"));
}

/// Without it, the chart stays as it is, and nothing else stops.
#[test]
fn without_kubectl_the_chart_stays() {
    let world = with_workloads();
    let rop = |words: &str| {
        let mut command = world.command(".");
        let words: Vec<_> = words.split(' ').collect();
        world.run(command.env("KUBECTL", "/nonexistent/kubectl").args(words))
    };
    let place = "rop does not render resource `jobs.yaml` of `config/default`";
    let failed = rop("generate chart").exits(1);
    failed
        .says(&format!(
            "no chart can be generated: `config/default` needs kubectl: {place}: $KUBECTL is \
             `/nonexistent/kubectl`, which does not exist"
        ))
        .says("hint: install kubectl");
    for command in [
        "create api --group app --kind Cache",
        "create webhook --group app --kind Cache --validation",
        "edit --multigroup",
        "delete webhook --group app --kind Cache --validation",
        "delete api --group app --kind Cache",
    ] {
        let done = rop(command).ok();
        done.says(&format!(
            "note: `dist/chart` is not updated: no chart can be generated: {place}"
        ))
        .says("see `rop generate chart`");
    }
}
