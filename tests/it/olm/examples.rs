//! The bundles of the finished operators in `examples/`.
//!
//! `INSTA_UPDATE=always cargo test --test it -- olm::examples` brings them up to changed manifests and templates.

use std::collections::BTreeSet;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rop::project::Project;
use serde_json::Value;

use crate::examples::{examples, is_packaging, is_updating};
use crate::support::World;
use crate::support::world::tree;

/// A copy of an example, with the name of its operator.
fn copy(example: &Path) -> (World, String) {
    let world = World::new();
    for (path, text) in tree(example) {
        world.write(&path, &text);
    }
    let project = Project::parse(&world.read("PROJECT")).expect("a PROJECT of this rop");
    (world, project.project_name.to_string())
}

/// The arguments of `rop` that made the bundle of an operator.
fn command(name: &str) -> String {
    format!("bundle --image registry.example.com/{name}:v0.1.0")
}

/// Writes what `rop bundle` changes into the example.
fn update(example: &Path, world: &World, name: &str) {
    if !is_updating() {
        return;
    }
    world.rop(&format!("{} --force", command(name))).ok();
    let (made, written) = (world.tree(), tree(example));
    for (path, text) in made.iter().filter(|(path, _)| is_packaging(path)) {
        if written.get(path) != Some(text) {
            let path = example.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
    }
}

#[test]
fn each_has_a_bundle_that_is_up_to_date_and_fit_for_operatorhub() {
    let (mut icons, mut described) = (BTreeSet::new(), BTreeSet::new());
    let examples = examples();
    for example in &examples {
        let (world, name) = copy(example);
        update(example, &world, &name);
        world
            .rop(&format!("{} --check", command(&name)))
            .ok()
            .says("the bundle is up to date");
        for validators in ["suite=operatorframework", "name=operatorhubv2"] {
            let validate =
                format!("bundle validate bundle --strict --select-optional {validators}");
            world.rop(&validate).ok().says("no errors and no warnings");
        }
        let scorecard = world.rop("scorecard bundle").ok();
        scorecard.says("passes 6 tests").omits("Suggestions");
        let csv = world.read(&format!(
            "bundle/manifests/{name}.clusterserviceversion.yaml"
        ));
        let csv: Value = serde_yaml::from_str(&csv).expect("YAML");
        let icon = &csv["spec"]["icon"][0]["base64data"];
        let icon = icon.as_str().expect("an icon");
        assert_eq!(
            icon,
            BASE64_STANDARD.encode(world.read("config/manifests/icon.svg"))
        );
        assert!(csv["spec"]["provider"]["name"].is_string(), "{name}");
        icons.insert(icon.to_owned());
        described.insert(csv["spec"]["description"].to_string());
    }
    let counts = [icons.len(), described.len()];
    assert_eq!(counts, [examples.len(); 2], "each has its own");
}

/// No bundle has a file that `rop bundle` would not write: without a record of rop, none would be deleted.
#[test]
fn no_bundle_has_files_that_nothing_makes() {
    for example in examples() {
        let (world, name) = copy(&example);
        let is_generated = |path: &str| is_packaging(path) && !path.starts_with("config/");
        let before: BTreeSet<_> = world
            .tree()
            .into_keys()
            .filter(|path| is_generated(path))
            .collect();
        for path in &before {
            std::fs::remove_file(world.path().join(path)).expect("a file");
        }
        world.rop(&command(&name)).ok();
        let after: BTreeSet<_> = world
            .tree()
            .into_keys()
            .filter(|path| is_generated(path))
            .collect();
        assert_eq!(before, after, "{name}");
    }
}
