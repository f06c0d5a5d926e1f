//! Bad input: the value, the rule and the way out are named, and nothing is written.

use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::{Outcome, World};

/// Runs a command that must fail and leave everything as it was.
fn refused(world: &World, arguments: &str, code: i32) -> Outcome {
    let tree = world.tree();
    let outcome = world.rop(arguments).exits(code);
    assert_eq!(world.tree(), tree, "{outcome}");
    outcome
}

#[test]
fn wrong_names() {
    let world = World::with_project();
    let create = |arguments: &str| refused(&world, &format!("create api {arguments}"), 2);
    insta::assert_snapshot!(create("--group app --kind appService"), @"");
    insta::assert_snapshot!(create("--group App --kind AppService"), @"");
    insta::assert_snapshot!(create("--group app --kind App-Service"), @"");
    insta::assert_snapshot!(create("--group app --kind AppService --version v1alpha"), @"");
    insta::assert_snapshot!(create("--group app --kind AppService --plural AppServices"), @"");
    insta::assert_snapshot!(create("--group app --kind AppService --short-name 1a"), @"");
    insta::assert_snapshot!(create("--group app --kind AppService --image nginx:"), @"");
    insta::assert_snapshot!(create("--group app --kind AppService --port 0"), @"");
    insta::assert_snapshot!(create("--group app --kind AppService --resource=false --controller=false"), @"");
    insta::assert_snapshot!(create("--group app --kind AppService --resource=false"), @"");
    let empty = World::new();
    let init = |arguments: &str| refused(&empty, &format!("init {arguments}"), 2);
    insta::assert_snapshot!(init("--domain https://Example.com/"), @"");
    insta::assert_snapshot!(init("--domain apps.k8s.io"), @"");
    insta::assert_snapshot!(init("--domain example.com --project-name kube"), @"");
    insta::assert_snapshot!(init("--domain example.com --project-name App_Operator"), @"");
    insta::assert_snapshot!(init("--domain example.com --api AppService"), @"");
    insta::assert_snapshot!(init("1st --domain example.com"), @"");
}

#[test]
fn names_that_cannot_live_together() {
    let world = World::with_api();
    let create = |arguments: &str| refused(&world, &format!("create api {arguments}"), 2);
    insta::assert_snapshot!(create("--group app --kind AppService --template pod"), @"");
    insta::assert_snapshot!(create("--group app --kind AppService --version v1"), @"");
    insta::assert_snapshot!(create("--group app --kind Appservice"), @"");
    insta::assert_snapshot!(create("--group app --kind AppServiceList"), @"");
    insta::assert_snapshot!(create("--group app --kind Other --plural appservices"), @"");
    insta::assert_snapshot!(create("--group app --kind Other --short-name appservice"), @"");
    insta::assert_snapshot!(create("--group app --kind AppServiceSpec"), @"");
    world.rop("create api --group a.b --kind First").ok();
    insta::assert_snapshot!(create("--group a-b --kind Second"), @"");
    let namespaced = World::new();
    namespaced
        .rop("init --domain example.com --namespaced")
        .ok();
    insta::assert_snapshot!(refused(&namespaced, "create api --group app --kind X --cluster-scoped", 2), @"");
}

#[test]
fn no_project() {
    insta::assert_snapshot!(refused(&World::new(), "create api --group app --kind X", 1), @"");
    insta::assert_snapshot!(refused(&World::new(), "generate manifests", 1), @"");
}

#[test]
fn malformed_project_files() {
    let with = |from: &str, to: &str| {
        let world = World::with_api();
        world.replace("PROJECT", from, to);
        refused(&world, "create api --group app --kind Cache", 1)
    };
    insta::assert_snapshot!(with("domain: example.com\nlayout", "domain: [\nlayout"), @"");
    insta::assert_snapshot!(with("kind: AppService", "kind: appService"), @"");
    insta::assert_snapshot!(with("projectName: app-operator\n", ""), @"");
    insta::assert_snapshot!(with("cliVersion: \"0", "cliVersion: \"99"), @"");
    insta::assert_snapshot!(with("version: \"3\"", "version: \"4\""), @"");
    insta::assert_snapshot!(with("rust.rop/v1", "go.kubebuilder.io/v4"), @"");
    let world = World::new();
    world.write("PROJECT", "");
    insta::assert_snapshot!(refused(&world, "create api --group app --kind Cache", 1), @"");
}

#[test]
fn files_in_the_way_are_all_named() {
    let world = World::new();
    world.write("src/main.rs", "fn main() {}\n");
    world.write("README.md", "mine\n");
    world.write("src/runtime/mod.rs", "// mine\n");
    world.write("config", "a file where a folder belongs\n");
    insta::assert_snapshot!(refused(&world, "init --domain example.com", 1), @"");
}

#[test]
fn edited_files_of_rops() {
    let world = World::with_api();
    world.replace(
        "src/controller/mod.rs",
        "pub mod app_service;",
        "pub mod app_service;\nmod mine;",
    );
    world.replace("config/rbac/role.yaml", "- patch", "- delete");
    insta::assert_snapshot!(refused(&world, "create api --group app --kind Cache", 1), @"");
    world
        .rop("create api --group app --kind Cache --force")
        .ok();
    assert!(!world.read("src/controller/mod.rs").contains("mine"));
}

#[test]
fn links_that_lead_out() {
    let world = World::with_api();
    let outside = World::new();
    std::fs::rename(
        world.path().join("src/controller"),
        outside.path().join("controller"),
    )
    .expect("moved");
    symlink(
        outside.path().join("controller"),
        world.path().join("src/controller"),
    )
    .expect("a link");
    let tree = outside.tree();
    let outcome = refused(&world, "create api --group app --kind Cache", 1);
    outcome.says("src/controller/mod.rs is behind a link that leads out of the project");
    assert_eq!(outside.tree(), tree);
    // A link that stays inside is followed, and stays a link.
    let world = World::with_api();
    std::fs::rename(
        world.path().join("src/controller"),
        world.path().join("controllers"),
    )
    .expect("moved");
    symlink("../controllers", world.path().join("src/controller")).expect("a link");
    world.rop("create api --group app --kind Cache").ok();
    assert!(world.path().join("src/controller").is_symlink());
    assert!(world.tree().contains_key("controllers/cache/reconcile.rs"));
}

#[test]
fn a_path_that_is_not_utf8() {
    let world = World::new();
    let name = std::ffi::OsString::from_vec(b"bad-\xff".to_vec());
    std::fs::create_dir(world.path().join(&name)).expect("a directory");
    let mut command = world.command(".");
    command
        .current_dir(world.path().join(&name))
        .args(["init", "--domain", "example.com"]);
    let output = command.output().expect("rop starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("is not UTF-8") && message.contains("hint: "),
        "{message}"
    );
    assert!(world.tree().is_empty());
}

#[test]
fn a_read_only_directory() {
    if is_root() {
        eprintln!("skipped: root may write to read-only directories");
        return;
    }
    let world = World::with_project();
    let mode = |mode| {
        std::fs::set_permissions(world.path(), std::fs::Permissions::from_mode(mode))
            .expect("a mode")
    };
    mode(0o555);
    let outcome = refused(&world, "create api --group app --kind Cache", 1);
    mode(0o755);
    outcome.says("nothing was written");
}

#[expect(unsafe_code, reason = "the standard library does not tell who we are")]
fn is_root() -> bool {
    // SAFETY: takes nothing and always succeeds.
    unsafe { libc::geteuid() == 0 }
}

/// A full disk: a small file system of its own, in a mount namespace of its own.
#[test]
fn a_full_disk() {
    let world = World::new();
    let script = format!(
        "mount -t tmpfs -o size=64k none . && cd . && {{ {} init --domain example.com; echo exit $?; ls -A \"$PWD\"; }}",
        env!("CARGO_BIN_EXE_rop")
    );
    let mut command = std::process::Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    command
        .arg(script.replace("cd .", "cd \"$PWD\""))
        .current_dir(world.path());
    let outcome = world.run(&mut command);
    if !outcome.stdout.contains("exit ") {
        eprintln!("skipped: no mount namespaces here: {outcome}");
        return;
    }
    assert_eq!(outcome.stdout, "exit 1\n", "{outcome}");
    assert!(outcome.stderr.contains("nothing was written"), "{outcome}");
    assert!(
        outcome.stderr.contains("No space left on device"),
        "{outcome}"
    );
}

/// Whatever the disk refuses half-way, what was written is taken back.
#[test]
fn a_folder_that_refuses() {
    let world = World::with_project();
    // A folder that is on another file system takes no rename: the last step fails.
    let script = format!(
        "mount -t tmpfs none src/controller && cp -r keep/. src/controller && \
         {} create api --group app --kind Cache; echo exit $?; umount src/controller",
        env!("CARGO_BIN_EXE_rop")
    );
    let keep = world.read("src/controller/mod.rs");
    world.write("keep/mod.rs", &keep);
    let tree = world.tree();
    let mut command = std::process::Command::new("unshare");
    command
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .current_dir(world.path());
    let outcome = world.run(&mut command);
    if !outcome.stdout.contains("exit ") {
        eprintln!("skipped: no mount namespaces here: {outcome}");
        return;
    }
    assert_eq!(outcome.stdout, "exit 1\n", "{outcome}");
    assert!(outcome.stderr.contains("nothing was written"), "{outcome}");
    assert_eq!(world.tree(), tree);
}

#[test]
fn markers_that_ask_for_nothing_there_is() {
    let world = World::with_api();
    let path = "src/controller/app_service/reconcile.rs";
    world.replace(
        path,
        "groups=apps,resources=deployments,verbs=list;",
        "groups=apps,resources=deployment,verbs=lst;",
    );
    insta::assert_snapshot!(refused(&world, "create api --group app --kind Cache", 1), @"");
}
