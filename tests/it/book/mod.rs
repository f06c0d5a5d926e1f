//! The tutorials that operator authors know, walked through with rop: each chapter of the book is
//! run against a real API server, and leads to one of the `examples/`.

mod app_operator;
mod appservice;
mod chapter;
mod concepts;
mod cronjob;
mod enterprise;
mod operatorhub;
mod tenant;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use rop::project::Project;

use crate::examples::{is_packaging, is_updating};
use crate::support::World;
use crate::support::cargo::{ASSETS, cargo_with};
use crate::support::control_plane::assets;
use crate::support::world::tree;
use crate::whole::passes_its_own_checks;

/// How long anything may take, on a busy machine that compiles all dependencies meanwhile.
const SOON: Duration = Duration::from_mins(15);

/// A chapter led to the finished operator of this name in `examples/`, and that passes all checks of
/// its own.
#[track_caller]
fn leads_to(world: &World, name: &str) {
    is_the_example(world, name);
    passes_its_own_checks(world);
    let assets = assets().expect("a control plane runs");
    cargo_with(
        world,
        "test --locked --test cluster",
        [(ASSETS, assets.as_os_str())],
    )
    .ok();
}

/// What a chapter made is the finished operator of this name in `examples/`, and nothing else, but that
/// the operators there share one runtime. With `INSTA_UPDATE=always` in the environment, what the
/// chapter made is taken over.
#[track_caller]
fn is_the_example(world: &World, name: &str) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples")
        .join(name);
    let is_updating = is_updating();
    if is_updating {
        fs::create_dir_all(&example).expect("a folder");
    }
    // The chapter goes on with its own runtime.
    let copy = World::new();
    for (path, text) in world.tree() {
        copy.write(&path, &text);
    }
    share_runtime(&copy);
    let (mut made, mut there) = (copy.tree(), tree(&example));
    for tree in [&mut made, &mut there] {
        // What the tests of the runtime need is locked in a chapter, and not in an example.
        tree.remove("Cargo.lock");
        // The examples stand for projects of releases that recorded nothing.
        tree.retain(|path, _| !path.starts_with(".rop/"));
    }
    // A chapter of its own packages the operators: `olm::examples` checks all bundles. No tutorial makes one.
    there.retain(|path, _| !is_packaging(path));
    let paths: BTreeSet<_> = made.keys().chain(there.keys()).collect();
    let differ = paths
        .into_iter()
        .filter(|path| made.get(*path) != there.get(*path));
    let differ: Vec<_> = differ.collect();
    if !is_updating {
        assert!(differ.is_empty(), "not as in examples/{name}: {differ:#?}");
    }
    for path in differ {
        let file = example.join(path);
        match made.get(path) {
            Some(text) => {
                fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                fs::write(file, text).expect("a file");
            }
            None => fs::remove_file(file).expect("a file to remove"),
        }
    }
}

/// Has the project take the runtime of the repository, as seen from `examples/`.
fn share_runtime(world: &World) {
    let version = "version: \"3\"\n";
    let runtime = "runtime: path:../../runtime\n";
    world.replace(
        "PROJECT",
        &format!("\n{version}"),
        &format!("\n{runtime}{version}"),
    );
    let project = Project::parse(&world.read("PROJECT")).expect("PROJECT");
    let again = format!("init --domain {}", project.domain);
    world.rop(&again).ok().says("delete runtime/ (");
}
