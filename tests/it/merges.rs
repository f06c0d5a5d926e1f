//! What a merge of two branches, or a lost or foreign record, leaves to the next command.

use std::fs;

use crate::record::git;
use crate::support::world::differing;
use crate::support::{Outcome, World};

const CRDS: &str = "config/crd/kustomization.yaml";
const RECONCILE: &str = "src/controller/foo/reconcile.rs";

/// A project with a kind, without a copy of the runtime.
fn project() -> World {
    let world = World::new();
    let init =
        "init --domain example.com --project-name op --api app/Foo --runtime path:../runtime";
    world.rop(init).ok();
    world
}

/// The same after a merge: one branch changed the domain, the other one did this. What both have added to a file that
/// the user edits stays, under both domains.
fn merged(command: &str) -> World {
    merged_with("edit --domain other.org", command)
}

/// The same with another change of names.
fn merged_with(edit: &str, command: &str) -> World {
    let world = project();
    for line in [
        "init -q -b main",
        "add -A",
        "commit -qm base",
        "checkout -qb renamed",
    ] {
        assert!(git(&world, line), "{line}");
    }
    world.rop(edit).ok();
    for line in ["add -A", "commit -qm renamed", "checkout -q main"] {
        assert!(git(&world, line), "{line}");
    }
    world.rop(command).ok();
    assert!(git(&world, "add -A") && git(&world, "commit -qm added"));
    git(&world, "merge -q renamed");
    // Generated files are made again.
    for (path, text) in world.tree() {
        if text.contains("<<<<<<< ") && text.contains("Owned by rop") {
            assert!(git(&world, &format!("checkout --theirs {path}")), "{path}");
        }
    }
    fs::remove_dir_all(world.path().join(".git")).expect("a repository");
    let is_marker = |line: &str| {
        ["<<<<<<<", "=======", ">>>>>>>"]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    for (path, text) in world.tree() {
        if text.contains("<<<<<<< ") {
            let lines = text.split_inclusive('\n').filter(|line| !is_marker(line));
            world.write(&path, &lines.collect::<String>());
        }
    }
    world
}

/// Runs a command that the user has to prepare: its hints are no commands that succeed at once.
fn unhinted(world: &World, command: &str) -> Outcome {
    let arguments = command.split_whitespace();
    world.run(world.command(".").args(arguments))
}

/// What one branch moved is not looked for where the other one would have it.
#[test]
fn a_deleted_file_stays_deleted_after_a_merge_of_names_and_layouts() {
    let edit = "edit --project-name web --multigroup";
    let world = merged_with(edit, "create api --group shop --kind Cart");
    let status = world.path().join("src/controller/app/foo/status.rs");
    fs::remove_file(&status).expect("a file");
    world.rop("generate project").ok();
    assert!(!status.exists());
    let added = world.path().join("src/controller/shop/cart/status.rs");
    assert!(added.is_file());
    world.rop("generate project").did_nothing();
}

/// kustomize rejects a list with a file twice.
#[test]
fn each_crd_is_listed_once_after_a_merge_of_domains() {
    let world = merged("create api --group shop --kind Cart");
    world.rop("generate project").ok();
    let text = world.read(CRDS);
    let entry = "- bases/app.other.org_foos.yaml\n";
    world.write(
        CRDS,
        &text.replace(entry, &format!("{entry}# Ours.\n{entry}")),
    );
    let checked = world.rop("check --skip manifests").exits(3);
    checked.says("outdated project: config/crd/kustomization.yaml");
    world.rop("generate project").ok();
    let expected = text.replace(entry, &format!("{entry}# Ours.\n"));
    assert_eq!(world.read(CRDS), expected);
    for crd in ["app.other.org_foos", "shop.other.org_carts"] {
        assert_eq!(expected.matches(crd).count(), 1, "{expected}");
    }
    world.rop("generate project").did_nothing();
}

/// Files of one group are not called after two domains.
#[test]
fn a_group_that_both_branches_extended_says_the_way_out() {
    let world = merged("create api --group app --kind Bar");
    let outcome = unhinted(&world, "generate project");
    insta::assert_snapshot!(outcome.exits(2), @"
    exit: 2
    --- stderr
    error[name-taken]: malformed PROJECT
      caused by: the API groups `app.example.com` and `app.other.org` would share the Rust module `app`
    hint: choose groups that differ before the first dot
    hint: if you merged a branch with the domain `example.com`: in PROJECT, change the domain of Bar to `other.org`, then run `rop generate project`
    ");
    let project = world.read("PROJECT");
    let (before, after) = project.split_once("  kind: Bar\n").expect("a kind");
    let (start, _) = before.rsplit_once("example.com").expect("a domain");
    let rest = &before[start.len() + "example.com".len()..];
    world.write(
        "PROJECT",
        &format!("{start}other.org{rest}  kind: Bar\n{after}"),
    );
    world.rop("generate project").ok();
    world.rop("generate project").did_nothing();
}

/// Without a base, lines that only the user has stay, and a line that was replaced is the only conflict. If this release
/// made the project, it is none.
#[test]
fn a_lost_record_gives_conflicts_of_lines() {
    let world = project();
    let text = world.read(RECONCILE);
    let line = text.lines().next().expect("a line");
    world.replace(RECONCILE, line, "//! Ours.");
    fs::remove_dir_all(world.path().join(".rop")).expect("a record");
    world.rop("update").did_nothing();
    world.write(RECONCILE, &text);
    world.replace("PROJECT", "cliVersion: \"0.1.0\"", "cliVersion: \"0.0.9\"");
    let project = world.read("PROJECT");
    fs::remove_dir_all(world.path().join(".rop")).expect("a record");
    world.write(RECONCILE, &format!("{text}\n// Ours.\n"));
    world.rop("update").ok();
    assert_eq!(world.read(RECONCILE), format!("{text}\n// Ours.\n"));
    fs::remove_dir_all(world.path().join(".rop")).expect("a record");
    world.write("PROJECT", &project);
    world.replace(RECONCILE, line, "//! Ours.");
    let before = world.tree();
    let outcome = world.rop("update").exits(1);
    assert_eq!(differing(&world.tree(), &before), [""; 0]);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error[update-conflict]: a file is not merged; nothing was written:
      src/controller/foo/reconcile.rs was edited in lines that this release changes
        line 1, yours:
          | //! Ours.
        this release:
          | //! Reconciles a `Foo`. All requests are made here; the pure modules `resources` and `status`
        lines 94 to 95, yours:
          | 
          | // Ours.
        this release: nothing
    hint: make the change of this release yourself, or write both texts into the files and choose there: `rop update --conflicts=markers`
    ");
}

/// What YAML says of a conflict marker helps nobody.
#[test]
fn conflict_markers_are_named() {
    let mut unnamed = Vec::new();
    for (path, command) in [
        ("PROJECT", "generate project"),
        ("config/default/kustomization.yaml", "generate installer"),
        ("config/manager/manager.yaml", "generate installer"),
        (
            "config/manifests/bases/op.clusterserviceversion.yaml",
            "bundle",
        ),
        ("bundle/manifests/op.clusterserviceversion.yaml", "bundle"),
        (
            "bundle/manifests/op.clusterserviceversion.yaml",
            "bundle validate",
        ),
        ("config/samples/app_v1alpha1_foo.yaml", "bundle"),
    ] {
        let world = project();
        if path.contains("clusterserviceversion") {
            world.rop("bundle").ok();
        }
        let text = world.read(path);
        let (first, rest) = text.split_once('\n').expect("a line");
        let markers = format!("<<<<<<< HEAD\n{first}\n=======\n{first}\n>>>>>>> other\n{rest}");
        world.write(path, &markers);
        let before = world.tree();
        let outcome = unhinted(&world, command).exits(1);
        let text = format!("{outcome}");
        let is_named = text.contains(path) && text.contains("has merge conflicts: resolve them");
        unnamed.extend((!is_named).then(|| format!("{path}, {command}: {text}")));
        assert_eq!(differing(&world.tree(), &before), [""; 0], "{command}");
    }
    assert!(unnamed.is_empty(), "{}", unnamed.join("\n"));
}

/// A branch of a newer release was merged, and PROJECT has the older one.
#[test]
fn a_record_of_a_newer_release_is_refused() {
    let world = project();
    world.replace(".rop/record", "\"cliVersion\":\"0.", "\"cliVersion\":\"99.");
    let before = world.tree();
    for command in [
        "create api --group shop --kind Cart",
        "update",
        "generate project",
    ] {
        let outcome = world.rop(command).exits(1);
        outcome
            .says("error[newer-project]")
            .says("failed to read `.rop/record`");
        assert_eq!(differing(&world.tree(), &before), [""; 0], "{command}");
    }
}

/// The record of another project says nothing of this one.
#[test]
fn a_record_of_another_project_is_refused() {
    let (world, other) = (project(), World::new());
    other
        .rop("init --domain other.org --project-name other --api app/Foo")
        .ok();
    world.write(".rop/record", &other.read(".rop/record"));
    let before = world.tree();
    for command in [
        "create api --group shop --kind Cart",
        "update",
        "generate project",
    ] {
        world.rop(command).exits(1).says("error[foreign-project]");
        assert_eq!(differing(&world.tree(), &before), [""; 0], "{command}");
    }
}
