//! `rop olm …`: OLM itself, from the manifests that the user names.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::in_out::rop;
use crate::support::World;
use crate::support::control_plane::ControlPlane;
use crate::support::kubelet::while_pods_run;

/// What a release of OLM has: CRDs, objects of their kinds, and a Deployment.
const MANIFESTS: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: operatorgroups.operators.coreos.com
spec:
  group: operators.coreos.com
  names: {kind: OperatorGroup, plural: operatorgroups}
  scope: Namespaced
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
---
apiVersion: v1
kind: Namespace
metadata:
  name: olm
---
apiVersion: operators.coreos.com/v1alpha1
kind: OperatorGroup
metadata:
  name: olm-operators
  namespace: olm
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: olm-operator
  namespace: olm
spec:
  selector: {matchLabels: {app: olm}}
  template:
    metadata:
      labels: {app: olm}
    spec:
      containers:
      - {name: olm, image: 'example.com/olm:v1'}
";

const GROUPS: &str = "/apis/operators.coreos.com/v1alpha1/namespaces/olm/operatorgroups";

/// A server of one answer, and how often it was asked.
fn server(answer: Vec<u8>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let count = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            counted.fetch_add(1, Ordering::Relaxed);
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(&answer);
        }
    });
    (format!("http://{address}/olm.yaml"), count)
}

fn http(body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").into()
}

fn sum(text: &str) -> String {
    let sum = Sha256::digest(text);
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn manifests_that_are_not_taken() {
    let world = World::new();
    let (url, count) = server(http(MANIFESTS));
    let run = |line: &str| world.rop(&format!("olm install {line}"));
    insta::assert_snapshot!(run("https://example.com/olm.yaml").exits(2), @"
    exit: 2
    --- stderr
    error[conflicting-flags]: a URL needs `--sha256`, because its content is applied to the cluster
    hint: take the checksum from the release, or download the file, read it, and run `sha256sum` on it
    ");
    run(&format!("{url} other.yaml --sha256 {}", sum("")))
        .exits(2)
        .says("2 files, but 1 checksums");
    run(&format!("{url} --sha256 abc"))
        .exits(2)
        .says("64 hex digits");
    assert_eq!(
        count.load(Ordering::Relaxed),
        0,
        "nothing is downloaded before"
    );
    run(&format!("{url} --sha256 {}", sum("")))
        .exits(1)
        .says("checksum mismatch");
    assert_eq!(count.load(Ordering::Relaxed), 1);
    let (large, _) = server(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\na".to_vec());
    run(&format!("{large} --sha256 {}", sum("")))
        .exits(1)
        .says("the response has more than");
    let (broken, _) = server(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nkind: A\n".to_vec());
    run(&format!("{broken} --sha256 {}", sum("")))
        .exits(1)
        .says("download-failed");
    run("none.yaml").exits(1).says("failed to read `none.yaml`");
    for text in [
        "",
        "a: [",
        "kind: A\n",
        "- 1\n",
        "kind: A\nmetadata: {name: \"\\e[2J\\nx\"}\n",
    ] {
        world.write("olm.yaml", text);
        let outcome = run("olm.yaml").exits(1);
        assert!(outcome.stderr.contains("malformed-file"), "{outcome}");
    }
}

#[test]
fn olm_is_installed_and_removed() {
    let Some(plane) = ControlPlane::with_controllers() else {
        return;
    };
    if !plane.has_controllers() {
        return;
    }
    let world = World::new();
    world.write("olm.yaml", MANIFESTS);
    insta::assert_snapshot!(rop(&world, &plane, "olm install olm.yaml --dry-run").ok(), @"
    exit: 0
    --- stdout
       create CustomResourceDefinition operatorgroups.operators.coreos.com
       create Namespace olm
       create Deployment olm/olm-operator
       create OperatorGroup olm/olm-operators
    --- stderr
    note: dry run: the API server accepted all requests; nothing was changed
    ");
    assert_eq!(plane.api().get(GROUPS), Value::Null);
    let late = rop(&world, &plane, "olm install olm.yaml --timeout 1s").exits(1);
    assert!(late.stderr.contains("error[not-ready]"), "{late}");
    insta::assert_snapshot!(rop(&world, &plane, "olm status").exits(1), @"
    exit: 1
    --- stdout
    OLM v0  olm/olm-operator  0/1 available  example.com/olm:v1
    --- stderr
    error[not-ready]: OLM is not ready: olm-operator
    hint: see `kubectl describe deployment -n olm`
    ");
    let (url, _) = server(http(MANIFESTS));
    let line = format!("olm install {url} --sha256 {}", sum(MANIFESTS));
    while_pods_run(&plane, "olm", || {
        rop(&world, &plane, &line).ok().says("OLM is installed");
    });
    insta::assert_snapshot!(rop(&world, &plane, "olm status").ok(), @"
    exit: 0
    --- stdout
    OLM v0  olm/olm-operator  1/1 available  example.com/olm:v1
    ");
    rop(&world, &plane, "olm status --json")
        .ok()
        .says("\"ready\": true");
    rop(&world, &plane, "olm install olm.yaml --dry-run --json")
        .ok()
        .says("\"objects\": []");

    let other = json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "OperatorGroup",
        "metadata": {"name": "mine", "namespace": "default"},
    });
    assert!(plane.apply(&other.to_string()).status.success());
    insta::assert_snapshot!(rop(&world, &plane, "olm uninstall olm.yaml").exits(1), @"
    exit: 1
    --- stderr
    error[objects-at-risk]: deleting OLM would delete these objects, so nothing was deleted:
      1 operatorgroups.operators.coreos.com: default/mine
    hint: remove the operators first with `rop cleanup`, or confirm with `--yes`
    ");
    assert!(
        plane
            .api()
            .get(&format!("{GROUPS}/olm-operators"))
            .is_object()
    );
    insta::assert_snapshot!(rop(&world, &plane, "olm uninstall olm.yaml --yes").ok(), @"
    exit: 0
    --- stderr
    note: deleting OLM deletes these objects:
      1 operatorgroups.operators.coreos.com: default/mine
      waiting until all objects are deleted
       delete OperatorGroup olm/olm-operators
       delete CustomResourceDefinition operatorgroups.operators.coreos.com
       delete Deployment olm/olm-operator
       delete Namespace olm
    ");
    assert_eq!(plane.api().get(GROUPS), Value::Null);
    rop(&world, &plane, "olm uninstall olm.yaml")
        .ok()
        .says("nothing to delete");
}
