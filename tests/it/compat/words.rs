//! What the old words say, and what they refuse.

use crate::support::World;

#[test]
fn each_says_what_it_is_today() {
    let world = World::new();
    let said = |outcome: crate::support::Outcome| {
        let lines = outcome
            .stderr
            .lines()
            .filter(|line| line.starts_with("note:"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let parent = world.path();
    let new = "new app-operator --repo github.com/example-inc/app-operator";
    let mut command = world.command("..");
    command.args(new.split_whitespace());
    insta::assert_snapshot!(said(world.run(&mut command).ok()), @"
    note: this command is now `rop init app-operator --domain example.com`, with `rop generate deploy` for the directory `deploy/`
    note: --repo has no effect: a cargo package needs no import path
    ");
    assert!(parent.join("PROJECT").is_file());
    let add = "--api-version=app.example.com/v1alpha1 --kind=AppService";
    insta::assert_snapshot!(said(world.rop(&format!("add api {add}")).ok()), @"note: this command is now `rop create api --group app --version v1alpha1 --kind AppService --template pod --controller=false`");
    insta::assert_snapshot!(said(world.rop(&format!("add controller {add}")).ok()), @"note: this command is now `rop create api --group app --version v1alpha1 --kind AppService --resource=false`");
    insta::assert_snapshot!(world.rop("generate k8s").ok(), @"
    exit: 0
    --- stderr
    note: nothing to do: `#[derive]` generates this code when cargo builds

    next:
      rop generate manifests
    ");
    let mut up = world.command(".");
    up.args([
        "up",
        "local",
        "--namespace=default",
        "--operator-flags",
        "--log-level debug",
    ]);
    let outcome = world.run(up.env("PATH", "/nonexistent")).exits(1);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    note: this command is now `rop run`
    error[kubectl-missing]: no kubectl on PATH
    hint: install kubectl (https://kubernetes.io/docs/tasks/tools), or set $KUBECTL to its path
    ");
}

/// The first API of a project that nobody named a domain for names it. What nobody has edited
/// follows.
#[test]
fn the_first_api_names_the_domain() {
    let world = World::new();
    world.rop("new .").ok();
    let readme = format!("{}mine\n", world.read("README.md"));
    world.write("README.md", &readme);
    world
        .rop("add api --api-version=app.acme.io/v1 --kind=Thing")
        .ok();
    assert!(world.read("PROJECT").contains("domain: acme.io"));
    assert!(!world.read("PROJECT").contains("example.com"));
    let lease = ".acme.io";
    for file in ["config/rbac/leader_election_role.yaml", "deploy/role.yaml"] {
        assert!(world.read(file).contains(lease), "{file}");
    }
    assert_eq!(world.read("README.md"), readme, "an edit stays");
    let tree = world.tree();
    insta::assert_snapshot!(world.rop("add api --api-version=app.example.com/v1 --kind=Other").exits(2), @"
    exit: 2
    --- stderr
    error[invalid-group]: the group `app.example.com` is not in the project's domain `acme.io`
    hint: for example `app.acme.io/v1alpha1`
    ");
    insta::assert_snapshot!(world.rop("add api --api-version=app/v1 --kind=Other").exits(2), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid API version `app/v1`: expected GROUP.DOMAIN/VERSION
    hint: for example `app.example.com/v1alpha1`
    ");
    insta::assert_snapshot!(world.rop("add controller --api-version=app.acme.io/v1 --kind=Other").exits(2), @"
    exit: 2
    --- stderr
    note: this command is now `rop create api --group app --version v1 --kind Other --resource=false`
    error[unknown-kind]: unknown kind app.acme.io/v1 Other: not in this project
    hint: create its types first: `rop add api --api-version=app.acme.io/v1 --kind=Other`
    ");
    insta::assert_snapshot!(world.rop("new other --type=helm").exits(2), @"
    exit: 2
    --- stderr
    error[unsupported]: unsupported operator type `helm`: rop generates Rust operators only
    hint: remove `--type`
    ");
    assert_eq!(world.tree(), tree);
}

#[test]
fn a_command_that_is_not_there_yet() {
    let world = World::new();
    insta::assert_snapshot!(world.rop("import").exits(2), @"
    exit: 2
    --- stderr
    error[unsupported]: unknown command `import`
    hint: start with `rop init` and write the types by hand; `rop import` is planned
    ");
    insta::assert_snapshot!(world.rop("webhook --group app").exits(2), @"
    exit: 2
    --- stderr
    error[unsupported]: unknown command `webhook`
    hint: use `rop create webhook`
    ");
}
