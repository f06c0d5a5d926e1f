//! A journal can come with a clone or a copy: rop uses the one that it wrote itself, and no other.

use std::fs::{File, FileTimes, Metadata};
use std::os::unix::fs::{MetadataExt, symlink};

use rop::plan::Step;
use serde_json::json;

use super::{PENDING, killed_at, project};
use crate::support::{Outcome, World};

/// Any command refuses, with and without `--dry-run`, and neither changes anything.
#[track_caller]
fn refused(world: &World) -> Outcome {
    let before = world.tree();
    let outcomes = ["", " --dry-run", " --dry-run --json"].map(|flags| {
        let outcome = world.rop(&format!("create api --group app --kind Other{flags}"));
        outcome.exits(1)
    });
    assert_eq!(world.tree(), before);
    let [outcome, ..] = outcomes;
    outcome
}

#[test]
fn a_copied_project_is_not_healed_and_heals_no_other() {
    let original = killed_at(Step::Put, 2);
    let before = original.tree();
    let world = original.copy();
    insta::assert_snapshot!(refused(&world), @"
    exit: 1
    --- stderr
    error[cannot-resume]: cannot use `[DIR]/app-operator/.rop-pending/journal.json`
      caused by: rop did not write it here
    hint: remove `[DIR]/app-operator/.rop-pending` if no rop command was interrupted here, for example after a clone or copy; then check `git status`
    ");
    assert_eq!(original.tree(), before);
}

#[test]
fn a_moved_project_heals_itself() {
    let world = killed_at(Step::Put, 2);
    let elsewhere = World::new();
    std::fs::remove_dir(elsewhere.path()).expect("an empty directory");
    std::fs::rename(world.path(), elsewhere.path()).expect("moved");
    elsewhere
        .rop("create api --group app --kind Cache")
        .ok()
        .says("finished `rop create api`, which had been interrupted");
    assert!(!world.path().exists());
    assert!(elsewhere.read("PROJECT").contains("kind: Cache"));
}

/// A journal as rop writes one, but for where its one file goes.
fn world_with_journal(path: &str) -> World {
    let world = project();
    let place = prepare(&world);
    write_journal(&world, &place, path);
    world
}

/// Makes the folder of a commit, with one staged text, and identifies it.
fn prepare(world: &World) -> String {
    world.write(".rop-pending/.gitignore", "*\n");
    world.write(".rop-pending/0", "new");
    let mark = mark(world);
    format!("{}:{}.{:09}", mark.ino(), mark.ctime(), mark.ctime_nsec())
}

/// What identifies the folder of a commit.
fn mark(world: &World) -> Metadata {
    let path = world.path().join(".rop-pending/.gitignore");
    std::fs::metadata(path).expect("a file")
}

fn write_journal(world: &World, place: &str, path: &str) {
    let digest = "11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437";
    let journal = json!({
        "place": place, "command": "create api", "folders": [],
        "files": [{"path": path, "before": null, "after": digest}],
    });
    world.write(".rop-pending/journal.json", &journal.to_string());
}

/// A clone has files of every time that a program can set, and on a fresh file system of known inodes.
#[test]
fn a_journal_that_knows_all_but_when_the_kernel_made_the_folder_is_refused() {
    let inode = |path: &str| std::fs::metadata(path).expect("a file").ino();
    let world = project();
    prepare(&world);
    let folder = world.path().join(PENDING);
    let folder = inode(folder.to_str().expect("UTF-8"));
    let mark = mark(&world);
    for place in [
        folder.to_string(),
        mark.ino().to_string(),
        format!("{}:{}.{:09}", mark.ino(), mark.ctime(), 0),
        format!("{}:{}.{:09}", mark.ino(), 0, mark.ctime_nsec()),
    ] {
        write_journal(&world, &place, "notes/new.txt");
        refused(&world).says("rop did not write it here");
    }
    write_journal(&world, "", "notes/new.txt");
    refused(&world).says("stores times in whole seconds");
}

#[test]
fn a_folder_whose_times_were_set_back_is_refused() {
    let world = world_with_journal("notes/new.txt");
    let before = mark(&world);
    let path = world.path().join(".rop-pending/.gitignore");
    let file = File::options().write(true).open(path).expect("a file");
    let times = FileTimes::new().set_modified(before.modified().expect("a time"));
    // The clock of a file system may stand still for some milliseconds.
    while mark(&world).ctime_nsec() == before.ctime_nsec() {
        file.set_times(times).expect("set");
    }
    let after = mark(&world);
    assert_eq!(
        (after.ino(), after.modified().expect("a time")),
        (before.ino(), before.modified().expect("a time"))
    );
    refused(&world).says("rop did not write it here");
}

#[test]
fn a_path_out_of_the_project_is_refused() {
    let good = world_with_journal("notes/new.txt");
    good.rop("create api --group app --kind Other").ok();
    assert_eq!(good.read("notes/new.txt"), "new");
    let outside = World::new();
    let absolute = outside.path().join("new.txt");
    let absolute = absolute.to_str().expect("UTF-8");
    for path in [
        absolute,
        "../new.txt",
        "a/../../new.txt",
        ".git/hooks/pre-commit",
        "",
    ] {
        refused(&world_with_journal(path)).says("is not a path in the project");
    }
    insta::assert_snapshot!(refused(&world_with_journal("../new.txt")), @"
    exit: 1
    --- stderr
    error[cannot-resume]: cannot use `[DIR]/app-operator/.rop-pending/journal.json`
      caused by: `../new.txt` in it is not a path in the project
    hint: remove `[DIR]/app-operator/.rop-pending` if no rop command was interrupted here, for example after a clone or copy; then check `git status`
    ");
}

#[test]
fn a_link_out_of_the_project_is_refused() {
    let outside = World::new();
    let world = world_with_journal("link/new.txt");
    symlink(outside.path(), world.path().join("link")).expect("a link");
    refused(&world)
        .says("link/new.txt` is behind the link `link`, which points out of the project");
    assert!(outside.tree().is_empty());
}

/// What a clone cannot bring itself, it does not have rop write either.
#[test]
fn a_link_to_what_other_programs_run_is_refused() {
    for (target, path, name) in [
        (".git", "g/hooks/pre-commit", ".git"),
        (".git/hooks", "g/pre-commit", ".git"),
        ("sub/.git", "g/config", ".git"),
        (".hg", "g/hgrc", ".hg"),
        (".cargo", "g/config.toml", ".cargo"),
    ] {
        let world = world_with_journal(path);
        std::fs::create_dir_all(world.path().join(target)).expect("a folder");
        symlink(target, world.path().join("g")).expect("a link");
        let reason = format!("`{path}` is behind a link into `{name}`");
        refused(&world).says(&reason);
    }
    let world = world_with_journal("notes");
    world.write(".git/config", "[core]\n");
    symlink(".git/config", world.path().join("notes")).expect("a link");
    refused(&world).says("is behind a link into `.git`, where rop does not write");
}

#[test]
fn a_staged_link_is_refused() {
    let outside = World::new();
    outside.write("secret", "new");
    let world = world_with_journal("notes/new.txt");
    let staged = world.path().join(".rop-pending/0");
    std::fs::remove_file(&staged).expect("a file");
    symlink(outside.path().join("secret"), staged).expect("a link");
    refused(&world).says("was changed since");
}

#[test]
fn a_link_in_place_of_the_folder_is_refused() {
    let outside = World::new();
    outside.write("0", "precious");
    let world = World::with_api();
    symlink(outside.path(), world.path().join(PENDING)).expect("a link");
    insta::assert_snapshot!(refused(&world), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: `[DIR]/app-operator/.rop-pending` is not a directory
    hint: remove it: rop needs this path for a directory
    ");
    assert_eq!(outside.read("0"), "precious");
}

/// What is not of a commit is nothing that rop removes.
#[test]
fn a_foreign_file_in_the_folder_stays() {
    let world = World::with_api();
    world.write(".rop-pending/mine.txt", "precious");
    let outcome = world.rop("create api --group app --kind Other").exits(1);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error[files-in-the-way]: `mine.txt` in `[DIR]/app-operator/.rop-pending` was not created by rop
    hint: move `mine.txt` elsewhere, or remove the directory
    ");
    assert_eq!(world.read(".rop-pending/mine.txt"), "precious");
    // Neither has the name alone.
    let world = World::with_api();
    world.write(".rop-pending/0", "precious");
    for command in ["generate project", "generate project --dry-run"] {
        world
            .rop(command)
            .exits(1)
            .says("error[cannot-resume]: rop did not create `[DIR]/app-operator/.rop-pending`: it has no `.gitignore`");
    }
    assert_eq!(world.read(".rop-pending/0"), "precious");
}

#[test]
fn git_does_not_see_the_folder() {
    let world = killed_at(Step::Put, 2);
    assert_eq!(world.read(".rop-pending/.gitignore"), "*\n");
}
