//! Files of rop's that rustfmt wrote in another way, and what stands above them.

mod projects;
mod widths;

use crate::support::World;

/// Options of rustfmt that change more than blanks and commas.
const OPTIONS: [&str; 2] = [
    "max_width = 80\nhard_tabs = true\n",
    "max_width = 60\nstyle_edition = \"2015\"\nuse_small_heuristics = \"Off\"\nmatch_arm_leading_pipes = \"Always\"\n",
];

#[test]
fn a_formatted_project_is_not_edited() {
    for options in OPTIONS {
        let world = World::with_api();
        world
            .rop("create webhook --group app --kind AppService --validation")
            .ok();
        world.write("rustfmt.toml", options);
        let library = world.read("runtime/src/lib.rs");
        let tree = world.tree();
        let mut fmt = world.program("cargo", ".");
        world.run(fmt.args(["fmt", "--all"])).ok();
        assert_ne!(world.tree(), tree);
        assert_eq!(world.read("runtime/src/lib.rs"), library);
        world
            .rop("generate project")
            .ok()
            .says("everything is up to date");
        world.rop("create api --group app --kind Store").ok();
        world
            .rop("generate project")
            .ok()
            .says("everything is up to date");
    }
}

/// What is the user's from the start follows until somebody edits it, and formatting is no edit.
#[test]
fn a_formatted_file_follows() {
    let world = World::with_api();
    world.write("rustfmt.toml", "tab_spaces = 2\n");
    let mut fmt = world.program("cargo", ".");
    world.run(fmt.args(["fmt", "--all"])).ok();
    let license = "// Copyright 2026 Example\n\n";
    let library = world.read("src/lib.rs");
    world.write("src/lib.rs", &format!("{license}{library}"));
    let create = "create webhook --group app --kind AppService --validation";
    let outcome = world.rop(create).ok();
    assert!(!outcome.stderr.contains("left to you"), "{outcome}");
    let made = world.read("src/lib.rs");
    assert!(made.starts_with(license), "{made}");
    let other = World::with_api();
    other.rop(create).ok();
    assert_eq!(made, format!("{license}{}", other.read("src/lib.rs")));
    // An edit is one, however small.
    let other = World::with_api();
    other.replace(
        "src/lib.rs",
        "    controller::",
        "    // Ours.\n    controller::",
    );
    other.rop(create).ok().says("you edited `src/lib.rs`");
}

/// A license stays where it is when the file below it is written again.
#[test]
fn a_license_stays() {
    let world = World::with_api();
    let files = [
        "src/controller/mod.rs",
        "config/rbac/role.yaml",
        "runtime/src/lib.rs",
    ];
    let license = |path: &str| {
        if path.ends_with(".rs") {
            "// Copyright 2026 Example\n// SPDX-License-Identifier: MIT\n\n"
        } else {
            "# Copyright 2026 Example\n\n"
        }
    };
    for path in files {
        let text = world.read(path);
        world.write(path, &format!("{}{text}", license(path)));
    }
    let before = files.map(|path| world.read(path));
    world
        .rop("generate project")
        .ok()
        .says("everything is up to date");
    world.rop("create api --group app --kind Store").ok();
    for (path, before) in files.iter().zip(before) {
        let text = world.read(path);
        assert!(text.starts_with(license(path)), "{path}: {text}");
        assert_eq!(text == before, path.starts_with("runtime"), "{path}");
    }
    world
        .rop("generate project")
        .ok()
        .says("everything is up to date");
    world.replace("src/controller/mod.rs", "pub mod store", "mod store");
    let refused = world.rop("create api --group app --kind Other").exits(1);
    assert!(refused.stderr.contains("edited by hand"), "{refused}");
}

/// A further version starts as a copy of another one, and its lines are longer or shorter.
#[test]
fn a_further_version_is_formatted() {
    let world = World::with_project();
    for length in (16..58).step_by(6) {
        let kind = format!("A{}", "b".repeat(length - 1));
        for version in ["v1", "v2alpha1"] {
            let create =
                format!("create api --group baaaaaaaaaaz --kind {kind} --version {version}");
            world.rop(&create).ok();
        }
    }
    let mut fmt = world.program("cargo", ".");
    world.run(fmt.args(["fmt", "--check"])).ok();
}
