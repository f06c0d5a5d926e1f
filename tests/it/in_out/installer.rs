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

/// For the job that sees whether the file of a release was made anew.
#[test]
fn a_check_writes_nothing() {
    if kubectl().is_none() {
        return;
    }
    let world = World::with_api();
    let missing = generate(&world, "--check").exits(3);
    assert!(missing.stdout.contains("+kind: Namespace"), "{missing}");
    assert!(!world.path().join(FILE).exists());
    generate(&world, "--image example.com/a:v1").ok();
    let made = world.read(FILE);
    insta::assert_snapshot!(generate(&world, "--image example.com/a:v1 --check").ok(), @"
    exit: 0
    --- stderr
         done dist/install.yaml is up to date
    ");
    let other = generate(&world, "--image example.com/a:v2 --check").exits(3);
    for line in [
        "-        image: example.com/a:v1\n",
        "+        image: example.com/a:v2\n",
    ] {
        assert!(other.stdout.contains(line), "{other}");
    }
    insta::assert_snapshot!(other.stderr, @"
    error[drift]: the installer is out of date: dist/install.yaml
    hint: run `rop generate installer` with the same flags and commit the result
    ");
    world.replace("config/manager/manager.yaml", "replicas: 1", "replicas: 2");
    generate(&world, "--image example.com/a:v1 --check").exits(3);
    assert_eq!(world.read(FILE), made);
}

/// It is what `deploy` applies: after it nothing is left to do.
#[test]
fn a_cluster_takes_it() {
    let Some(plane) = ControlPlane::new() else {
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
