//! The same manifests, bundled by rop and by operator-sdk: `operator_sdk/` has the manifests, and the bundle that
//! operator-sdk 1.42.3 generates from them. If `operator-sdk` is on PATH, it generates that again.
//!
//! `INSTA_UPDATE=always cargo test --test it -- olm::differential` records its bundle again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::examples::{examples, is_updating};
use crate::support::World;
use crate::support::say::say;
use crate::support::world::tree;

const FLAGS: &str = "--version 0.1.0 --channels candidate,fast --default-channel fast";

/// A difference: the file, the field, and why it is one. A star is for any part of a path.
type Difference = (&'static str, &'static str, &'static str);

const CSV: &str = "manifests/app-operator.clusterserviceversion.yaml";
const ANNOTATIONS: &str = "metadata/annotations.yaml";

/// All differences. Each occurs.
const DIFFERENCES: &[Difference] = &[
    (
        "manifests/*",
        "/status",
        "it writes the empty status of its types",
    ),
    (
        ANNOTATIONS,
        "/annotations/operators.operatorframework.io.metrics.builder",
        "which tool made the bundle",
    ),
    (
        ANNOTATIONS,
        "/annotations/operators.operatorframework.io.metrics.mediatype.v1",
        "which tool made the bundle",
    ),
    (
        ANNOTATIONS,
        "/annotations/operators.operatorframework.io.metrics.project_layout",
        "which tool made the bundle",
    ),
    (
        CSV,
        "/metadata/annotations/operators.operatorframework.io/builder",
        "which tool made the bundle",
    ),
    (
        CSV,
        "/metadata/annotations/operators.operatorframework.io/project_layout",
        "which tool made the bundle",
    ),
    (
        CSV,
        "/metadata/annotations/containerImage",
        "consoles show the image, which the Deployment has",
    ),
    (
        CSV,
        "/metadata/annotations/operatorframework.io/suggested-namespace",
        "the namespace of the manifests",
    ),
    (
        CSV,
        "/spec/apiservicedefinitions",
        "it writes the empty value of its type",
    ),
    (
        CSV,
        "/spec/customresourcedefinitions/owned/*/description",
        "from the CRD; what the base has stays",
    ),
    (
        CSV,
        "/spec/customresourcedefinitions/owned/*/displayName",
        "from the CRD; what the base has stays",
    ),
    (
        CSV,
        "/spec/customresourcedefinitions/owned/*/resources",
        "from the rules; it reads markers in Go alone",
    ),
    (
        CSV,
        "/spec/customresourcedefinitions/owned/*/specDescriptors",
        "from the CRD; it reads markers in Go alone",
    ),
    (
        CSV,
        "/spec/customresourcedefinitions/owned/*/specDescriptors/message/x-descriptors",
        "from the CRD; what the base has stays",
    ),
    (
        CSV,
        "/spec/customresourcedefinitions/owned/*/statusDescriptors",
        "from the CRD; it reads markers in Go alone",
    ),
    (
        CSV,
        "/spec/relatedImages/listed",
        "it drops the images of the base",
    ),
    (
        CSV,
        "/spec/relatedImages/manager",
        "the operator's image is mirrored, too",
    ),
    (
        CSV,
        "/spec/webhookdefinitions/*/targetPort",
        "the number of the port that the Service names",
    ),
    // OLM makes the certificate of the webhooks, which operators of rop make themselves elsewhere.
    (
        "manifests/app-operator-webhook-server-cert_v1_secret.yaml",
        "only operator-sdk",
        "OLM mounts a Secret of its own",
    ),
    (
        "manifests/app-operator-webhook-service_v1_service.yaml",
        "only operator-sdk",
        "OLM makes the Service",
    ),
    (
        CSV,
        "/spec/install/spec/clusterPermissions/app-operator-controller-manager/rules",
        "OLM writes the certificate into the webhooks",
    ),
    (
        CSV,
        "/spec/install/spec/permissions/app-operator-controller-manager/rules",
        "nobody writes the Secret",
    ),
    (
        CSV,
        "/spec/install/spec/deployments/app-operator-controller-manager/spec/template/spec/containers/manager/args",
        "where OLM mounts the certificate",
    ),
    (
        CSV,
        "/spec/install/spec/deployments/app-operator-controller-manager/spec/template/spec/containers/manager/env/*",
        "where the certificate would be written",
    ),
];

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/olm/operator_sdk")
}

/// A project whose manifests are the recorded ones.
fn project() -> World {
    let world = World::new();
    world.rop("init --domain example.com").ok();
    world
        .rop("create api --group app --kind AppService --template minimal")
        .ok();
    for (path, text) in tree(&recorded().join("config")) {
        world.write(&format!("config/{path}"), &text);
    }
    world
}

/// The files of a bundle as values, without what says when and by what it was made.
fn bundle(folder: &Path) -> BTreeMap<String, Value> {
    let files = tree(folder).into_iter();
    let values = files.map(|(path, text)| {
        let mut value: Value = serde_yaml::from_str(&text).expect(&path);
        if let Some(metadata) = value["metadata"].as_object_mut() {
            metadata.retain(|_, value| !value.is_null());
        }
        if let Some(annotations) = value["metadata"]["annotations"].as_object_mut() {
            annotations.retain(|key, _| key != "createdAt");
        }
        (path, value)
    });
    values.collect()
}

/// By what the items of a list are known, if not by their number.
fn name(item: &Value) -> Option<String> {
    let keys = ["name", "path", "generateName", "serviceAccountName", "type"];
    let found = keys.iter().find_map(|key| item[key].as_str())?;
    let version = item["version"].as_str();
    Some(version.map_or(found.to_owned(), |version| format!("{found}@{version}")))
}

/// Adds the fields in which two values differ.
fn compare(own: &Value, other: &Value, path: &str, found: &mut Vec<String>) {
    if own == other {
        return;
    }
    let empty = Value::Null;
    match (own, other) {
        (Value::Object(own), Value::Object(other)) => {
            let keys: BTreeSet<_> = own.keys().chain(other.keys()).collect();
            for key in keys {
                let [own, other] = [own, other].map(|fields| fields.get(key).unwrap_or(&empty));
                compare(own, other, &format!("{path}/{key}"), found);
            }
        }
        (Value::Array(own), Value::Array(other))
            if own.iter().chain(other).all(|it| name(it).is_some()) =>
        {
            let names: BTreeSet<_> = own.iter().chain(other).filter_map(name).collect();
            for named in names {
                let [own, other] = [own, other].map(|items| {
                    let mut items = items.iter();
                    items
                        .find(|item| name(item).as_ref() == Some(&named))
                        .unwrap_or(&empty)
                });
                compare(own, other, &format!("{path}/{named}"), found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

/// Whether a path is as a pattern says.
fn is_like(pattern: &str, path: &str) -> bool {
    let parts = |text: &str| text.split('/').map(str::to_owned).collect::<Vec<_>>();
    let (pattern, path) = (parts(pattern), parts(path));
    pattern.len() == path.len()
        && pattern
            .iter()
            .zip(&path)
            .all(|(pattern, part)| pattern == "*" || pattern == part)
}

#[test]
fn bundles_differ_only_where_they_should() {
    let world = project();
    world
        .rop(&format!("bundle --image example.com/app:v1 {FLAGS}"))
        .ok();
    let own = bundle(&world.path().join("bundle"));
    let other = bundle(&recorded().join("bundle"));
    let paths: BTreeSet<_> = own.keys().chain(other.keys()).collect();
    let mut found = Vec::new();
    for path in paths {
        let mut fields = Vec::new();
        match (own.get(path), other.get(path)) {
            (Some(own), Some(other)) => compare(own, other, "", &mut fields),
            (Some(_), None) => fields.push("only rop".to_owned()),
            _ => fields.push("only operator-sdk".to_owned()),
        }
        found.extend(fields.into_iter().map(|field| (path.clone(), field)));
    }
    let is_known = |(path, field): &(String, String)| {
        let mut known = DIFFERENCES.iter();
        known.any(|(file, like, _)| is_like(file, path) && is_like(like, field))
    };
    let unknown: Vec<_> = found.iter().filter(|it| !is_known(it)).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    for (file, like, why) in DIFFERENCES {
        let mut found = found.iter();
        let occurs = found.any(|(path, field)| is_like(file, path) && is_like(like, field));
        assert!(occurs, "{file} {like}: {why}");
    }
}

/// Whether operator-sdk is on PATH. A line says that it is not.
fn is_there() -> bool {
    let found = Command::new("operator-sdk").arg("version").output().is_ok();
    if !found {
        say("skipped: bundles of and for operator-sdk, as it is not on PATH");
    }
    found
}

/// What operator-sdk generates from the recorded manifests.
fn generated(world: &World) -> Option<PathBuf> {
    if !is_there() {
        return None;
    }
    let files = [
        "config/default/manifests.yaml",
        "config/samples/samples.yaml",
        "config/scorecard.yaml",
    ];
    let manifests = files.map(|file| fs::read_to_string(recorded().join(file)).expect(file));
    for (path, text) in tree(&recorded().join("config/manifests")) {
        world.write(&format!("config/manifests/{path}"), &text);
    }
    let mut generate = Command::new("operator-sdk");
    generate
        .args(["generate", "bundle", "--package", "app-operator"])
        .args(FLAGS.split(' '))
        .current_dir(world.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut running = generate.spawn().expect("it starts");
    let mut input = running.stdin.take().expect("a pipe");
    input
        .write_all(manifests.join("---\n").as_bytes())
        .expect("it reads");
    drop(input);
    let output = running.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    Some(world.path().join("bundle"))
}

#[test]
fn the_recorded_bundle_is_that_of_operator_sdk() {
    let world = World::new();
    let Some(folder) = generated(&world) else {
        return;
    };
    if is_updating() {
        let recorded = recorded().join("bundle");
        let _ = fs::remove_dir_all(&recorded);
        for (path, text) in tree(&folder) {
            let path = recorded.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
    }
    assert_eq!(bundle(&folder), bundle(&recorded().join("bundle")));
}

/// No error and no warning, as of rop itself.
#[test]
fn operator_sdk_accepts_the_examples() {
    if !is_there() {
        return;
    }
    for example in examples() {
        let validate = Command::new("operator-sdk")
            .args(["bundle", "validate", "bundle", "--output", "json-alpha1"])
            .args(["--select-optional", "suite=operatorframework"])
            .current_dir(&example)
            .output()
            .expect("it starts");
        let report: Value = serde_json::from_slice(&validate.stdout).expect("JSON");
        assert_eq!(
            report,
            serde_json::json!({"passed": true, "outputs": null}),
            "{example:?}"
        );
    }
}
