//! What the pods are given.

use std::process::Command;

use serde_json::{Value, json};

use super::{PASSES, config_maps, ended, plane, run, world};
use crate::olm::mutations::noise;
use crate::olm::scorecard::{CONFIG, MIXED, bundle};
use crate::support::World;
use crate::support::control_plane::ControlPlane;
use crate::support::kubelet::pods;
use crate::support::world::tree;

/// A bundle whose configuration has a service account, and a directory for the files of a test.
fn with_storage() -> World {
    let world = world();
    let path = "bundle/tests/scorecard/config.yaml";
    world.replace(
        path,
        "kind: Configuration\n",
        "kind: Configuration\nserviceaccount: tester\n",
    );
    world.replace(
        path,
        "    labels: {suite: custom",
        "    storage: {spec: {mountPath: {path: /out}}}\n    labels: {suite: custom",
    );
    world
}

/// The parts of a pod that operator-sdk sets.
fn significant(pod: &Value) -> Value {
    let spec = &pod["spec"];
    let container = &spec["containers"][0];
    json!({
        "labels": pod["metadata"]["labels"],
        "serviceAccount": spec["serviceAccountName"],
        "restartPolicy": spec["restartPolicy"],
        "volumes": spec["volumes"],
        "security": spec["securityContext"],
        "init": [spec["initContainers"][0]["image"], spec["initContainers"][0]["args"],
            spec["initContainers"][0]["volumeMounts"], spec["initContainers"][0]["securityContext"]],
        "container": [container["image"], container["command"], container["env"], container["volumeMounts"],
            container["imagePullPolicy"], container["securityContext"]],
    })
}

/// The archive, unpacked as the pod does, is the bundle.
fn is_unpacked(plane: &ControlPlane, world: &World, run: &str) {
    let archive = plane.kubectl_ok(&[
        "get",
        "configmap",
        run,
        "-n",
        "objects",
        "-o",
        "jsonpath={.binaryData.bundle\\.tar\\.gz}",
    ]);
    world.write("archive", &archive);
    let unpacked = world.path().join("unpacked");
    std::fs::create_dir(&unpacked).expect("a folder");
    let script = format!(
        "base64 -d '{}' | tar xzf - -C '{}'",
        world.path().join("archive").display(),
        unpacked.display()
    );
    assert!(
        Command::new("sh")
            .args(["-c", &script])
            .status()
            .expect("sh runs")
            .success()
    );
    assert_eq!(tree(&unpacked), tree(&world.path().join("bundle")));
}

/// What the API server took is what operator-sdk sends, and the archive is the bundle.
#[test]
fn the_objects_are_those_of_operator_sdk() {
    let Some(plane) = plane("objects") else {
        return;
    };
    let world = with_storage();
    let flags = "-x --pod-security restricted --untar-image example.test/untar:v1";
    let outcome = run(&plane, "objects", &world, &ended(0), PASSES, flags).ok();
    outcome.says("note: kept the pods and the ConfigMap: `kubectl delete pods,configmaps -n objects -l testrun=");
    let maps = config_maps(&plane, "objects");
    let run = maps[0]["metadata"]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    let pods = pods(plane.api(), "objects");
    assert_eq!((maps.len(), pods.len()), (1, 1));
    let text = serde_yaml::to_string(&significant(&pods[0]))
        .expect("YAML")
        .replace(&run, "[RUN]");
    insta::assert_snapshot!(text, @r"
    labels:
      app: scorecard-test
      testrun: [RUN]
    serviceAccount: tester
    restartPolicy: Never
    volumes:
    - name: scorecard-bundle
      configMap:
        name: [RUN]
        defaultMode: 420
    - name: scorecard-untar
      emptyDir: {}
    - name: scorecard-storage
      emptyDir: {}
    security:
      runAsNonRoot: true
      seccompProfile:
        type: RuntimeDefault
    init:
    - example.test/untar:v1
    - - tar
      - xvzf
      - /scorecard/bundle.tar.gz
      - -C
      - /scorecard-bundle
    - - name: scorecard-bundle
        readOnly: true
        mountPath: /scorecard
      - name: scorecard-untar
        mountPath: /scorecard-bundle
    - capabilities:
        drop:
        - ALL
      runAsNonRoot: true
      allowPrivilegeEscalation: false
    container:
    - example.test/custom:v1
    - - custom
      - one
    - - name: SCORECARD_NAMESPACE
        valueFrom:
          fieldRef:
            apiVersion: v1
            fieldPath: metadata.namespace
      - name: SCORECARD_STORAGE
        value: /out
    - - name: scorecard-untar
        readOnly: true
        mountPath: /bundle
      - name: scorecard-storage
        mountPath: /out
    - IfNotPresent
    - capabilities:
        drop:
        - ALL
      runAsNonRoot: true
      allowPrivilegeEscalation: false
    ");
    is_unpacked(&plane, &world, &run);
}

/// A bundle that no `ConfigMap` holds is refused before anything is asked of the cluster.
#[test]
fn a_bundle_that_is_too_large() {
    let mut bundle = bundle();
    bundle.write(CONFIG, MIXED);
    bundle.write("extra/noise", &noise(2_000_000));
    let world = bundle.world();
    world
        .rop("scorecard --cluster")
        .exits(1)
        .says("KiB compressed, and the ConfigMap for its tests holds 1024 KiB")
        .says("hint: ");
    world.rop("scorecard").ok();
    // Links in a circle end.
    std::os::unix::fs::symlink(".", world.path().join("bundle/extra/loop")).expect("a link");
    world.rop("scorecard --cluster").exits(1).says("hint: ");
}
