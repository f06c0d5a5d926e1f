//! Bad input: the value, the rule and the way out are named, and nothing is written.

use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::Value;

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
    insta::assert_snapshot!(create("--group app --kind appService"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid kind `appService`: must start with a capital letter
    hint: did you mean `AppService`?
    ");
    insta::assert_snapshot!(create("--group App --kind AppService"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid group `App`: only lowercase letters, digits, `-` and `.` are allowed, not 'A'
    hint: did you mean `app`?
    ");
    insta::assert_snapshot!(create("--group app --kind App-Service"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid kind `App-Service`: only letters and digits are allowed, not '-'
    hint: did you mean `AppService`?
    ");
    insta::assert_snapshot!(create("--group app --kind AppService --version v1alpha"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid version `v1alpha`: expected `v1`, `v1beta1`, `v2alpha3` or similar
    hint: did you mean `v1alpha1`?
    ");
    insta::assert_snapshot!(create("--group app --kind AppService --plural AppServices"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid plural `AppServices`: only lowercase letters, digits and `-` are allowed, not 'A'
    hint: did you mean `appservices`?
    ");
    insta::assert_snapshot!(create("--group app --kind AppService --short-name 1a"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid short name or category `1a`: must start with a letter
    ");
    insta::assert_snapshot!(create("--group app --kind AppService --image nginx:"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid image `nginx:`: missing tag after the colon at character 7
    ");
    insta::assert_snapshot!(create("--group app --kind AppService --port 0"), @"
    exit: 2
    --- stderr
    error[usage]: invalid value '0' for '--port <PORT>': 0 is not in 1..=65535

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(create("--group app --kind AppService --resource=false --controller=false"), @"
    exit: 2
    --- stderr
    error[conflicting-flags]: nothing to create: neither types nor a controller were requested
    hint: remove `--resource=false` or `--controller=false`
    ");
    insta::assert_snapshot!(create("--group app --kind AppService --resource=false"), @"
    exit: 2
    --- stderr
    error[unknown-kind]: unknown kind app AppService: not in this project, and not built into Kubernetes
    hint: to create the kind in this project: `rop create api --group app --kind AppService`
    hint: to use a kind of another operator, pass its CRD: `rop create api --group app --kind AppService --external-crd FILE`
    ");
    for without in ["--no-controller", "--controller=false"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(create(&format!("--group app --kind AppService --finalizer {without}")), @"
            exit: 2
            --- stderr
            error[unsupported-finalizer]: app/v1alpha1 AppService has a finalizer but no controller to run the cleanup
            hint: remove `--finalizer`, or create the kind with a controller
            ");
        }
    }
}

#[test]
fn wrong_names_of_projects() {
    let empty = World::new();
    let init = |arguments: &str| refused(&empty, &format!("init {arguments}"), 2);
    insta::assert_snapshot!(init("--domain https://Example.com/"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid domain `https://Example.com/`: only lowercase letters, digits, `-` and `.` are allowed, not ':'
    hint: did you mean `example.com`?
    ");
    insta::assert_snapshot!(init("--domain apps.k8s.io"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid domain `apps.k8s.io`: reserved for the Kubernetes project; the API server rejects its groups unless approved
    hint: use a domain of your own, such as `example.com`
    ");
    insta::assert_snapshot!(init("--domain example.com --project-name kube"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid project name `kube`: conflicts with a crate that the operator depends on
    hint: for example `kube-operator`
    ");
    insta::assert_snapshot!(init("--domain example.com --project-name App_Operator"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid project name `App_Operator`: only lowercase letters, digits and `-` are allowed, not 'A'
    hint: did you mean `app-operator`?
    ");
    insta::assert_snapshot!(init("--domain example.com --api AppService"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid API `AppService`: expected GROUP/KIND or GROUP/VERSION/KIND
    hint: for example `app/v1/AppService`
    ");
    insta::assert_snapshot!(init("1st --domain example.com"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid project name `1st`: must start with a letter
    hint: the name defaults to the directory: set another one with `--project-name`
    ");
}

#[test]
fn names_that_cannot_live_together() {
    let world = World::with_api();
    let create = |arguments: &str| refused(&world, &format!("create api {arguments}"), 2);
    insta::assert_snapshot!(create("--group app --kind AppService --cluster-scoped"), @"
    exit: 2
    --- stderr
    error[already-exists]: app/v1alpha1 AppService already exists as namespaced: the scope of a CRD cannot change
    hint: remove the scope flag, or delete the API and create it again
    ");
    insta::assert_snapshot!(create("--group app --kind AppService --version v1 --plural other"), @"
    exit: 2
    --- stderr
    error[versions-differ]: app/v1 AppService and app/v1alpha1 AppService are versions of one kind but have different plurals
    hint: remove the flag, or set the same value in both entries of PROJECT
    ");
    insta::assert_snapshot!(create("--group app --kind Appservice"), @"
    exit: 2
    --- stderr
    error[name-taken]: app/v1alpha1 Appservice and app/v1alpha1 AppService would both have the singular name `appservice`
    hint: choose another kind
    ");
    insta::assert_snapshot!(create("--group app --kind AppServiceList"), @"
    exit: 2
    --- stderr
    error[name-taken]: `AppServiceList` is the list kind of `AppService`
    hint: choose another kind
    ");
    insta::assert_snapshot!(create("--group app --kind Other --plural appservices"), @"
    exit: 2
    --- stderr
    error[name-taken]: app/v1alpha1 Other and app/v1alpha1 AppService would both have the name `appservices`
    hint: choose another name with `--plural` or `--short-name`
    ");
    insta::assert_snapshot!(create("--group app --kind Other --short-name appservice"), @"
    exit: 2
    --- stderr
    error[name-taken]: app/v1alpha1 Other and app/v1alpha1 AppService would both have the name `appservice`
    hint: choose another name with `--plural` or `--short-name`
    ");
    insta::assert_snapshot!(create("--group app --kind AppServiceSpec"), @"
    exit: 2
    --- stderr
    error[name-taken]: app/v1alpha1 AppServiceSpec and app/v1alpha1 AppService would both have the Rust type `AppServiceSpec`
    hint: choose another kind
    ");
    world.rop("create api --group a.b --kind First").ok();
    insta::assert_snapshot!(create("--group a-b --kind Second"), @"
    exit: 2
    --- stderr
    error[name-taken]: the groups `a-b` and `a.b` would share the Rust module `a_b`
    hint: choose groups that differ in more than `-` and `.`
    ");
    let namespaced = World::new();
    namespaced
        .rop("init --domain example.com --namespaced")
        .ok();
    insta::assert_snapshot!(refused(&namespaced, "create api --group app --kind X --cluster-scoped", 2), @"
    exit: 2
    --- stderr
    error[scope-conflict]: app/v1alpha1 X is cluster-scoped, but a namespaced operator cannot watch it
    hint: remove `--cluster-scoped`, or let the operator watch all namespaces: `rop edit --namespaced=false`
    ");
}

/// A hint only names what was typed, or what works.
#[test]
fn hints_fit_the_command() {
    let world = World::with_api();
    for (arguments, hint) in [
        (
            "create api --group app --kind appservice",
            "hint: did you mean `AppService`?",
        ),
        (
            "create api --group core --kind Podd --resource=false",
            "hint: did you mean `Pod`?",
        ),
        (
            "create api --group app --kind AppService --controller-name other --no-controller",
            "hint: add `--resource=false` and remove `--no-controller`",
        ),
        (
            "run packagemanifests",
            "hint: the format is deprecated: `rop bundle` generates a bundle",
        ),
        (
            "pkgman-to-bundle",
            "hint: the format packagemanifests is deprecated: `rop bundle` generates a bundle",
        ),
    ] {
        let outcome = refused(&world, arguments, 2);
        let hints = outcome
            .stderr
            .lines()
            .filter(|line| line.starts_with("hint: "));
        assert_eq!(hints.collect::<Vec<_>>(), [hint], "{outcome}");
    }
    // The plan is checked before anything is built.
    for plan in ["foo", "seed=a", "faults=Kill"] {
        refused(&world, &format!("simulate --plan {plan}"), 2)
            .says("expected a plan as a failure prints it");
    }
}

#[test]
fn no_project() {
    insta::assert_snapshot!(refused(&World::new(), "create api --group app --kind X", 1), @"
    exit: 1
    --- stderr
    error[no-project]: no PROJECT file in `[DIR]/app-operator` or any directory above it
    hint: change into a project, or create one here: `rop init --domain example.com`
    ");
    insta::assert_snapshot!(refused(&World::new(), "generate manifests", 1), @"
    exit: 1
    --- stderr
    error[no-project]: no PROJECT file in `[DIR]/app-operator` or any directory above it
    hint: change into a project, or create one here: `rop init --domain example.com`
    ");
}

/// The code begins the message, and JSON has it.
#[test]
fn codes_are_in_text_and_json() {
    let empty = World::new();
    let world = World::with_api();
    world.replace("config/rbac/role.yaml", "- patch", "- delete");
    for (world, arguments, exit, code) in [
        (&empty, "generate manifests", 1, "no-project"),
        (&empty, "init --domain Example.com", 2, "invalid-name"),
        (&empty, "init --domaim example.com", 2, "usage"),
        (&empty, "helm", 2, "unsupported"),
        (&world, "init --domain example.org", 2, "project-exists"),
        (
            &world,
            "create api --group app --kind Cache",
            1,
            "files-in-the-way",
        ),
        (
            &world,
            "create api --group app --kind AppService --cluster-scoped",
            2,
            "already-exists",
        ),
        (
            &world,
            "create api --group app --kind AppServiceList",
            2,
            "name-taken",
        ),
        (
            &world,
            "delete api --group app --kind Cache",
            2,
            "unknown-kind",
        ),
        (&world, "simulate --dry-run", 2, "conflicting-flags"),
    ] {
        let outcome = refused(world, &format!("{arguments} --json"), exit);
        let begin = format!("error[{code}]: ");
        assert!(outcome.stderr.starts_with(&begin), "{outcome}");
        let json: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        assert_eq!(json["code"], code, "{outcome}");
        assert_eq!(json["exitCode"], exit, "{outcome}");
    }
}

/// PROJECT is wrong, and not the command line.
#[test]
fn a_kind_is_listed_twice() {
    let world = World::with_api();
    let project = world.read("PROJECT");
    let (start, rest) = project.split_once("- api:").expect("a kind");
    let (entry, end) = rest.split_once("version: \"3\"").expect("a format");
    let twice = format!("{start}- api:{entry}- api:{entry}version: \"3\"{end}");
    world.write("PROJECT", &twice);
    let outcome = refused(&world, "generate project", 1);
    assert!(
        outcome.stderr.starts_with("error[listed-twice]: "),
        "{outcome}"
    );
}

#[test]
fn malformed_project_files() {
    let with = |from: &str, to: &str| {
        let world = World::with_api();
        world.replace("PROJECT", from, to);
        refused(&world, "create api --group app --kind Cache", 1)
    };
    insta::assert_snapshot!(with("domain: example.com\nlayout", "domain: [\nlayout"), @r#"
    exit: 1
    --- stderr
    error[malformed-project]: malformed PROJECT
      caused by: line 5 column 1: "-" is only valid inside a block
       --> PROJECT:5:1
        |
      3 | domain: [
      4 | layout:
      5 | - rust.rop/v1
        | ^ "-" is only valid inside a block
      6 | projectName: app-operator
      7 | resources:
        |
    hint: correct PROJECT at this place, or restore the file with git
    "#);
    insta::assert_snapshot!(with("kind: AppService", "kind: appService"), @"
    exit: 1
    --- stderr
    error[malformed-project]: malformed PROJECT
      caused by: line 14 column 9: invalid kind `appService`: must start with a capital letter
        --> PROJECT:14:9
         |
      12 |   domain: example.com
      13 |   group: app
      14 |   kind: appService
         |         ^ invalid kind `appService`: must start with a capital letter
      15 |   plural: appservices
      16 |   template: workload
         |
    hint: correct PROJECT at this place, or restore the file with git
    ");
    insta::assert_snapshot!(with("projectName: app-operator\n", ""), @r#"
    exit: 1
    --- stderr
    error[malformed-project]: malformed PROJECT
      caused by: line 17 column 1: missing field `projectName`
        --> PROJECT:17:1
         |
      15 |   template: workload
      16 |   version: v1alpha1
      17 | version: "3"
         | ^ missing field `projectName`
    hint: correct PROJECT at this place, or restore the file with git
    "#);
    insta::assert_snapshot!(with("cliVersion: \"0", "cliVersion: \"99"), @"
    exit: 1
    --- stderr
    error[newer-project]: the project was written by rop 99.1.0, but this is rop 0.1.0
    hint: install rop 99.1.0 or newer
    ");
    insta::assert_snapshot!(with("version: \"3\"", "version: \"4\""), @"
    exit: 1
    --- stderr
    error[newer-project]: PROJECT has the format `version: 4`, but this rop reads 3
    hint: install a release of rop that reads this format
    ");
    insta::assert_snapshot!(with("rust.rop/v1", "go.kubebuilder.io/v4"), @r#"
    exit: 1
    --- stderr
    error[foreign-project]: PROJECT belongs to another tool: its layout is ["go.kubebuilder.io/v4"], not rust.rop/v1
    hint: run rop in another directory
    "#);
    let world = World::new();
    world.write("PROJECT", "");
    insta::assert_snapshot!(refused(&world, "create api --group app --kind Cache", 1), @"
    exit: 1
    --- stderr
    error[malformed-project]: malformed PROJECT
      caused by: unexpected end of input at line 1, column 1
    hint: correct PROJECT at this place, or restore the file with git
    ");
}

#[test]
fn files_in_the_way_are_all_named() {
    let world = World::new();
    world.write("src/main.rs", "fn main() {}\n");
    world.write("README.md", "mine\n");
    world.write("runtime/src/lib.rs", "// mine\n");
    world.write("config", "a file where a folder belongs\n");
    insta::assert_snapshot!(refused(&world, "init --domain example.com", 1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: 21 files are in the way; nothing was written:
      19 files, such as config/default/kustomization.yaml, are below `config`, which is a file
      runtime/src/lib.rs already exists
      src/main.rs already exists
    hint: move your changes elsewhere, or overwrite them with `--force`
    ");
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
    insta::assert_snapshot!(refused(&world, "create api --group app --kind Cache", 1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: 2 files have local changes; nothing was written:
      config/rbac/role.yaml is generated but was edited by hand
      src/controller/mod.rs is generated but was edited by hand
    hint: move your changes elsewhere, or overwrite them with `--force`
    ");
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
    outcome
        .says("src/controller/mod.rs is behind the link `src/controller`, which points out of the project")
        .says("hint: replace each link with a copy of its target");
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
fn links_that_lead_into_what_other_programs_run() {
    for (folder, name) in [(".git/hooks", ".git"), (".cargo", ".cargo")] {
        let world = World::with_api();
        std::fs::create_dir_all(world.path().join(folder)).expect("a folder");
        let target = world.path().join(folder).join("controller");
        std::fs::rename(world.path().join("src/controller"), &target).expect("moved");
        symlink(target, world.path().join("src/controller")).expect("a link");
        let outcome = refused(&world, "create api --group app --kind Cache", 1);
        outcome.says(&format!(
            "src/controller/mod.rs is behind a link into `{name}`, where rop does not write"
        ));
    }
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

/// Runs a script where it may mount file systems of its own; `$ROP` is rop.
fn with_mounts(world: &World, script: &str) -> Option<Outcome> {
    let mut command = Command::new("unshare");
    command
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script])
        .env("ROP", env!("CARGO_BIN_EXE_rop"))
        .current_dir(world.path());
    let outcome = world.run(&mut command);
    if outcome.stdout.contains("exit ") {
        return Some(outcome);
    }
    eprintln!("skipped: no mounts can be made here: {outcome}");
    None
}

/// The disk refuses: the cause is told, and that nothing was written.
#[track_caller]
fn nothing_written(outcome: &Outcome, cause: &str) {
    assert_eq!(outcome.stdout, "exit 1\n", "{outcome}");
    assert!(outcome.stderr.contains("nothing was written"), "{outcome}");
    assert!(outcome.stderr.contains(cause), "{outcome}");
}

#[test]
fn a_read_only_disk() {
    let world = World::with_project();
    let tree = world.tree();
    let script = "mount --bind . . && mount -o remount,bind,ro . && cd \"$PWD\" &&
                  { $ROP create api --group app --kind Cache; echo exit $?; }";
    let Some(outcome) = with_mounts(&world, script) else {
        return;
    };
    nothing_written(&outcome, "Read-only file system");
    assert_eq!(world.tree(), tree);
}

#[test]
fn a_full_disk() {
    let world = World::new();
    let script = "mount -t tmpfs -o size=64k none . && cd \"$PWD\" &&
                  { $ROP init --domain example.com; echo exit $?; ls -A; }";
    let Some(outcome) = with_mounts(&world, script) else {
        return;
    };
    nothing_written(&outcome, "No space left on device");
}

/// What the disk refuses half-way: what was put in place by then is taken back.
#[test]
fn a_folder_on_another_disk() {
    let world = World::with_project();
    world.write("keep/mod.rs", &world.read("src/controller/mod.rs"));
    let tree = world.tree();
    let script = "mount -t tmpfs none src/controller && cp keep/mod.rs src/controller &&
                  { $ROP create api --group app --kind Cache; echo exit $?; }";
    let Some(outcome) = with_mounts(&world, script) else {
        return;
    };
    nothing_written(&outcome, "cross-device link");
    assert_eq!(world.tree(), tree);
}

#[test]
fn markers_that_ask_for_nothing_there_is() {
    let world = World::with_api();
    let path = "src/controller/app_service/reconcile.rs";
    world.replace(
        path,
        "groups=apps,resources=deployments,verbs=get;list;",
        "groups=apps,resources=deployment,verbs=lst;",
    );
    insta::assert_snapshot!(refused(&world, "create api --group app --kind Cache", 1), @"
    exit: 1
    --- stderr
    error[invalid-marker]: the RBAC markers have 2 problems:
      src/controller/app_service/reconcile.rs:15: unknown resource `deployment` in `apps` (did you mean `deployments`?)
      src/controller/app_service/reconcile.rs:15: unknown verb `lst` (did you mean `list`?)
    ");
}

#[test]
fn a_directory_that_is_a_link_to_nothing() {
    let world = World::new();
    symlink("nothing", world.path().join("here")).expect("a link");
    insta::assert_snapshot!(refused(&world, "init here --domain example.com --project-name x", 1), @"
    exit: 1
    --- stderr
    error[dangling-link]: `[DIR]/app-operator/here` is a dangling link
    hint: remove the link, or create the directory that it points to
    ");
}
