//! `generate installer`: one file that is all.

use std::path::Path;

use super::{command, image, rop};
use crate::support::control_plane::ControlPlane;
use crate::support::{Outcome, World, kubectl};

const FILE: &str = "dist/install.yaml";

/// No cluster takes part.
fn generate(world: &World, arguments: &str) -> Outcome {
    let arguments = format!("generate installer {arguments}");
    world.run(&mut command(world, Path::new("/nonexistent"), &arguments))
}

#[test]
fn the_same_project_makes_the_same_file() {
    if kubectl().is_none() {
        return;
    }
    let (world, other) = (World::with_api(), World::with_api());
    insta::assert_snapshot!(generate(&world, "--image example.com/a:v1").ok(), @"
    exit: 0
    --- stderr
       create dist/install.yaml
    ");
    generate(&world, "--image example.com/a:v1").did_nothing();
    generate(&other, "--image example.com/a:v1").ok();
    assert_eq!(world.read(FILE), other.read(FILE));
    let text = world.read(FILE);
    assert_eq!(text.matches("image: example.com/a:v1").count(), 1);
    assert!(!text.contains("app-operator:latest"));

    generate(&world, "").ok().says("update dist/install.yaml");
    assert!(world.read(FILE).contains("image: app-operator:latest"));
    world.replace(FILE, "replicas: 1", "replicas: 2");
    generate(&world, "").exits(1).says("was edited");
    generate(&world, "--force --namespace elsewhere").ok();
    assert!(!world.read(FILE).contains("app-operator-system"));
}

/// It is what `deploy` applies: after it nothing is left to do.
#[test]
fn a_cluster_takes_it() {
    let Some(plane) = ControlPlane::start() else {
        return;
    };
    let world = World::with_api();
    generate(&world, "--image example.com/a:v1").ok();
    let file = world.path().join(FILE);
    let output = plane.kubectl(&["apply", "--server-side", "-f", &file.to_string_lossy()]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    assert_eq!(image(&plane), "example.com/a:v1");
    let planned = rop(&world, &plane, "deploy --image example.com/a:v1 --dry-run").ok();
    assert_eq!(planned.stdout, "");
}
