//! Lines that both the user and a release changed, and files of rop's that the user edited.

use serde_json::Value;

use super::Release;
use super::archive::{BEFORE_LIBRARY, unpack};
use crate::support::World;
use crate::support::world::differing;

const RECONCILE: &str = "src/controller/app_service/reconcile.rs";
const WIRING: &str = "src/controller/mod.rs";
const ROLE: &str = "config/rbac/role.yaml";

/// A project in which the user and this release changed one line, and the release another file.
fn world() -> World {
    let world = World::without_runtime();
    let release = Release::of(&world);
    let text = world.read(RECONCILE);
    let line = text.lines().next().expect("a line");
    release.had(RECONCILE, "//! The former text.", line);
    release.had("deny.toml", "# Former.\n[", "[");
    world.replace(RECONCILE, "//! The former text.", "//! Ours.");
    world
}

/// copier and cruft exit with 0.
#[test]
fn nothing_is_written() {
    let world = world();
    let before = world.tree();
    let outcome = world.rop("update").exits(1);
    assert_eq!(differing(&world.tree(), &before), [""; 0]);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error[update-conflict]: a file is not merged; nothing was written:
      src/controller/app_service/reconcile.rs was edited in lines that this release changes
        line 1, yours:
          | //! Ours.
        this release:
          | //! Reconciles an `AppService`. All requests are made here; the pure modules `resources` and `status`
    hint: make the change of this release yourself, or write both texts into the files and choose there: `rop update --conflicts=markers`
    ");
    world.rop("update --dry-run").exits(1);
    world
        .rop("update --check")
        .exits(3)
        .says(&format!(
            "; `rop update` would stop at conflicts in {RECONCILE}\n"
        ))
        .says("hint: run `rop update` to see the conflicts and resolve them\n");
    world.rop("check --skip manifests").exits(3).says(&format!(
        "hint: `rop update` stops at conflicts in {RECONCILE}: run it to see how to resolve them\n"
    ));
    assert_eq!(differing(&world.tree(), &before), [""; 0]);
}

/// The user and this release define one name at two places: make and cargo would take one of them, or none.
#[test]
fn names_that_both_define_are_named() {
    const CI: &str = ".github/workflows/ci.yml";
    let world = World::without_runtime();
    let release = Release::of(&world);
    let text = world.read("Makefile");
    let (former, rule) = text.rsplit_once("\n.PHONY: ").expect("a rule");
    let name = rule.lines().next().expect("its name");
    release.gave("Makefile", former);
    let (first, ours) = ("\n.PHONY: ", format!("\n{name}: ## Ours\n\techo ours\n"));
    world.write("Makefile", &former.replacen(first, &(ours + first), 1));
    let workflow = world.read(CI);
    release.had(CI, "\n  image:", "\n  e2e:");
    world.replace(
        CI,
        "\n  dependencies:",
        "\n  ours:\n    needs: image\n  dependencies:",
    );
    let before = world.tree();
    world
        .rop("update")
        .exits(1)
        .says("Makefile defines names that this release adds elsewhere in it")
        .says(&format!("| {name}: ## Ours\n"))
        .says(&format!("{CI} uses names that this release removes"))
        .says("|     needs: image\n");
    assert_eq!(differing(&world.tree(), &before), [""; 0]);

    world.rop("update --conflicts=markers").exits(1);
    let merged = world.read("Makefile");
    assert!(merged.contains("\n<<<<<<< yours\n"), "{merged}");
    let merged = world.read(CI);
    let place = "  ours:\n<<<<<<< yours\n    needs: image\n|||||||";
    assert!(merged.contains(place), "{merged}");
    world.write("Makefile", &text);
    world.write(CI, &workflow);
    world.rop("update").did_nothing();
}

#[test]
fn markers_are_written_on_request() {
    let world = world();
    let outcome = world.rop("update --conflicts=markers").exits(1);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
       update deny.toml
       update src/controller/app_service/reconcile.rs
    error[update-conflict]: you and this release changed the same lines in 1 place, which have conflict markers:
      src/controller/app_service/reconcile.rs:1
    hint: choose between the texts and remove the markers, then run `rop generate manifests` and `cargo test`
    ");
    let text = world.read(RECONCILE);
    let start =
        "<<<<<<< yours\n//! Ours.\n||||||| the last release\n//! The former text.\n=======\n//! ";
    assert!(text.starts_with(start), "{text}");
    let tree = world.tree();
    for command in ["update", "update --conflicts=markers"] {
        world.rop(command).exits(1).says("has merge conflicts");
    }
    assert_eq!(differing(&world.tree(), &tree), [""; 0]);
    let (_, rest) = text.split_once("=======\n").expect("a marker");
    let (_, rest) = rest.split_once(">>>>>>> this release\n").expect("a marker");
    world.write(RECONCILE, &format!("//! Ours.\n{rest}"));
    world.rop("update").did_nothing();
}

#[test]
fn json_has_both_texts() {
    let world = world();
    let outcome = world.rop("update --json").exits(1);
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(report["changes"].as_array().map(Vec::len), Some(0));
    assert_eq!(report["code"], "update-conflict");
    assert_eq!(report["exitCode"], 1);
    let conflict = &report["conflicts"][0];
    assert_eq!(conflict["path"], RECONCILE);
    let overlap = &conflict["overlaps"][0];
    assert_eq!(overlap["line"], 1);
    assert_eq!(overlap["yours"], "//! Ours.\n");
    assert!(
        overlap["thisRelease"]
            .as_str()
            .is_some_and(|text| text.starts_with("//! "))
    );
    let outcome = world.rop("update --json --conflicts=markers").exits(1);
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert!(
        report["changes"]
            .as_array()
            .is_some_and(|all| all.len() == 2),
        "{report}"
    );
    assert_eq!(report["conflicts"][0]["overlaps"][0]["markerLine"], 1);
}

/// Both made the same file.
#[test]
fn a_new_file_can_be_in_the_way() {
    let world = World::without_runtime();
    Release::of(&world).lacked("deny.toml");
    world.write("deny.toml", "mine = true\n");
    let tree = world.tree();
    world
        .rop("update")
        .exits(1)
        .says("deny.toml already exists, rop did not write it, and this release has other lines")
        .says("| mine = true");
    assert_eq!(differing(&world.tree(), &tree), [""; 0]);
}

/// The record lists a file whose text was not recorded, as older builds did, or was lost.
#[test]
fn a_lost_base_is_named() {
    let world = World::without_runtime();
    std::fs::remove_file(world.path().join(".rop/base/deny.toml")).expect("a base");
    world.write("deny.toml", "mine = true\n");
    world.rop("update").exits(1).says(
        "deny.toml has lines that differ from this release, and `.rop/base` does not have its generated text",
    );
}

/// A file from which outputs are made is in conflict: all others are listed too.
#[test]
fn a_conflict_hides_no_other() {
    let world = World::without_runtime();
    for output in ["chart", "deploy", "docs", "monitoring"] {
        world.rop(&format!("generate {output}")).ok();
    }
    let marks = |path: &str| {
        let text = world.read(path);
        let (first, rest) = text.split_once('\n').expect("a line");
        let marks = "<<<<<<< ours\n# a\n=======\n# b\n>>>>>>> theirs";
        world.write(path, &format!("{first}\n{marks}\n{rest}"));
        text
    };
    marks("deny.toml");
    for path in [
        "config/manager/manager.yaml",
        "config/default/kustomization.yaml",
        "config/grafana/metrics.yaml",
    ] {
        let text = marks(path);
        let says = [path, "deny.toml"].map(|path| format!("\n  {path} has merge conflicts"));
        let outcome = world.rop("update").exits(1);
        outcome.says(&says[0]).says(&says[1]);
        world.rop("update --check").exits(3).says(&format!(
            "`rop update` would stop at conflicts in {path}, deny.toml\n"
        ));
        let check = world.rop("check --skip manifests").exits(1);
        check.says(path).says("deny.toml");
        world.write(path, &text);
    }
}

#[test]
fn edited_files_of_rop_are_named() {
    let world = World::with_api();
    let expected = world.tree();
    let release = Release::of(&world);
    release.owned(WIRING, "//! Former.\n//!", "//!");
    release.library(
        "src/lib.rs",
        "// The former text.\n",
        "// What newer toolchains",
    );
    for path in [WIRING, "runtime/src/lib.rs"] {
        let text = world.read(path);
        world.write(path, &format!("{text}// Ours.\n"));
    }
    let before = world.tree();
    for command in ["update", "update --conflicts=markers"] {
        world
            .rop(command)
            .exits(1)
            .says("src/controller/mod.rs is generated but was edited by hand")
            .says("runtime/src/lib.rs is generated but was edited by hand")
            .says("overwrite them with `--force`");
        assert_eq!(differing(&world.tree(), &before), [""; 0]);
    }
    world.rop("update --force").ok();
    assert_eq!(differing(&world.tree(), &expected), [""; 0]);
}

/// An edit of a file that this release makes as the last one did is none of its business.
#[test]
fn edited_files_of_rop_that_do_not_change_are_left_alone() {
    let world = World::without_runtime();
    let text = world.read("config/rbac/role.yaml");
    world.write(
        "tests/api/main.rs",
        &format!("{}// Ours.\n", world.read("tests/api/main.rs")),
    );
    world.rop("update").did_nothing();
    assert_eq!(world.read("config/rbac/role.yaml"), text);
}

/// One that nobody reads to the end says less.
#[test]
fn a_list_of_many_conflicts_ends() {
    let world = unpack(BEFORE_LIBRARY);
    let outcome = world.rop("update").exits(1);
    let lines = outcome.stderr.lines().count();
    assert!(lines < 300, "{lines} lines");
    outcome.says(" more files: `--verbose` shows all\n");
    let all = world.rop("update --verbose").exits(1).stderr;
    assert!(
        all.lines().count() > lines && !all.contains("`--verbose`"),
        "{all}"
    );
    let report = world.rop("update --json").exits(1).stdout;
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert!(
        report["conflicts"]
            .as_array()
            .is_some_and(|all| all.len() > 10)
    );
}

/// A file that the user moved is no other than one that stays.
#[test]
fn markers_in_a_moved_file_stop_the_next_update() {
    let world = world();
    for path in [RECONCILE, "deny.toml"] {
        let (name, extension) = path.rsplit_once('.').expect("an extension");
        let to = format!("{name}_moved.{extension}");
        world.write(&to, &world.read(path));
        std::fs::remove_file(world.path().join(path)).expect("a file");
    }
    world.rop("update --conflicts=markers").exits(1);
    let to = RECONCILE.replace(".rs", "_moved.rs");
    assert!(world.read(&to).contains("<<<<<<< yours\n"));
    let says = format!("{to} has merge conflicts: resolve them and run the command again");
    for command in ["update", "update --conflicts=markers"] {
        world.rop(command).exits(1).says(&says);
    }
}

#[test]
fn a_link_of_a_file_of_rops_is_named() {
    let (world, outside) = (World::without_runtime(), World::new());
    let (path, target) = (world.path().join(ROLE), outside.path().join("role.yaml"));
    std::fs::rename(&path, &target).expect("a file");
    std::os::unix::fs::symlink(&target, &path).expect("a link");
    world
        .rop("update")
        .exits(1)
        .says("config/rbac/role.yaml is behind the link `config/rbac/role.yaml`, which points out of the project, to ")
        .says("hint: replace each link with a copy of its target and run the command again");
    std::fs::remove_file(&path).expect("a link");
    std::fs::copy(&target, &path).expect("a file");
    world.rop("update").did_nothing();
}

/// Git merged what two releases wrote: nobody knows whether an edit is in it.
#[test]
fn a_merge_of_a_file_of_rops_has_a_way_out() {
    let world = World::without_runtime();
    let text = world.read(WIRING);
    let (header, body) = text.split_once('\n').expect("a header");
    let marked = format!(
        "<<<<<<< ours\n{header}\n=======\n{header}2\n>>>>>>> theirs\n{body}// Of another release.\n"
    );
    world.write(WIRING, &marked);
    for command in ["update", "generate project"] {
        world
            .rop(command)
            .exits(1)
            .says("src/controller/mod.rs is generated and has merge conflicts, and its text may have edits")
            .says("for example `git checkout --ours -- src/controller/mod.rs`, and run the command again");
    }
    world.rop("update --force").ok();
    assert_eq!(world.read(WIRING), text);
}

#[test]
fn a_base_that_is_too_long_has_a_way_out() {
    let world = World::without_runtime();
    let base = world.path().join(".rop/base/deny.toml");
    let file = std::fs::File::options()
        .write(true)
        .open(base)
        .expect("a base");
    file.set_len((64 << 20) + 1).expect("a length");
    world
        .rop("update")
        .exits(1)
        .says("hint: restore `.rop/base/deny.toml` from version control");
}
