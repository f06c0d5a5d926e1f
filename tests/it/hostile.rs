//! What others wrote cannot steer the terminal, hang rop, or flood its user.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{chown, symlink};
use std::process::Command;

use rustix::process::geteuid;
use serde_json::Value;

use crate::support::{Outcome, World};

/// Text that clears a screen, sets a title, forges a line and reads backwards.
const HOSTILE: &str = "a\u{1b}[2J\u{9b}31m\u{1b}]0;x\u{7}\rb\u{202e}c\u{2066}\u{200b}\u{feff}";

/// Whether a terminal shows all of what was printed.
#[track_caller]
fn is_plain(outcome: &Outcome) {
    for text in [&outcome.stdout, &outcome.stderr] {
        let hidden = text.chars().find(|&c| {
            c.is_control() && c != '\n' || "\u{202e}\u{2066}\u{200b}\u{feff}".contains(c)
        });
        assert_eq!(hidden, None, "{text:?}");
    }
    assert!(outcome.stderr.contains("\\u{1b}[2J"), "{outcome}");
}

#[test]
fn arguments() {
    let world = World::with_api();
    for (line, code) in [
        (&["create", "api", "--group", HOSTILE, "--kind", "A"][..], 2),
        (&["create", "api", "--group", "app", "--kind", HOSTILE], 2),
        (
            &[
                "create", "api", "--group", "app", "--kind", "A", "--port", HOSTILE,
            ],
            2,
        ),
        (
            &[
                "create", "api", "--group", "app", "--kind", "A", "--image", HOSTILE,
            ],
            2,
        ),
        (&["create", "api", "--template", HOSTILE], 2),
        (&["--color=always", HOSTILE], 2),
        (&["--color=always", "init", &format!("--{HOSTILE}")], 2),
        (&["build", HOSTILE], 2),
        (&["dev", "--index", HOSTILE], 1),
    ] {
        is_plain(&world.rop_in(".", line).exits(code));
        if line[0] != "dev" {
            let json = [line, &["--json"]].concat();
            let outcome = world.rop_in(".", &json);
            is_plain(&outcome);
            let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
            assert!(report["error"].to_string().contains("[2J"), "{report}");
        }
    }
}

#[test]
fn arguments_that_are_not_utf8() {
    let world = World::with_api();
    let hostile = || OsString::from_vec(b"a\xff\x1b[2J".to_vec());
    for line in [
        vec![hostile()],
        vec!["--color".into(), hostile()],
        vec!["create".into(), "api".into(), "--group".into(), hostile()],
        vec!["init".into(), hostile(), "--domain=example.com".into()],
    ] {
        let outcome = world.run(world.command(".").args(&line));
        assert!([1, 2].contains(&outcome.code), "{outcome}");
        assert!(!outcome.stderr.contains('\u{1b}'), "{outcome}");
    }
}

#[test]
fn markers_and_names_of_files() {
    let world = World::with_api();
    let marker = format!("// +kubebuilder:rbac:groups={HOSTILE},resources=pods,verbs=get\n");
    world.write("src/hostile.rs", &marker.replace(['\r', '\n'], ""));
    let other = format!("src/{}.rs", HOSTILE.replace('/', ""));
    world.write(
        &other,
        "// +kubebuilder:rbac:groups=core,resources=pods,verbs=fly\n",
    );
    is_plain(&world.rop("create api --group app --kind Other").exits(1));
    is_plain(
        &world
            .rop("create api --group app --kind Other --json")
            .exits(1),
    );
}

#[test]
fn project() {
    for (field, value) in [
        ("projectName:", format!("projectName: \"{}\"", escaped())),
        ("domain:", format!("domain: \"{}\"", escaped())),
        ("version:", format!("version: \"{}\"", escaped())),
    ] {
        let world = World::with_api();
        let text = world.read("PROJECT");
        let line = text.lines().find(|line| line.starts_with(field));
        world.write("PROJECT", &text.replace(line.expect("a field"), &value));
        is_plain(&world.rop("create api --group app --kind Other").exits(1));
    }
}

/// [`HOSTILE`] in a string of YAML.
fn escaped() -> String {
    HOSTILE
        .chars()
        .map(|c| format!("\\U{:08x}", u32::from(c)))
        .collect()
}

/// Runs rop, but not for ever.
fn in_time(world: &World, line: &str) -> Outcome {
    let mut command = world.program("timeout", ".");
    command
        .args(["60", env!("CARGO_BIN_EXE_rop")])
        .args(line.split_whitespace());
    world.run(&mut command)
}

/// A pipe gives nothing until somebody writes into it, which nobody does.
#[test]
fn pipes_are_not_read() {
    for path in [
        "PROJECT",
        "Cargo.toml",
        "config/rbac/role.yaml",
        "src/main.rs",
        ".rop-pending/journal.json",
        ".rop/record",
    ] {
        let world = World::with_api();
        let file = world.path().join(path);
        world.write(path, "");
        std::fs::remove_file(&file).expect("a file");
        let made = Command::new("mkfifo").arg(&file).status();
        assert!(made.expect("mkfifo").success());
        let outcome = in_time(&world, "create api --group app --kind Other");
        if path != "src/main.rs" {
            outcome
                .exits(1)
                .says("it is not a regular file")
                .says(path.rsplit('/').next().expect("a name"));
        }
    }
}

#[test]
fn endless_files_are_not_read() {
    let world = World::with_api();
    let file = std::fs::File::create(world.path().join("src/long.rs")).expect("a file");
    file.set_len(1 << 40).expect("a sparse file");
    in_time(&world, "create api --group app --kind Other")
        .exits(1)
        .says("failed to read `src/long.rs`")
        .says("it is larger than 64 MiB");
}

#[test]
fn a_flood_of_problems_is_counted() {
    let world = World::with_api();
    let markers = "// +kubebuilder:rbac:groups=nonsense,verbs=fly\n".repeat(50_000);
    world.write("src/flood.rs", &markers);
    let outcome = world.rop("create api --group app --kind Other").exits(1);
    assert!(outcome.stderr.lines().count() < 200);
    outcome.says("problems:").says("  and ");
}

#[test]
fn a_project_of_another_user_is_refused() {
    if !geteuid().is_root() {
        return eprintln!("skipped: only root can give files away");
    }
    for path in ["PROJECT", "."] {
        let world = World::with_api();
        chown(world.path().join(path), Some(4321), None).expect("given away");
        let before = world.tree();
        let outcome = world.rop_in("src", &["create", "api", "--group=app", "--kind=Other"]);
        let outcome = outcome.exits(1);
        assert_eq!(world.tree(), before);
        if path == "PROJECT" {
            insta::assert_snapshot!(outcome, @"
            exit: 1
            --- stderr
            error[untrusted-owner]: `[DIR]/app-operator/PROJECT` belongs to user 4321, but rop runs as user 0
            hint: if you trust that user, run rop with `ROP_SAFE_DIRECTORY=[DIR]/app-operator`
            ");
        }
        let run = |variable: &str, value: &str| {
            let mut command = world.command("src");
            command
                .env(variable, value)
                .args(["create", "api", "--group=app", "--kind=Other"]);
            world.run(&mut command)
        };
        run("SUDO_UID", "4322").exits(1).says("belongs to user");
        run("ROP_SAFE_DIRECTORY", "/elsewhere")
            .exits(1)
            .says("belongs to user");
        let root = world.path().canonicalize().expect("a path");
        run("ROP_SAFE_DIRECTORY", root.to_str().expect("UTF-8")).ok();
        run("ROP_SAFE_DIRECTORY", "*").did_nothing();
        run("SUDO_UID", "4321").did_nothing();
    }
}

#[test]
fn a_project_above_is_named() {
    let world = World::with_api();
    let create = ["create", "api", "--group=app", "--kind=Other"];
    let outcome = world.rop_in("src", &create).ok();
    outcome.says("note: using the project in `[DIR]/app-operator`");
}

#[test]
fn init_takes_no_project_of_another_user() {
    if !geteuid().is_root() {
        return eprintln!("skipped: only root can give files away");
    }
    let world = World::with_api();
    chown(world.path().join("PROJECT"), Some(4321), None).expect("given away");
    world
        .rop("init --domain example.com --api app/Other")
        .exits(1)
        .says("belongs to user");
}

#[test]
fn init_leaves_gits_folder_alone() {
    let world = World::new();
    let outcome = world.rop("init .git/hooks --project-name app-operator --domain example.com");
    outcome.exits(2).says("is inside a `.git` directory");
    assert!(world.tree().is_empty());
}

/// What a project leads to elsewhere is not copied into files that its user publishes.
#[test]
fn what_is_outside_is_not_copied() {
    let elsewhere = World::new();
    elsewhere.write("secret", "static SECRET: u8 = 1;\n");
    let secret = elsewhere.path().join("secret");
    let create = "create api --group app --kind AppService --version v2 --controller=false";
    for (path, command) in [
        ("config/samples/app_v1alpha1_appservice.yaml", create),
        (
            "config/samples/app_v1alpha1_appservice.yaml",
            "generate deploy",
        ),
        ("api/src/app/v1alpha1/app_service/key", create),
        ("api/src/app/v1alpha1/app_service.rs", create),
    ] {
        let world = World::with_api();
        let link = world.path().join(path);
        let _ = std::fs::remove_file(&link);
        std::fs::create_dir_all(link.parent().expect("a folder")).expect("a folder");
        symlink(&secret, &link).expect("a link");
        let before = world.tree();
        let outcome = world.rop(command);
        assert_eq!(world.tree(), before, "{path}: {command}");
        outcome.exits(1).says("points out of the project");
    }
}

/// Two links to each next folder are more paths than anybody could walk.
#[test]
fn ladders_of_links_are_not_climbed() {
    for folder in ["src/ladder", "api/src/app/v1alpha1/app_service"] {
        let world = World::with_api();
        for step in 0..30 {
            world.write(&format!("{folder}/d{step}/a.txt"), "a");
            for side in ["l", "r"] {
                let link = world.path().join(format!("{folder}/d{step}/{side}"));
                symlink(format!("../d{}", step + 1), link).expect("a link");
            }
        }
        symlink("itself", world.path().join(format!("{folder}/itself"))).expect("a link");
        in_time(&world, "generate deploy").ok();
        let create = "create api --group app --kind AppService --version v2 --controller=false";
        in_time(&world, create).ok();
    }
}

#[test]
fn a_name_forges_no_cause() {
    let world = World::with_api();
    world.write(
        "src/a\ncaused by: a full disk\nhint: run this/m.rs",
        "// +kubebuilder:rbac:groups=core,resources=pods,verbs=fly\n",
    );
    let outcome = world.rop("create api --group app --kind Other").exits(1);
    let is_forged =
        |line: &str| line.trim() == "caused by: a full disk" || line.starts_with("hint: run");
    assert!(!outcome.stderr.lines().any(is_forged), "{outcome}");
}

/// A folder of a command that was interrupted, as a clone may bring it.
#[test]
fn a_way_out_of_a_folder_that_nobody_left() {
    for path in [".rop-pending/5/a", ".rop-pending/journal.json/a"] {
        let world = World::with_api();
        world.write(path, "a");
        world
            .rop("create api --group app --kind Other")
            .exits(1)
            .says("hint: remove `[DIR]/app-operator/.rop-pending`");
    }
}
