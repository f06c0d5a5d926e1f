//! Images of bundles: what is in them, and that what is pushed is the bundle.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::bundle::Bundle;
use super::catalog::{blob, json as parse};
use crate::support::registry::Real;
use crate::support::tools::tools;
use crate::support::world::tree;
use crate::support::{Outcome, World};

const IMAGE: &str = "example.com/app-operator-bundle:v1.2.0";

/// The only image of a layout: its configuration, and its layer as files with their modes.
fn image(layout: &Path) -> (Value, BTreeMap<String, (u32, Vec<u8>)>) {
    let index = parse(&fs::read(layout.join("index.json")).expect("an index"));
    let manifest = parse(&blob(layout, &index["manifests"][0]));
    let config = parse(&blob(layout, &manifest["config"]));
    assert_eq!(manifest["layers"].as_array().map(Vec::len), Some(1));
    let layer = blob(layout, &manifest["layers"][0]);
    let mut archive = tar::Archive::new(GzDecoder::new(&*layer));
    let mut files = BTreeMap::new();
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").display().to_string();
        let header = entry.header();
        assert_eq!(header.mtime().expect("a time"), 0);
        let mode = header.mode().expect("a mode");
        let mut data = Vec::new();
        std::io::copy(&mut entry, &mut data).expect("data");
        files.insert(path, (mode, data));
    }
    (config, files)
}

fn build(world: &World, flags: &str) -> Outcome {
    world.rop(&format!(
        "bundle build --image {IMAGE} --platform linux/amd64 {flags}"
    ))
}

#[test]
fn an_image_has_the_folders_and_the_annotations() {
    let world = Bundle::valid().world();
    world.write("bundle/tests/scorecard/config.yaml", "a: b\n");
    world.write("bundle/README.md", "not of the image");
    let first = build(&world, "--label a=b --output oci:one").ok();
    let second = build(&world, "--label a=b --output oci:two").ok();
    assert_eq!(first.stdout, second.stdout, "the same digest");
    let (config, files) = image(&world.path().join("one"));
    let shown: Vec<_> = files
        .iter()
        .map(|(path, (mode, _))| format!("{mode:o} {path}"))
        .collect();
    assert_eq!(
        shown,
        [
            "755 manifests/",
            "644 manifests/app-operator-metrics_v1_service.yaml",
            "644 manifests/app-operator-viewer_rbac.authorization.k8s.io_v1_clusterrole.yaml",
            "644 manifests/app-operator.clusterserviceversion.yaml",
            "644 manifests/app.example.com_appservices.yaml",
            "755 metadata/",
            "644 metadata/annotations.yaml",
            "755 tests/",
            "755 tests/scorecard/",
            "644 tests/scorecard/config.yaml",
        ]
    );
    for (path, (_, data)) in files.iter().filter(|(path, _)| !path.ends_with('/')) {
        let text = world.read(&format!("bundle/{path}"));
        assert_eq!(*data, text.into_bytes(), "{path}");
    }
    assert_eq!(
        config["config"],
        json!({"Labels": {
            "a": "b",
            "operators.operatorframework.io.bundle.channel.default.v1": "stable",
            "operators.operatorframework.io.bundle.channels.v1": "candidate,stable",
            "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
            "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
            "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
            "operators.operatorframework.io.bundle.package.v1": "app-operator",
            "org.opencontainers.image.created": "1970-01-01T00:00:00Z",
        }})
    );
    assert_eq!(
        config["history"][0]["created_by"],
        concat!("rop ", env!("CARGO_PKG_VERSION"), ": the bundle")
    );
}

/// The image that `bundle.Dockerfile` describes has the same labels.
#[test]
fn its_labels_are_those_of_the_dockerfile() {
    let world = World::with_api();
    world
        .rop("bundle --channels stable,fast --default-channel fast")
        .ok();
    build(&world, "--output oci:one").ok();
    let (config, files) = image(&world.path().join("one"));
    let dockerfile = world.read("bundle.Dockerfile");
    let labels: BTreeMap<_, _> = dockerfile
        .lines()
        .filter_map(|line| line.strip_prefix("LABEL ")?.split_once('='))
        .collect();
    assert!(labels.len() > 6, "{dockerfile}");
    for (name, value) in &labels {
        assert_eq!(config["config"]["Labels"][name], **value, "{name}");
    }
    for line in dockerfile.lines().filter(|line| line.starts_with("COPY ")) {
        let folder = line.rsplit(" /").next().expect("a folder");
        assert!(files.contains_key(folder), "{line}");
    }
    world.write(
        "bundle.Dockerfile",
        &format!("{dockerfile}LABEL com.redhat.openshift.versions=\"v4.16-v4.20\" \\\n  mine='a b' other=x\n"),
    );
    build(&world, "--output oci:two --label other=y").ok();
    let (config, _) = image(&world.path().join("two"));
    for (name, value) in [
        ("com.redhat.openshift.versions", "v4.16-v4.20"),
        ("mine", "a b"),
        ("other", "y"),
        (
            "operators.operatorframework.io.bundle.package.v1",
            "app-operator",
        ),
    ] {
        assert_eq!(config["config"]["Labels"][name], value, "{name}");
    }
    world.write("bundle.Dockerfile", &format!("{dockerfile}LABEL mine=$X\n"));
    build(&world, "--output oci:three")
        .exits(2)
        .says("the label `mine` in `bundle.Dockerfile:")
        .says("or pass `--label 'mine=VALUE'`");
    build(&world, "--output oci:three --label mine=1").ok();
}

#[test]
fn what_building_says() {
    let world = Bundle::valid().world();
    let outcome = build(&world, "").ok().to_string();
    let digest = outcome.split("sha256:").nth(1).and_then(|it| it.get(..64));
    insta::assert_snapshot!(outcome.replace(digest.expect("a digest"), "[DIGEST]"), @"
    exit: 0
    --- stdout
    example.com/app-operator-bundle@sha256:[DIGEST]
    --- stderr
        write docker-archive:[DIR]/app-operator/target/image/app-operator-bundle.tar
         done example.com/app-operator-bundle:v1.2.0 (0.0 MB, 0.0 MB unpacked)

    next:
      rop bundle build bundle --image example.com/app-operator-bundle:v1.2.0 --push
      rop catalog init app-operator
      rop catalog add bundle --image example.com/app-operator-bundle:v1.2.0
    ");
    world.rop("catalog init app-operator").ok();
    build(&world, "").ok().omits("rop catalog init");
    insta::assert_snapshot!(build(&world, "--push --dry-run").ok(), @"
    exit: 0
    --- stdout
        build example.com/app-operator-bundle:v1.2.0 without an engine
         push example.com/app-operator-bundle:v1.2.0
    --- stderr
    note: dry run: nothing was built
    ");
    let report = build(&world, "--json --output oci:one").ok();
    let report: Value = serde_json::from_str(&report.stdout).expect("JSON");
    assert_eq!(report["command"], "bundle build");
    let refused = world.rop("bundle build --image app --push").exits(2);
    refused.says("needs a registry");
}

/// An image of a bundle that OLM refuses is of no use.
#[test]
fn invalid_bundles() {
    let mut bundle = Bundle::valid();
    bundle.csv("  version: 1.2.0", "  version: v1");
    bundle.write("manifests/broken.yaml", "a: [");
    let world = bundle.world();
    insta::assert_snapshot!(build(&world, "").exits(1), @"
    exit: 1
    --- stderr
    error[csv-version]: `v1` is not a semantic version: unexpected character 'v' while parsing major version number
      --> bundle/manifests/app-operator.clusterserviceversion.yaml:28 spec.version
      hint: write for example `version: 1.0.0`
    error[malformed-yaml]: the file is not valid YAML: unclosed bracket '['
      --> bundle/manifests/broken.yaml:1
      hint: fix the line; YAML is indented with spaces, not with tabs
    error[invalid-bundle]: the bundle is invalid, so no image was built
      caused by: `bundle` has 2 errors and no warnings
    hint: fix the findings above and run the command again
    ");
    assert!(!world.path().join("target").exists());
    let world = World::new();
    build(&world, "").exits(1).says("no image was built");
}

/// A cloned project can have a link that leads out of it.
#[test]
fn a_target_directory_elsewhere() {
    let world = Bundle::valid().world();
    let outside = world.path().with_file_name("outside");
    fs::create_dir_all(&outside).expect("a folder");
    symlink(&outside, world.path().join("target")).expect("a link");
    let refused = build(&world, "").exits(1);
    refused.says("`target/image` points out of the project, to ");
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0);
    build(&world, "--output oci-archive:a.tar").ok();
    let mut command = world.command(".");
    let arguments = [
        "bundle",
        "build",
        "--platform",
        "linux/amd64",
        "--image",
        IMAGE,
    ];
    command.args(arguments).env("CARGO_TARGET_DIR", "target");
    world.run(&mut command).ok();
    assert!(outside.join("image/app-operator-bundle.tar").is_file());
}

/// Nothing of a bundle leads out of it, hangs rop or fills the disk.
#[test]
fn hostile_bundles() {
    let world = Bundle::valid().world();
    let bundle = world.path().join("bundle");
    world.write("secret.yaml", "a: b\n");
    fs::create_dir_all(bundle.join("tests")).expect("a folder");
    symlink("../../secret.yaml", bundle.join("tests/link.yaml")).expect("a link");
    let outcome = build(&world, "").exits(1);
    outcome.says("it is a link that leads out of the bundle");
    fs::remove_file(bundle.join("tests/link.yaml")).expect("a link");

    for name in ["one", "two"] {
        symlink(".", bundle.join("tests").join(name)).expect("a link");
    }
    build(&world, "").exits(1).says("failed to read `tests/");
    for name in ["one", "two"] {
        fs::remove_file(bundle.join("tests").join(name)).expect("a link");
    }
    assert!(!world.path().join("target").exists());

    // A name is shown as text, and a large file is packed.
    let name = "tests/a\n\u{1b}[2Jb";
    world.write(&format!("bundle/{name}"), &"x".repeat(2 << 20));
    build(&world, "--output oci:one").ok();
    let (_, files) = image(&world.path().join("one"));
    assert_eq!(files[name].1.len(), 2 << 20);
}

#[test]
fn what_is_pushed_is_the_bundle() {
    let (Some(registry), Some([skopeo])) = (Real::start(), tools(["skopeo"])) else {
        return;
    };
    let world = World::with_api();
    world.rop("bundle --image example.com/app:v1").ok();
    let image_name = format!("{}/app-operator-bundle:v0.1.0", registry.host());
    let push = format!("bundle build --image {image_name} --push");
    let pushed = world.rop(&push).ok();
    assert_eq!(world.rop(&push).ok().stdout, pushed.stdout);
    let copied = Command::new(skopeo)
        .args(["copy", "--src-tls-verify=false", "--quiet"])
        .arg(format!("docker://{image_name}"))
        .arg(format!("oci:{}:v1", world.path().join("pulled").display()))
        .status()
        .expect("skopeo");
    assert!(copied.success());
    let (_, files) = image(&world.path().join("pulled"));
    let read_back = World::new();
    for (path, (_, data)) in files.iter().filter(|(path, _)| !path.ends_with('/')) {
        let text = String::from_utf8(data.clone()).expect("text");
        read_back.write(&format!("bundle/{path}"), &text);
    }
    assert_eq!(
        tree(&read_back.path().join("bundle")),
        tree(&world.path().join("bundle"))
    );
    read_back.rop("bundle validate bundle").ok();
}
