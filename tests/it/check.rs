use serde_json::Value;

use crate::examples::examples;
use crate::support::cargo::rop;
use crate::support::tools::install;
use crate::support::world::differing;
use crate::support::{Outcome, World};

const INSTALLER: &str =
    "generate installer --image registry.example.com/checked:v1 --namespace elsewhere";

/// A project with every output and a bundle, under a name of its own.
fn project() -> World {
    let world = World::with_project_of("checked-operator");
    let api = "create api --group app --kind Setting --template minimal";
    for arguments in [
        api,
        "generate deploy",
        "generate docs",
        "generate monitoring",
        INSTALLER,
        "bundle --quiet",
    ] {
        world.rop(arguments).ok();
    }
    world
}

/// Without a compiler, for what needs none.
fn uncompiled(world: &World, arguments: &[&str]) -> Outcome {
    let mut command = world.command(".");
    world.run(command.args(arguments).env("CARGO", "/nonexistent"))
}

/// Only errors are printed if nothing else is wanted.
fn assert_quiet(world: &World) {
    for command in checks() {
        let quiet = rop(world, &format!("{command} --quiet"));
        assert!([0, 3].contains(&quiet.code), "{command}: {quiet}");
        assert_eq!(quiet.stdout, "", "{command}");
        assert!(!quiet.stderr.contains("note: "), "{command}: {quiet}");
    }
}

/// All commands that check something.
fn checks() -> Vec<String> {
    fn add(command: &clap::Command, name: &str, all: &mut Vec<String>) {
        if command
            .get_arguments()
            .any(|argument| argument.get_id() == "check")
        {
            all.push(format!("{name} --check"));
        }
        for below in command.get_subcommands() {
            add(below, format!("{name} {}", below.get_name()).trim(), all);
        }
    }
    let mut all = vec!["check".to_owned()];
    add(&rop::cli::command(), "", &mut all);
    assert!(all.len() > 6, "{all:?}");
    all
}

/// What was generated with flags is checked with them.
#[test]
fn everything_is_checked() {
    let world = project();
    let tree = world.tree();
    let outcome = rop(&world, "check").ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stdout
           ok release
           ok project
           ok manifests
           ok bundle
           ok dist/install.yaml
           ok deploy
           ok config/grafana
           ok docs/api.md
    --- stderr
    warning[image-latest]: `checked-operator:latest` can change at any time
      --> bundle/manifests/checked-operator.clusterserviceversion.yaml:120 spec.install.spec.deployments[0].spec.template.spec.containers[0].image
      hint: use an image with the tag of its version, or its digest; `rop bundle` takes it with `--image`
     building the types in `api/`
    ");
    assert_eq!(differing(&world.tree(), &tree), [] as [&str; 0]);

    // A file that its user deleted is no drift.
    std::fs::remove_file(world.path().join("README.md")).expect("a file");
    let types = "api/src/app/v1alpha1/setting.rs";
    world.write(types, &world.read(types).replace("pub message", "pub text"));
    for path in [
        "bundle/manifests/checked-operator.clusterserviceversion.yaml",
        "src/controller/mod.rs",
        "dist/install.yaml",
        "deploy/role.yaml",
        "docs/api.md",
        "config/rbac/role.yaml",
    ] {
        let comment = match path.rsplit_once('.') {
            Some((_, "rs")) => "// edited\n",
            Some((_, "md")) => "edited\n",
            _ => "# edited\n",
        };
        world.write(path, &format!("{}{comment}", world.read(path)));
    }
    let tree = world.tree();
    let outcome = rop(&world, "check").exits(3);
    insta::assert_snapshot!(outcome, @"
    exit: 3
    --- stdout
           ok release
     outdated project: src/controller/mod.rs
     outdated manifests: config/crd/bases/app.example.com_settings.yaml, config/rbac/role.yaml, deploy/crds/app_v1alpha1_setting_crd.yaml
           ok bundle
     outdated dist/install.yaml
     outdated deploy: deploy/role.yaml
           ok config/grafana
     outdated docs/api.md
    --- stderr
    warning[image-latest]: `checked-operator:latest` can change at any time
      --> bundle/manifests/checked-operator.clusterserviceversion.yaml:120 spec.install.spec.deployments[0].spec.template.spec.containers[0].image
      hint: use an image with the tag of its version, or its digest; `rop bundle` takes it with `--image`
     building the types in `api/`
    error[drift]: out of date: project, manifests, dist/install.yaml, deploy, docs/api.md
    hint: run `rop generate project --force` and commit the result
    hint: run `rop generate manifests --force` and commit the result
    hint: run `rop generate installer --image registry.example.com/checked:v1 --namespace elsewhere --force` and commit the result
    hint: run `rop generate deploy --force` and commit the result
    hint: run `rop generate docs --force` and commit the result
    hint: `--force` overwrites generated files that you edited: move your changes elsewhere first
    ");
    assert_quiet(&world);
    assert_eq!(differing(&world.tree(), &tree), [] as [&str; 0]);
    // The hints work.
    for line in outcome.stderr.lines() {
        let Some(command) = line.strip_prefix("hint: run `rop ") else {
            continue;
        };
        let (command, _) = command.split_once('`').expect("a command");
        rop(&world, command).ok();
    }
    rop(&world, "bundle --quiet").ok();
    rop(&world, "check").ok();
}

/// What another release generated follows with `rop update`.
#[test]
fn an_older_release_is_out_of_date() {
    let world = World::with_project();
    world.replace("PROJECT", "cliVersion: \"0.1.0\"", "cliVersion: \"0.0.9\"");
    let outcome = world.rop("check --skip manifests").exits(3);
    insta::assert_snapshot!(outcome, @"
    exit: 3
    --- stdout
     outdated release: PROJECT (rop 0.0.9, but this is 0.1.0)
    --- stderr
    error[drift]: out of date: release
    hint: run `rop update` and commit the result
    ");
}

/// A command without flags is enough for what was generated without them, and nobody edited.
#[test]
fn hints_have_the_flags_that_are_needed() {
    let world = World::with_api();
    world.rop("generate installer").ok();
    world.replace("config/manager/manager.yaml", "memory: ", "memory: 1");
    let outcome = world.rop("check --skip manifests").exits(3);
    insta::assert_snapshot!(outcome, @"
    exit: 3
    --- stdout
           ok release
           ok project
     outdated dist/install.yaml
    --- stderr
    error[drift]: out of date: dist/install.yaml
    hint: run `rop generate installer` and commit the result
    ");
}

/// The defaults of a project that was renamed are no flags.
#[test]
fn hints_have_no_former_names() {
    let world = World::without_runtime();
    for flags in ["", " --image registry.example.com/x:1 --namespace mine"] {
        world.rop(&format!("generate installer{flags}")).ok();
        world.rop("edit --project-name web").ok();
        world.rop("check --skip manifests").exits(3).says(&format!(
            "hint: run `rop generate installer{flags}` and commit the result"
        ));
        world.rop("edit --project-name app-operator").ok();
    }
}

/// The project's code does not compile: everything else is checked.
#[test]
fn a_failure_hides_nothing() {
    let world = project();
    world.write(
        "deploy/role.yaml",
        &format!("{}# mine\n", world.read("deploy/role.yaml")),
    );
    let outcome = uncompiled(&world, &["check"]).exits(1);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stdout
           ok release
           ok project
       failed manifests
           ok bundle
           ok dist/install.yaml
     outdated deploy: deploy/role.yaml
           ok config/grafana
           ok docs/api.md
    --- stderr
    warning[image-latest]: `checked-operator:latest` can change at any time
      --> bundle/manifests/checked-operator.clusterserviceversion.yaml:120 spec.install.spec.deployments[0].spec.template.spec.containers[0].image
      hint: use an image with the tag of its version, or its digest; `rop bundle` takes it with `--image`
     building the types in `api/`
    error[cargo-missing]: failed to run `/nonexistent`
      caused by: No such file or directory (os error 2)
    hint: install Rust (https://rustup.rs) and put it on PATH
    error[check-failed]: failed to check manifests
    hint: fix the errors above, and run `rop check` again
    hint: run `rop generate deploy --force` and commit the result
    hint: `--force` overwrites generated files that you edited: move your changes elsewhere first
    ");
    let skip = ["--skip", "manifests", "--skip", "deploy"];
    let outcome = uncompiled(&world, &[&["check"], &skip[..]].concat()).ok();
    assert!(!outcome.stdout.contains("deploy"), "{outcome}");
    uncompiled(&world, &["check", "--skip", "nothing"]).exits(2);
    let outcome = uncompiled(&world, &["check", "--json"]).exits(1);
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let states = report["parts"].as_array().expect("parts").iter();
    let states: Vec<_> = states
        .map(|part| (part["name"].as_str(), part["state"].as_str()))
        .collect();
    assert_eq!(states[2], (Some("manifests"), Some("failed")), "{report:#}");
    assert_eq!(states[5], (Some("deploy"), Some("outdated")), "{report:#}");
    let parts = &report["parts"];
    assert_eq!(parts[2]["error"]["code"], "cargo-missing");
    insta::assert_snapshot!(format!("{:#}", parts[5]), @r#"
    {
      "name": "deploy",
      "command": "rop generate deploy",
      "state": "outdated",
      "changes": [
        {
          "path": "deploy/role.yaml",
          "action": "overwrite",
          "ownership": "owned"
        }
      ],
      "more": []
    }
    "#);
    insta::assert_snapshot!(format!("{:#}", parts[0]), @r#"
    {
      "name": "release",
      "command": "rop update",
      "state": "ok",
      "changes": [],
      "more": []
    }
    "#);
    assert_eq!(report["upToDate"], false);
}

/// Changes of the `--verbose` output, and the same from below the project.
#[test]
fn differences_are_shown() {
    let world = project();
    world.write(
        "docs/api.md",
        &format!("{}mine\n", world.read("docs/api.md")),
    );
    let mut command = world.command("src/controller");
    let command = command
        .args(["check", "--verbose"])
        .env("CARGO", "/nonexistent");
    let outcome = world.run(command).exits(1);
    let diff = "--- a/docs/api.md\n+++ b/docs/api.md\n";
    outcome
        .says(diff)
        .says("\n-mine\n")
        .says("note: using the project in `[DIR]/app-operator`");
}

#[test]
fn what_is_no_project_is_not_checked() {
    let world = World::new();
    uncompiled(&world, &["check"])
        .exits(1)
        .says("error[no-project]");
    let world = World::with_project();
    world.write("PROJECT", "a: [\u{1b}[2J");
    let outcome = uncompiled(&world, &["check", "--json"]).exits(1);
    assert!(
        !outcome.stdout.contains('\u{1b}') && !outcome.stderr.contains('\u{1b}'),
        "{outcome}"
    );
    assert!(serde_json::from_str::<Value>(&outcome.stdout).is_ok());
}

/// Kinds whose sources are missing are an error that says what to do.
#[test]
fn missing_sources_are_named() {
    let world = World::with_api();
    std::fs::remove_dir_all(world.path().join("src/controller/app_service")).expect("a folder");
    uncompiled(&world, &["check"])
        .exits(1)
        .says("error[files-missing]: PROJECT lists files that do not exist:")
        .says("or generate new files: `rop generate project`");
}

/// The operators of the book, but for their manifests: `examples` and `book` compile those.
#[test]
fn the_examples_are_up_to_date() {
    let world = World::new();
    for example in examples() {
        let mut command = world.command(".");
        command
            .current_dir(&example)
            .args(["check", "--quiet", "--skip", "manifests"]);
        world.run(&mut command).ok();
    }
}

/// Rendering a large project takes long, and its parts are made of the same result.
#[test]
fn the_manifests_are_rendered_once() {
    let world = World::with_api();
    for command in ["generate installer", "bundle"] {
        world.rop(command).ok();
    }
    let rendered = world.path().join("dist/install.yaml");
    let kubectl = "../bin/kubectl";
    let script = format!(
        "#!/bin/sh\necho >>\"$0.calls\"\ncat '{}'\n",
        rendered.display()
    );
    std::fs::create_dir(world.path().join("../bin")).expect("a folder");
    install(&world.path().join("../bin"), "kubectl", &script);
    // What rop leaves to kubectl.
    let path = "config/default/kustomization.yaml";
    world.write(
        path,
        &format!("{}buildMetadata: [managedByLabel]\n", world.read(path)),
    );
    let mut check = world.command(".");
    check
        .args(["check", "--skip", "manifests"])
        .env("KUBECTL", world.path().join(kubectl));
    world
        .run(&mut check)
        .ok()
        .says("dist/install.yaml")
        .says("bundle");
    assert_eq!(world.read("../bin/kubectl.calls").lines().count(), 1);
}

/// Each output says the same of a file of rop's that somebody edited, or whose mark or folder is gone.
#[test]
fn edited_and_lost_outputs_are_out_of_date() {
    let world = World::without_runtime();
    for (name, command, path) in [
        (
            "dist/chart",
            "generate chart",
            "dist/chart/templates/_helpers.tpl",
        ),
        ("deploy", "generate deploy", "deploy/role.yaml"),
        (
            "config/grafana",
            "generate monitoring",
            "config/grafana/kustomization.yaml",
        ),
        ("docs/api.md", "generate docs", "docs/api.md"),
    ] {
        world.rop(command).ok();
        let text = world.read(path);
        let check = "check --skip manifests";
        world.rop(check).ok();
        world.write(path, &format!("{text}# Ours.\n"));
        world
            .rop(check)
            .exits(3)
            .says(&format!("error[drift]: out of date: {name}\n"))
            .says(&format!(
                "hint: run `rop {command} --force` and commit the result\n"
            ));
        world.write(path, &text);
        if path == name {
            let (_, rest) = text.split_once('\n').expect("a line");
            world.write(path, rest);
            world
                .rop(check)
                .exits(3)
                .says(" outdated docs/api.md (its first line, which marks it as generated, is missing)\n")
                .says("hint: run `rop generate docs --force` and commit the result\n");
            std::fs::remove_file(world.path().join(name)).expect("a file");
        } else {
            std::fs::remove_dir_all(world.path().join(name)).expect("a folder");
        }
        world
            .rop(check)
            .exits(3)
            .says(&format!(
                " outdated {name} (was generated, and does not exist)\n"
            ))
            .says(&format!(
                "hint: run `rop {command}` and commit the result\n"
            ));
        world.rop("generate project").ok();
        world.rop(check).ok();
        assert!(!world.path().join(name).exists(), "{name}");
    }
}

#[test]
fn sources_that_are_not_utf8_can_be_converted() {
    let world = World::without_runtime();
    let path = "src/controller/app_service/reconcile.rs";
    let mut bytes = world.read(path).into_bytes();
    let offset = bytes.len();
    bytes.extend(b"// \xe9\n");
    std::fs::write(world.path().join(path), bytes).expect("a file");
    for command in ["update", "check --skip manifests"] {
        world
            .rop(command)
            .exits(1)
            .says(&format!(
                "it is not UTF-8 text: the byte at offset {} is invalid",
                offset + 3
            ))
            .says(&format!(
                "hint: convert the file to UTF-8: `iconv -f ENCODING -t UTF-8 {path} > NEW`, where"
            ));
    }
}
