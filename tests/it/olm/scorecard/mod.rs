//! `rop scorecard`: the built-in tests on a bundle with one flaw each, the forms of output, and tests in a cluster.

mod cluster;
mod flaws;
mod hostile;
mod output;

use crate::support::World;

use super::bundle::Bundle;

const CONFIG: &str = "tests/scorecard/config.yaml";

/// The configuration that rop generates.
const GENERATED: &str =
    include_str!("../../../../templates/bundle/tests/scorecard/config.yaml.seeded");

/// A valid bundle with a configuration.
fn bundle() -> Bundle {
    let mut bundle = Bundle::valid();
    bundle.write(CONFIG, GENERATED);
    bundle
}

/// A configuration with two built-in tests, and one between them that needs a cluster.
const MIXED: &str = "\
apiVersion: scorecard.operatorframework.io/v1alpha3
kind: Configuration
metadata:
  name: config
stages:
- tests:
  - image: mirror.test:5000/scorecard-test:v1
    entrypoint: [scorecard-test, basic-check-spec]
    labels: {suite: basic, test: spec}
- parallel: true
  tests:
  - image: example.test/custom:v1
    entrypoint: [custom, one]
    labels: {suite: custom, test: one}
  - image: mirror.test:5000/scorecard-test:v1
    entrypoint: [scorecard-test, olm-spec-descriptors]
    labels: {suite: olm, test: descriptors}
";

fn mixed() -> World {
    let mut bundle = bundle();
    bundle.write(CONFIG, MIXED);
    bundle.world()
}

/// A bundle that rop generates passes everything, and its tests suggest nothing.
#[test]
fn a_generated_bundle_passes() {
    let world = super::generated::with_everything();
    world.rop("bundle --image example.com/app:v1").ok();
    for outcome in [
        world.rop("scorecard -o json").ok(),
        world.rop_in("src", &["scorecard", "-o", "json"]).ok(),
        world.rop("scorecard bundle -o json").ok(),
    ] {
        assert_eq!(
            outcome.stdout.matches("\"state\": \"pass\"").count(),
            6,
            "{outcome}"
        );
        assert!(!outcome.stdout.contains("suggestions"), "{outcome}");
        outcome.says("passes 6 tests");
    }
}

#[test]
fn the_bundle_is_found_without_a_project() {
    let world = bundle().world();
    world.rop("scorecard").ok().says("`bundle` passes 6 tests");
    world
        .rop_in("bundle", &["scorecard"])
        .ok()
        .says("`.` passes 6 tests");
    world
        .rop("scorecard nothing")
        .exits(1)
        .says("error[unreadable-file]: no bundle in `nothing`: the directory does not exist")
        .says("images are not pulled");
}

#[test]
fn the_configuration_is_found_by_the_annotation() {
    let mut bundle = bundle();
    bundle.remove(CONFIG);
    bundle.write("checks/a/config.yaml", MIXED);
    let prefix = "  operators.operatorframework.io.test";
    let annotation = |bundle: &mut Bundle, lines: &str| {
        bundle.annotation("annotations:\n", &format!("annotations:\n{lines}"));
    };
    let media_type = format!("{prefix}.mediatype.v1: scorecard+v1\n");
    annotation(
        &mut bundle,
        &format!("{media_type}{prefix}.config.v1: ./checks/a/\n"),
    );
    bundle.world().rop("scorecard").ok().says("passes 2 tests");
    // Without the media type, the annotation is of something else.
    bundle.annotation(&media_type, "");
    bundle
        .world()
        .rop("scorecard")
        .exits(1)
        .says("bundle/tests/scorecard/config.yaml");
    let world = bundle.world();
    world
        .rop("scorecard -c bundle/checks/a/config.yaml")
        .ok()
        .says("passes 2 tests");
    bundle.annotation("annotations:\n", &format!("annotations:\n{media_type}"));
    bundle.annotation("./checks/a/", "../checks");
    bundle
        .world()
        .rop("scorecard")
        .exits(1)
        .says("bundle/metadata/annotations.yaml:3: `operators.operatorframework.io.test.config.v1` is not a folder")
        .says("write for example `tests/scorecard/`");
}

#[test]
fn tests_are_selected_by_labels() {
    let world = bundle().world();
    for (selector, count) in [
        ("suite=basic", 1),
        ("suite!=basic", 5),
        (
            "test in (olm-spec-descriptors-test, basic-check-spec-test)",
            2,
        ),
        ("suite,!other", 6),
        ("", 6),
    ] {
        let outcome = world
            .rop_in(".", &["scorecard", "-o", "json", "-l", selector])
            .ok();
        assert_eq!(
            outcome.stdout.matches("\"kind\": \"Test\"").count(),
            count,
            "{selector}"
        );
    }
    for (selector, message) in [
        ("suite=none", "no test matches `suite=none`"),
        ("suite=", "invalid selector `suite=`"),
        ("suite in x", "invalid selector `suite in x`"),
    ] {
        world
            .rop_in(".", &["scorecard", "-l", selector])
            .exits(2)
            .says(message)
            .says("hint: ");
    }
}

/// A test that needs a cluster is named, and what did not run did not pass.
#[test]
fn tests_of_other_images_are_not_run() {
    let world = mixed();
    let outcome = world.rop("scorecard").ok();
    outcome
        .says("Not run: it needs a cluster: `--cluster` runs it there")
        .says("note: the test `one` did not run: it needs a cluster: `--cluster` runs it there")
        .says("`bundle` passes 2 tests");
    world
        .rop("scorecard -l suite=custom")
        .exits(1)
        .says("error[scorecard-failed]: no test ran on `bundle`")
        .says("`--cluster`");
    world
        .rop("scorecard -n a -w 60s -x -s b -t out")
        .ok()
        .says("note: --namespace has no effect without `--cluster`")
        .says("note: --wait-time has no effect without `--cluster`")
        .says("note: --skip-cleanup has no effect without `--cluster`")
        .says("note: --service-account has no effect without `--cluster`")
        .says("note: --test-output has no effect");
    // No kubectl is looked for.
    let mut command = world.command(".");
    command
        .args(["scorecard", "--cluster", "-l", "suite!=custom"])
        .env("KUBECTL", "/nothing");
    world.run(&mut command).ok();
    let mut command = world.command(".");
    command
        .args(["scorecard", "--cluster", "--dry-run"])
        .env("KUBECTL", "/nothing");
    world.run(&mut command).ok().says("without `--dry-run`");
}
