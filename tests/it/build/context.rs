//! What the Dockerfile of a project builds from: all that cargo builds from. `real` builds it.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::World;

/// Gives a project another member of the workspace, whose build script and `include_str!` read files, and settings
/// of cargo.
pub(super) fn add_inputs(world: &World) {
    world.replace(
        "Cargo.toml",
        "members = [\"api\"",
        "members = [\"api\", \"crates/extra\"",
    );
    world.replace(
        "Cargo.toml",
        "anyhow = ",
        "extra = { path = \"crates/extra\" }\nanyhow = ",
    );
    world.write(
        "crates/extra/Cargo.toml",
        "[package]\nname = \"extra\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
    );
    world.write(
        "crates/extra/build.rs",
        "fn main() {\n    println!(\"cargo::rustc-env=WORD={}\", include_str!(\"word.txt\").trim());\n}\n",
    );
    world.write("crates/extra/word.txt", "word\n");
    world.write(
        "crates/extra/src/lib.rs",
        "pub const WORDS: [&str; 2] = [env!(\"WORD\"), include_str!(\"../../../assets/other.txt\")];\n",
    );
    world.write("assets/other.txt", "other\n");
    world.write(".cargo/config.toml", "[env]\nSETTING = \"set\"\n");
    let main = world.read("src/main.rs");
    let constants = "const _: [&str; 2] = extra::WORDS;\nconst _: &str = env!(\"SETTING\");\n";
    world.write("src/main.rs", &format!("{main}\n{constants}"));
    let mut cargo = world.program("cargo", ".");
    world
        .run(cargo.args(["update", "--workspace", "--offline", "--quiet"]))
        .ok();
}

/// The command of the stage whose files the layer of the dependencies is built from.
fn command(dockerfile: &str) -> &str {
    let (_, stage) = dockerfile.split_once(" AS manifests\n").expect("a stage");
    let (_, run) = stage.split_once("\nRUN ").expect("a command");
    run.split_once("\n\n").expect("an end").0
}

#[test]
fn the_layer_of_dependencies_has_all_manifests() {
    let world = World::with_api();
    add_inputs(&world);
    world.write("rust-toolchain.toml", "[toolchain]\nchannel = \"stable\"\n");
    let copy = world.copy();
    let mut sh = copy.program("sh", ".");
    copy.run(sh.args(["-ec", command(&world.read("Dockerfile"))]))
        .ok();
    let (before, after) = (world.tree(), copy.tree());
    for (path, text) in &before {
        let is_kept = path.starts_with("runtime/")
            || path.contains("Cargo.")
            || path.contains(".cargo/")
            || path == "rust-toolchain.toml";
        let expected = if is_kept {
            Some(&**text)
        } else {
            path.ends_with(".rs")
                .then_some("#![allow(dead_code)] fn main() { }\n")
        };
        assert_eq!(after.get(path).map(|text| &**text), expected, "{path}");
    }
    assert_eq!(packages(&copy), packages(&world));
}

/// Name and targets of each package, as cargo finds them.
fn packages(world: &World) -> BTreeSet<String> {
    let mut cargo = world.program("cargo", ".");
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version=1"];
    let metadata = world.run(cargo.args(arguments)).ok().stdout;
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages").iter();
    packages
        .flat_map(|package| package["targets"].as_array().expect("targets"))
        .map(|target| format!("{} {}", target["name"], target["kind"]))
        .collect()
}

/// What is left out of the context is no part of a build.
#[test]
fn the_context_is_the_project() {
    let world = World::with_api();
    let ignored = world.read(".dockerignore");
    let patterns: Vec<&str> = ignored
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert!(
        !patterns
            .iter()
            .any(|pattern| *pattern == "*" || pattern.starts_with('!'))
    );
    for path in world.tree().into_keys() {
        let is_input = ["Cargo.", "api/", "config/", "runtime/", "src/"]
            .iter()
            .any(|start| path.starts_with(start));
        let is_ignored = patterns.iter().any(|pattern| path.starts_with(pattern));
        assert!(!(is_input && is_ignored), "{path}");
    }
    assert!(patterns.contains(&"target") && patterns.contains(&".git"));
}
