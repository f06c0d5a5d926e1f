//! `make deploy` without a cluster: what it would apply.

use std::process::Command;

use super::{kustomize, project, the};
use crate::support::World;

/// Puts together what `make deploy` applies, and gives the image in it.
#[track_caller]
fn image(world: &World, arguments: &[&str]) -> Option<String> {
    let base = kustomize(world, "config/default")?;
    let tree = world.tree();
    let mut make = Command::new("make");
    let kubectl = crate::support::kubectl()?;
    make.current_dir(world.path())
        .args(["--no-print-directory", "overlay"])
        .arg(format!("KUBECTL={}", kubectl.display()))
        .args(arguments);
    world.run(&mut make).ok();
    assert_eq!(world.tree(), tree, "it edits nothing");
    let mut objects = kustomize(world, "target/deploy")?;
    let deployment = objects.iter_mut().find(|o| o["kind"] == "Deployment");
    let image = &mut deployment?["spec"]["template"]["spec"]["containers"][0]["image"];
    let found = image.as_str()?.to_owned();
    *image = the(&base, "Deployment")["spec"]["template"]["spec"]["containers"][0]["image"].clone();
    assert_eq!(objects, base, "nothing but the image differs");
    Some(found)
}

#[test]
fn the_image_is_the_one_asked_for() {
    let world = project(false, 1);
    for wanted in [
        "example.com/app-operator:v0.1.0",
        "localhost:5000/a/b:v1",
        "localhost:5000/a/b",
        "app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ] {
        let Some(image) = image(&world, &[&format!("IMG={wanted}")]) else {
            return;
        };
        assert_eq!(image, wanted);
    }
}

/// Where none is asked for, it is the one of `config/manager`, which others deploy too.
#[test]
fn the_image_of_the_tree_is_the_default() {
    let world = project(true, 0);
    let Some(default) = image(&world, &[]) else {
        return;
    };
    assert_eq!(default, "app-operator:latest");
    let path = "config/manager/kustomization.yaml";
    world.replace(path, "newName: app-operator", "newName: example.com/ours");
    world.replace(path, "newTag: latest", "newTag: v2");
    assert_eq!(image(&world, &[]).as_deref(), Some("example.com/ours:v2"));
}
