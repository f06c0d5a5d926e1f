//! The same sources give the same image. A small operator stands in for a real one, for which `real`
//! shows it.

use super::digest;
use crate::support::{Outcome, World};

const CARGO_TOML: &str = r#"
[package]
name = "app-operator"
version = "0.1.0"
edition = "2024"

[profile.release]
strip = true
"#;

const LOCK: &str = r#"version = 4

[[package]]
name = "app-operator"
version = "0.1.0"
"#;

/// Rust remembers where generated code was, for the message of a panic in it.
const BUILD: &str = r#"
fn main() {
    let file = std::path::Path::new(&std::env::var("OUT_DIR").unwrap()).join("generated.rs");
    std::fs::write(file, "pub fn first(all: &[String]) -> &str { &all[1] }").unwrap();
}
"#;

const MAIN: &str = r#"
mod generated {
    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}

fn main() {
    println!("{}", generated::first(&std::env::args().collect::<Vec<_>>()));
}
"#;

fn world() -> World {
    let world = World::with_project();
    for (path, text) in [
        ("Cargo.toml", CARGO_TOML),
        ("Cargo.lock", LOCK),
        ("build.rs", BUILD),
        ("src/main.rs", MAIN),
    ] {
        world.write(path, text);
    }
    std::fs::remove_file(world.path().join("src/lib.rs")).expect("a library");
    world
}

fn build(world: &World, variables: &[(&str, &str)]) -> Outcome {
    let mut command = world.command(".");
    command.args(["build", "app", "--engine", "none", "--output", "oci:out"]);
    world.run(command.envs(variables.iter().copied())).ok()
}

/// Each world has a directory of its own, and so has what cargo builds in it.
#[test]
fn in_two_directories() {
    let (one, other) = (world(), world());
    let first = digest(&build(&one, &[]));
    assert_eq!(digest(&build(&other, &[])), first);
    let again = build(&one, &[]);
    assert_eq!(digest(&again), first);
    assert!(again.stderr.contains("building the operator"), "{again}");
    // Generated code may be somewhere else than the programs.
    let elsewhere = one.path().with_file_name("intermediate");
    let elsewhere = elsewhere.to_string_lossy();
    let built = build(&one, &[("CARGO_BUILD_BUILD_DIR", &*elsewhere)]);
    assert_eq!(digest(&built), first);
    // Another time makes another image, of the same layer.
    let later = digest(&build(&one, &[("SOURCE_DATE_EPOCH", "1")]));
    assert_ne!(later, first);
}

/// What the user tells rustc holds for the image too, and does not end in an error.
#[test]
fn with_flags_of_the_user() {
    let world = world();
    let cfg = "#[cfg(not(of_user))] compile_error!(\"the flags of the user are lost\");";
    world.write("src/main.rs", &format!("{cfg}\n{MAIN}"));
    let flag = "--cfg of_user";
    build(&world, &[("RUSTFLAGS", flag)]);
    build(&world, &[("CARGO_BUILD_RUSTFLAGS", flag)]);
    for settings in [
        "[build]\nrustflags = '--cfg of_user'\n",
        "[build]\nrustflags = ['--cfg', 'of_user']\n",
        "[target.'cfg(unix)']\nrustflags = ['--cfg', 'of_user']\n",
    ] {
        world.write(".cargo/config.toml", settings);
        build(&world, &[]);
    }
}
