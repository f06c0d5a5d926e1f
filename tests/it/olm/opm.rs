//! What opm makes of the same bundles, if it is on PATH: images in a registry of this machine, and directories.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Deserializer, Value};

use super::bundle::Bundle;
use super::generated::with_everything;
use crate::support::World;
use crate::support::registry::Real;
use crate::support::say::say;

/// Whether opm is on PATH. A line says that it is not.
fn is_there() -> bool {
    let found = Command::new("opm").arg("version").output().is_ok();
    if !found {
        say("skipped: what opm makes of bundles, as opm is not on PATH");
    }
    found
}

/// The blobs that opm prints.
fn opm(world: &World, arguments: &str) -> Vec<Value> {
    let mut opm = world.program("opm", ".");
    opm.args(arguments.split(' '));
    let outcome = world.run(&mut opm).ok();
    let blobs = Deserializer::from_str(&outcome.stdout).into_iter();
    blobs.collect::<Result<_, _>>().expect("JSON")
}

fn of_schema(blobs: &[Value], schema: &str) -> Vec<Value> {
    let blobs = blobs.iter().filter(|blob| blob["schema"] == schema);
    let mut blobs: Vec<_> = blobs.cloned().collect();
    blobs.sort_by_key(|blob| blob["name"].to_string());
    blobs
}

/// The bundles that `rop catalog add` wrote.
fn added(world: &World, image: Option<&str>) -> Vec<Value> {
    let image = image.map(|image| format!(" --image {image}"));
    world.rop("catalog init app-operator").ok();
    let add = format!("catalog add bundle{}", image.unwrap_or_default());
    world.rop(&add).ok();
    of_schema(&opm(world, "render catalog"), "olm.bundle")
}

fn worlds() -> Vec<World> {
    let project = with_everything();
    project.rop("bundle --image example.com/app:v1").ok();
    let mut other = Bundle::valid();
    other.write(
        "metadata/dependencies.yaml",
        "dependencies:\n- {type: olm.package, value: {packageName: db, version: '>=1.0.0'}}\n",
    );
    other.write(
        "metadata/properties.yaml",
        "properties:\n- {type: example.com/x, value: {b: 1, a: 2}}\n",
    );
    vec![project, other.world(), Bundle::valid().world()]
}

#[test]
fn an_image_is_rendered_as_its_directory_is_added() {
    if !is_there() {
        return;
    }
    let Some(registry) = Real::start() else {
        return;
    };
    for (number, world) in worlds().into_iter().enumerate() {
        let image = format!("{}/bundle:v{number}", registry.host());
        world
            .rop(&format!("bundle build --image {image} --push"))
            .ok();
        let rendered = opm(&world, &format!("render {image} --use-http --migrate"));
        assert_eq!(rendered, added(&world, Some(&image)), "{number}");
        assert_eq!(rendered.len(), 1);
    }
}

#[test]
fn a_directory_is_rendered_as_it_is_added() {
    if !is_there() {
        return;
    }
    for world in worlds() {
        assert_eq!(opm(&world, "render bundle"), added(&world, None));
    }
}

/// The channels of opm's semver template, and those of `rop catalog add --semver`. Older releases of opm, such as
/// 1.59, link the entries of a channel alone, and a head skips only the patches of its own minor version. rop does as
/// the current ones: an upgrade from one minor channel to the next must not need a stop.
#[test]
fn channels_of_a_semver_template() {
    if !is_there() {
        return;
    }
    let Some(registry) = Real::start() else {
        return;
    };
    let mut help = Command::new("opm");
    let help = help
        .args(["alpha", "render-template", "--help"])
        .output()
        .expect("opm")
        .stdout;
    // The releases with this template link channels as rop does.
    let is_current = String::from_utf8_lossy(&help).contains("substitutes");
    let bundles = pushed(&VERSIONS, &registry);
    for (stream, generated) in [
        ("minor", "generateMinorChannels: true\n"),
        ("major", "generateMajorChannels: true\n"),
        (
            "both",
            "generateMajorChannels: true\ngenerateMinorChannels: true\n",
        ),
    ] {
        let world = World::new();
        world.rop("catalog init app-operator").ok();
        for version in VERSIONS {
            let tiers = TIERS
                .iter()
                .filter(|(_, of_tier)| of_tier.contains(&version));
            let tiers: Vec<_> = tiers.map(|(tier, _)| *tier).collect();
            let mut add = world.command(".");
            add.args(["catalog", "add", "--image", &image(&registry, version)])
                .args([
                    &format!("--semver={stream}"),
                    "--channels",
                    &tiers.join(","),
                ])
                .arg(bundles.path().join(version));
            world.run(&mut add).ok();
        }
        let tier = |(tier, versions): &(&str, &[&str])| {
            let images = versions.iter().map(|version| image(&registry, version));
            let images: Vec<_> = images
                .map(|image| format!("  - image: {image}\n"))
                .collect();
            format!("{tier}:\n  bundles:\n{}", images.concat())
        };
        let template = TIERS.iter().map(tier).collect::<Vec<_>>().concat();
        world.write(
            "template.yaml",
            &format!("schema: olm.semver\n{generated}{template}"),
        );
        let rendered = opm(
            &world,
            "alpha render-template semver template.yaml --use-http --migrate-level bundle-object-to-csv-metadata",
        );
        let catalog = opm(&world, "render catalog");
        for schema in ["olm.package", "olm.bundle"] {
            let [rendered, catalog] = [&rendered, &catalog].map(|it| of_schema(it, schema));
            assert_eq!(rendered, catalog, "{stream}");
        }
        let [rendered, catalog] = [&rendered, &catalog].map(|it| of_schema(it, "olm.channel"));
        if is_current {
            assert_eq!(rendered, catalog, "{stream}");
        } else {
            assert_eq!(without_edges(&rendered), without_edges(&catalog));
            let (rendered, catalog) = (edges(&rendered), edges(&catalog));
            let lost: Vec<_> = rendered.difference(&catalog).collect();
            assert!(lost.is_empty(), "{stream}: {lost:?}");
        }
    }
}

/// All are candidates, and some are stable.
const TIERS: [(&str, &[&str]); 2] = [
    ("candidate", &VERSIONS),
    ("stable", &["1.0.1", "1.1.0", "1.1.2", "1.2.0", "2.0.0"]),
];

const VERSIONS: [&str; 7] = [
    "1.0.0", "1.0.1", "1.1.0", "1.1.2", "1.2.0", "2.0.0", "2.1.0",
];

fn image(registry: &Real, version: &str) -> String {
    format!("{}/bundle:v{version}", registry.host())
}

/// A bundle for each version, in a directory and in the registry.
fn pushed(versions: &[&str], registry: &Real) -> World {
    let world = World::new();
    for version in versions {
        let mut bundle = Bundle::valid();
        let name = format!("name: app-operator.v{version}");
        bundle.csv("name: app-operator.v1.2.0", &name);
        bundle.csv("  version: 1.2.0", &format!("  version: {version}"));
        for (path, text) in &bundle.files {
            world.write(&format!("{version}/{path}"), text);
        }
        let image = image(registry, version);
        let push = format!("bundle build {version} --image {image} --push");
        world.rop(&push).ok();
    }
    world
}

/// The channels without what their entries replace and skip.
fn without_edges(channels: &[Value]) -> Vec<Value> {
    let mut channels = channels.to_vec();
    for channel in &mut channels {
        for entry in channel["entries"].as_array_mut().expect("entries") {
            *entry = entry["name"].take();
        }
    }
    channels
}

/// All that entries replace and skip.
fn edges(channels: &[Value]) -> BTreeSet<String> {
    let entries = channels.iter().flat_map(|channel| {
        let entries = channel["entries"].as_array().expect("entries").iter();
        entries.map(|entry| (&channel["name"], entry))
    });
    let edges = entries.flat_map(|(channel, entry)| {
        let skips = entry["skips"].as_array().into_iter().flatten();
        let all = skips.map(|it| ("skips", it));
        let replaces = entry.get("replaces").map(|it| ("replaces", it));
        let edge =
            move |(how, it): (&str, &Value)| format!("{channel}: {} {how} {it}", entry["name"]);
        all.chain(replaces).map(edge)
    });
    edges.collect()
}
