//! Pushes to a real registry, read back by skopeo.

use serde_json::Value;

use super::{Quick, digest};
use crate::support::registry::{Double, Real};

/// What skopeo says of an image of a registry on this machine.
#[track_caller]
fn inspect(image: &str, flags: &[&str]) -> Option<Value> {
    super::inspect(&format!("docker://{image}"), flags)
}

/// The tutorial's line.
#[test]
fn an_image_is_pushed_and_read_back() {
    let Some(registry) = Real::start() else {
        return;
    };
    let quick = Quick::new();
    let image = format!("{}/example/app-operator", registry.host());
    let outcome = quick
        .rop(&format!(
            "build --engine none --push {image} --tag v1 --tag latest"
        ))
        .ok();
    let pushed = digest(&outcome);
    for tag in ["v1", "latest"] {
        let Some(found) = inspect(&format!("{image}:{tag}"), &[]) else {
            return;
        };
        assert_eq!(found["Digest"], *pushed);
        assert_eq!(
            found["Labels"]["org.opencontainers.image.title"],
            "app-operator"
        );
    }
    // Nothing is sent twice, and what did not change is not sent with what did.
    let again = quick
        .rop(&format!("build --engine none --push {image}"))
        .ok();
    assert_eq!(digest(&again), pushed);
    again.says("(nothing sent, 0.");
    // The layer in the image is the same that the files have.
    let config = inspect(&image, &["--config"]).expect("skopeo");
    assert_eq!(config["config"]["Entrypoint"][0], "/manager");
}

/// A base image stays below, with what it says of containers.
#[test]
fn over_a_base_image() {
    let Some(registry) = Real::start() else {
        return;
    };
    let quick = Quick::new();
    let (base, image) = (
        format!("{}/base:v1", registry.host()),
        format!("{}/app:v1", registry.host()),
    );
    let pushed = quick.rop(&format!("build --engine none --push {base} --label of=base --label org.opencontainers.image.title=x")).ok();
    let built = quick
        .rop(&format!("build --engine none --push {image} --base {base}"))
        .ok();
    let (Some(below), Some(above)) = (
        inspect(&base, &["--config"]),
        inspect(&image, &["--config"]),
    ) else {
        return;
    };
    let layers = |config: &Value| {
        config["rootfs"]["diff_ids"]
            .as_array()
            .expect("layers")
            .clone()
    };
    assert_eq!(layers(&above).len(), 2);
    assert_eq!(layers(&above)[0], layers(&below)[0]);
    let labels = &above["config"]["Labels"];
    assert_eq!(labels["of"], "base");
    assert_eq!(labels["org.opencontainers.image.title"], "app-operator");
    assert_eq!(
        labels["org.opencontainers.image.base.digest"],
        *digest(&pushed)
    );
    assert_eq!(above["history"].as_array().map(Vec::len), Some(2));
    // By its digest, too; and of one that is not there nothing is made.
    let by_digest = format!("{}/base@{}", registry.host(), digest(&pushed));
    let again = quick.rop(&format!("build --engine none --push {image} --base {by_digest} --label org.opencontainers.image.base.name={base}")).ok();
    assert_ne!(digest(&again), "", "{built}");
    let missing = format!("build a --engine none --base {}/none:v1", registry.host());
    let outcome = quick
        .rop(&missing)
        .exits(1)
        .to_string()
        .replace(&registry.host(), "[HOST]");
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error[image-not-found]: failed to pull the base image `[HOST]/none:v1`
      caused by: image not found in the registry `[HOST]`: manifest unknown
    hint: check the image's name, tag and platform
    ");
    let other = format!("build a --engine none --platform linux/arm64 --base {base}");
    quick.rop(&other).exits(1);
}

/// Debian's registry does not look for what refers to an image, so a tag leads there.
#[test]
fn a_bill_of_materials_is_found() {
    let Some(registry) = Real::start() else {
        return;
    };
    let quick = Quick::new();
    let image = format!("{}/app:v1", registry.host());
    let pushed = digest(
        &quick
            .rop(&format!("build --engine none --push {image} --sbom"))
            .ok(),
    );
    let tag = pushed.replace(':', "-");
    let Some(index) = inspect(&format!("{}/app:{tag}", registry.host()), &["--raw"]) else {
        return;
    };
    assert_eq!(
        index["manifests"][0]["artifactType"],
        "application/spdx+json"
    );
    // With another one for the same image: both are found.
    quick
        .rop(&format!("build --engine none --push {image} --sbom"))
        .ok();
    let again = inspect(&format!("{}/app:{tag}", registry.host()), &["--raw"]).expect("skopeo");
    assert_eq!(
        again["manifests"].as_array().map(Vec::len),
        Some(1),
        "it is the same"
    );
}

/// What comes last is what makes all else count.
#[test]
fn the_tag_is_last() {
    let (registry, quick) = (Double::start(), Quick::new());
    quick
        .rop(&format!(
            "build --engine none --push {}/a/b:v1",
            registry.host()
        ))
        .ok();
    assert_eq!(registry.count("PUT /v2/a/b/blobs/"), 2);
    assert_eq!(registry.tags(), ["a/b/v1"]);
    quick
        .rop(&format!(
            "build --engine none --push {}/a/b:v2",
            registry.host()
        ))
        .ok();
    assert_eq!(
        registry.count("PUT /v2/a/b/blobs/"),
        2,
        "the blobs are there"
    );
    assert_eq!(registry.tags(), ["a/b/v1", "a/b/v2"]);
    assert_eq!(
        registry.manifest("a/b", "v1"),
        registry.manifest("a/b", "v2")
    );
}
