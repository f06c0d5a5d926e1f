//! A project where a package or a workspace is already.

use crate::support::World;

/// Cargo reads the manifests in a directory without a complaint.
#[track_caller]
fn loads(world: &World, directory: &str) {
    let mut command = std::process::Command::new(env!("CARGO"));
    command
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(world.path().join(directory));
    world.run(&mut command).ok().has_no_warning();
}

/// Whatever a package has of its own, cargo loads what becomes of it.
#[test]
fn cargo_loads_what_a_package_becomes() {
    for manifest in [
        "[package]\nname = \"app-operator\"\nedition = \"2024\"\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\ntokio = \"1\"\nkube = { version = \"5\" }\n\n[lints.rust]\nunused = \"warn\"\n",
        "[workspace]\nmembers = []\n\n[workspace.dependencies]\nkube = \"5\"\n",
        "[package]\nname = \"app-operator\"\nedition.workspace = true\n\n[workspace.package]\nedition = \"2024\"\n\n[workspace]\n",
    ] {
        let world = World::new();
        world.write("Cargo.toml", manifest);
        world.rop("init --domain example.com").ok();
        loads(&world, ".");
        world.rop("init --domain example.com").did_nothing();
    }
}

/// What cannot become an operator is refused, with what to change.
#[test]
fn packages_that_cannot_become_the_operator() {
    let refused = |manifest: &str| {
        let world = World::new();
        world.write("Cargo.toml", manifest);
        let outcome = world.rop("init --domain example.com");
        assert_eq!(world.tree().len(), 1);
        outcome
    };
    insta::assert_snapshot!(refused("[package]\nname = \"other\"\nedition = \"2024\"\n"), @"
    exit: 2
    --- stderr
    error[package-name-differs]: the package in Cargo.toml is named `other`, but the project `app-operator`
    hint: use the package name: `--project-name other`
    ");
    insta::assert_snapshot!(refused("[package]\nname = \"app-operator\"\nedition = \"2021\"\n"), @r#"
    exit: 1
    --- stderr
    error[unsuitable-cargo-toml]: the package in Cargo.toml has edition 2021, but generated code needs 2024
    hint: set `edition = "2024"` under `[package]`; `cargo fix --edition` migrates your code
    "#);
    insta::assert_snapshot!(refused("[package]\nname = \"app-operator\"\n"), @r#"
    exit: 1
    --- stderr
    error[unsuitable-cargo-toml]: the package in Cargo.toml has edition 2015, but generated code needs 2024
    hint: set `edition = "2024"` under `[package]`; `cargo fix --edition` migrates your code
    "#);
    insta::assert_snapshot!(refused("[package]\nname = \"app-operator\"\nedition.workspace = true\n"), @"
    exit: 1
    --- stderr
    error[other-workspace]: `package.edition` in Cargo.toml is inherited from another workspace, but a project is its own workspace
    hint: run the command in a directory that is not a member of that workspace
    ");
    insta::assert_snapshot!(refused("[package]\nname = \"app-operator\"\nedition = \"2024\"\n[dependencies]\nkube = \"4\"\n"), @r#"
    exit: 1
    --- stderr
    error[unsuitable-cargo-toml]: Cargo.toml requires `kube` 4, but generated code needs 5
    hint: set `kube = "5"`, or remove the dependency: rop adds it
    "#);
}

#[test]
fn a_member_of_another_workspace_is_refused() {
    let world = World::new();
    world.write("Cargo.toml", "[workspace]\nmembers = [\"ops/*\"]\n");
    let init = "init ops/app-operator --domain example.com";
    insta::assert_snapshot!(world.rop(init).exits(1), @r#"
    exit: 1
    --- stderr
    error[other-workspace]: `[DIR]/app-operator/Cargo.toml` makes this directory a member of its workspace (`ops/*`), but a project is its own workspace
    hint: add `exclude = ["ops/app-operator"]` under `[workspace]` there, and run the command again
    "#);
    assert_eq!(world.tree().len(), 1);
    world.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"ops/*\"]\nexclude = [\"ops/app-operator\"]\n",
    );
    world.rop(init).ok();
    loads(&world, "ops/app-operator");
    world.rop("init elsewhere --domain example.com").ok();
    loads(&world, "elsewhere");
}
