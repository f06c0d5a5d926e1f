//! Files that the user moved or deleted.

use std::fs;

use super::INIT;
use crate::support::World;

const CONTROLLER: &str = "src/controller/foo";
const MOVED_CONTROLLER: &str = "src/controller/app/foo";
const MARKED: &str = "<<<<<<< ours\n// A.\n=======\n// B.\n>>>>>>> theirs\n";

fn made() -> World {
    let world = World::new();
    for command in [
        INIT,
        "create api --group app --kind Foo --finalizer",
        "create webhook --group app --kind Foo --validation",
    ] {
        world.rop(command).ok();
    }
    world
}

/// Moves a file, which the user also edits.
fn move_file(world: &World, from: &str, to: &str) {
    world.write(to, &format!("{}// Ours.\n", world.read(from)));
    fs::remove_file(world.path().join(from)).expect("a file");
}

/// The sources that are a file of the project.
fn sources(world: &World) -> Vec<String> {
    let tree = world.tree().into_keys();
    let is_source =
        |path: &String| path.starts_with("src/controller/") || path.starts_with("src/webhook/");
    tree.filter(is_source).collect()
}

/// As those of `rop update`: rustc takes no module from two files.
#[test]
fn another_layout_brings_no_file_back() {
    let world = made();
    let moves = [
        ("src/webhook/foo/validate", "src/webhook/app/foo/validate"),
        (
            "src/controller/foo/resources",
            "src/controller/app/foo/resources",
        ),
    ];
    for (module, _) in moves {
        move_file(&world, &format!("{module}.rs"), &format!("{module}/mod.rs"));
    }
    move_file(&world, "src/controller/foo/cleanup.rs", "src/goodbye.rs");
    fs::remove_file(world.path().join(CONTROLLER).join("status.rs")).expect("a file");
    let before = sources(&world);
    let settings = "--multigroup --domain other.org --project-name web";
    world.rop(&format!("edit {settings}")).ok();
    for (_, module) in moves {
        let text = world.read(&format!("{module}/mod.rs"));
        assert!(text.ends_with("// Ours.\n"), "{text}");
        assert!(!world.path().join(format!("{module}.rs")).exists());
    }
    let text = world.read("src/goodbye.rs");
    assert!(
        text.contains("groups=app.other.org,") && text.ends_with("// Ours.\n"),
        "{text}"
    );
    let webhook = world.read("src/webhook/app/foo/validate/mod.rs");
    assert!(
        webhook.contains("path=/validate-app-other-org-v1alpha1-foo,"),
        "{webhook}"
    );
    let expected: Vec<_> = before
        .iter()
        .map(|path| {
            path.replace(CONTROLLER, MOVED_CONTROLLER)
                .replace("webhook/foo", "webhook/app/foo")
        })
        .collect();
    assert_eq!(sources(&world), expected);
    for command in ["generate project", "update", &format!("edit {settings}")] {
        world.rop(command).did_nothing();
    }
    world
        .rop("edit --multigroup=false --domain example.com --project-name op")
        .ok();
    assert_eq!(sources(&world), before);
}

/// A module can be at two paths.
#[test]
fn a_module_at_its_other_path_moves_with_the_layout() {
    let world = made();
    move_file(&world, "src/controller/foo/mod.rs", "src/controller/foo.rs");
    move_file(&world, "tests/cluster/foo.rs", "tests/cluster/foo/mod.rs");
    world.rop("edit --multigroup").ok();
    for (path, twin) in [
        ("src/controller/app/foo.rs", "src/controller/app/foo/mod.rs"),
        ("tests/cluster/app/foo/mod.rs", "tests/cluster/app/foo.rs"),
    ] {
        assert!(world.read(path).ends_with("// Ours.\n"), "{path}");
        assert!(!world.path().join(twin).exists(), "{twin}");
    }
    world.rop("generate project").did_nothing();
}

/// The API server would call a webhook that no operator serves.
#[test]
fn a_moved_file_of_what_is_deleted_goes() {
    const MOVED: &str = "src/webhook/foo/validate/mod.rs";
    let world = made();
    let text = world.read("src/webhook/foo/validate.rs");
    move_file(&world, "src/webhook/foo/validate.rs", MOVED);
    let delete = "delete webhook --group app --kind Foo --validation";
    let outcome = world.rop(delete).exits(1);
    outcome.says(&format!("{MOVED} would be deleted, but you edited it"));
    world.write(MOVED, &text);
    world.rop(delete).ok();
    assert!(!world.path().join(MOVED).exists());
    assert!(!format!("{:?}", world.tree()).contains("validate-app-example-com"));
}

#[test]
fn moved_files_are_not_restored() {
    let world = made();
    move_file(&world, "src/state.rs", "src/state/mod.rs");
    move_file(&world, "AGENTS.md", "docs/AGENTS.md");
    fs::remove_file(world.path().join("deny.toml")).expect("a file");
    world.rop("generate project --restore").ok();
    assert!(world.path().join("deny.toml").exists());
    for path in ["src/state.rs", "AGENTS.md"] {
        assert!(!world.path().join(path).exists(), "{path}");
    }
    world.rop("generate project --restore").did_nothing();
}

/// Other than names change in these.
#[test]
fn moved_files_follow_each_command() {
    let world = made();
    let (from, to) = ("src/lib.rs", "src/library.rs");
    let text = world.read(from);
    move_file(&world, from, to);
    world.rop("edit --license apache2 --owner Me").ok();
    let licensed = world.read(to);
    assert!(
        licensed.starts_with("// SPDX-FileCopyrightText: Me\n"),
        "{licensed}"
    );
    world.rop("edit --license none").ok();
    assert_eq!(world.read(to), format!("{text}// Ours.\n"));
    assert!(!world.path().join(from).exists());

    let world = World::new();
    world.rop(INIT).ok();
    fs::create_dir(world.path().join("docs")).expect("a folder");
    let places = ["README.md", "docs/README.md"].map(|path| world.path().join(path));
    fs::rename(&places[0], &places[1]).expect("a file");
    world
        .rop("add api --api-version app.other.org/v1 --kind Foo")
        .ok();
    let readme = world.read("docs/README.md");
    assert!(readme.contains("API groups is `other.org`"), "{readme}");
}

#[test]
fn a_file_with_merge_conflicts_does_not_move() {
    for path in ["src/controller/foo/status.rs", "src/controller/foo/mine.rs"] {
        let world = made();
        let text = fs::read_to_string(world.path().join(path)).unwrap_or_default();
        world.write(path, &(text + MARKED));
        let before = world.tree();
        let says = format!("{path} has merge conflicts: resolve them and run the command again");
        world.rop("edit --multigroup").exits(1).says(&says);
        assert_eq!(world.tree(), before);
    }
}
