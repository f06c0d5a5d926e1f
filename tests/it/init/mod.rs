mod cargo;

use regex::Regex;

use crate::support::World;

#[test]
fn says_what_it_made_and_what_to_do_next() {
    let world = World::new();
    let outcome = world.rop("init --domain example.com").ok();
    let files = Regex::new(r"\d+ files").expect("a pattern");
    let outcome = outcome.to_string();
    insta::assert_snapshot!(files.replace(&outcome, "[N] files"), @"
    exit: 0
    --- stderr
       create .devcontainer/devcontainer.json
       create .dockerignore
       create .github/dependabot.yml
       create .github/workflows/ci.yml
       create .github/workflows/update.yml
       create .gitignore
       create AGENTS.md
       create Cargo.lock
       create Cargo.toml
       create Dockerfile
       create Makefile
       create PROJECT
       create README.md
       create api/Cargo.toml
       create api/src/bin/crdgen.rs
       create api/src/lib.rs
       create config/default/kustomization.yaml
       create config/default/metrics_service.yaml
       create config/manager/kustomization.yaml
       create config/manager/manager.yaml
       create config/network-policy/allow-metrics-traffic.yaml
       create config/network-policy/kustomization.yaml
       create config/pod-disruption-budget/budget.yaml
       create config/pod-disruption-budget/kustomization.yaml
       create config/prometheus/kustomization.yaml
       create config/prometheus/monitor.yaml
       create config/rbac/kustomization.yaml
       create config/rbac/leader_election_role.yaml
       create config/rbac/leader_election_role_binding.yaml
       create config/rbac/metrics_auth_role.yaml
       create config/rbac/metrics_auth_role_binding.yaml
       create config/rbac/metrics_reader_role.yaml
       create config/rbac/role.yaml
       create config/rbac/role_binding.yaml
       create config/rbac/service_account.yaml
       create deny.toml
       create runtime/ ([N] files)
       create src/controller/mod.rs
       create src/identity.rs
       create src/lib.rs
       create src/main.rs
       create src/state.rs

    next:
      rop create api --group app --kind AppService
    ");
}

#[test]
fn makes_its_directory() {
    let world = World::new();
    let outcome = world
        .rop("init deep/er/redis-operator --domain example.com --api cache/Redis")
        .ok();
    assert!(
        world
            .read("deep/er/redis-operator/PROJECT")
            .contains("projectName: redis-operator")
    );
    assert!(
        outcome
            .stderr
            .ends_with("next:\n  cd deep/er/redis-operator\n  cargo test\n"),
        "{outcome}"
    );
}

#[test]
fn a_dry_run_writes_nothing() {
    let world = World::new();
    let outcome = world.rop("init new --domain example.com --dry-run").ok();
    assert!(outcome.stdout.contains("create PROJECT\n"), "{outcome}");
    assert!(world.tree().is_empty());
    assert!(!world.path().join("new").exists());
    let json = world
        .rop("init new --domain example.com --dry-run --json")
        .ok()
        .stdout;
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["dryRun"], true);
    assert_eq!(report["changes"][0]["action"], "create");
    assert!(world.tree().is_empty());
}

#[test]
fn licenses_stand_above_the_sources() {
    let world = World::new();
    world
        .rop_in(
            ".",
            &[
                "init",
                "--domain",
                "example.com",
                "--license",
                "apache2",
                "--owner",
                "Example, Inc.",
                "--api",
                "app/AppService",
            ],
        )
        .ok();
    for (path, text) in world.tree() {
        let head: String = text.lines().take(4).collect::<Vec<_>>().join("\n");
        let licensed = head.contains(
            "// SPDX-FileCopyrightText: Example, Inc.\n// SPDX-License-Identifier: Apache-2.0\n",
        );
        // A base has a mark before each line.
        let is_rops = path.starts_with("runtime/") || path.starts_with(".rop/");
        let is_source = path.ends_with(".rs") && !is_rops;
        assert_eq!(licensed, is_source, "{path}: {head}");
    }
    assert!(
        world
            .read("Cargo.toml")
            .contains("license = \"Apache-2.0\"")
    );
    assert!(
        world
            .read("PROJECT")
            .contains("license: apache2\nowner: Example, Inc.\n")
    );
}

/// The tutorials make a package first. What it has stays, and gains what an operator needs.
#[test]
fn a_package_that_is_there_becomes_the_operator() {
    let world = World::new();
    world.write("Cargo.toml", "[package]\nname = \"app-operator\" # ours\nversion = \"1.2.3\"\nedition = \"2024\"\n\n[dependencies]\nuuid = \"1\"\n");
    world.write(".gitignore", "/target\n");
    world.rop("init --domain example.com").ok();
    let manifest = world.read("Cargo.toml");
    for line in [
        "name = \"app-operator\" # ours",
        "version = \"1.2.3\"",
        "uuid = \"1\"",
        "members = [\"api\", \"runtime\"]",
        "[profile.release]",
    ] {
        assert!(manifest.contains(line), "{line} is not in\n{manifest}");
    }
    assert_eq!(world.read(".gitignore"), "/target\n");
}

/// A clone of a repository that was just made has these.
#[test]
fn a_readme_stays_and_ignored_files_are_merged() {
    let world = World::new();
    world.write("README.md", "# Mine\n");
    world.write(".gitignore", "*.swp\n");
    world.write("LICENSE", "Mine\n");
    let outcome = world.rop("init --domain example.com").ok();
    outcome.says("note: keeping `README.md`, which already exists; `--force` overwrites it");
    assert_eq!(world.read("README.md"), "# Mine\n");
    assert_eq!(world.read(".gitignore"), "*.swp\n/target\n");
    world.rop("init --domain example.com").did_nothing();
    world.rop("create api --group app --kind AppService").ok();
    assert_eq!(world.read("README.md"), "# Mine\n");
}

#[test]
fn a_project_that_is_there_is_not_made_anew() {
    let world = World::with_project();
    let tree = world.tree();
    insta::assert_snapshot!(world.rop("init --domain other.com --namespaced").exits(2), @"
    exit: 2
    --- stderr
    error[project-exists]: a project already exists here, with different values for --domain, --namespaced
    hint: see PROJECT for the values; change them with `rop edit`, add APIs with `rop create api`
    ");
    assert_eq!(world.tree(), tree);
    // APIs can still be added to it.
    world
        .rop("init --domain example.com --api app/AppService")
        .ok();
    assert!(world.read("PROJECT").contains("kind: AppService"));
}

/// kubebuilder's license of that name: a line above the sources, and none in Cargo.toml.
#[test]
fn a_copyright_without_a_license() {
    let world = World::new();
    world
        .rop("init --domain example.com --license copyright --owner Me")
        .ok();
    let text = world.read("src/lib.rs");
    assert!(
        text.starts_with("// SPDX-FileCopyrightText: Me\n\n//!"),
        "{text}"
    );
    assert!(!world.read("Cargo.toml").contains("license"));
    world
        .rop("init --domain example.com --license copyright --owner Me")
        .did_nothing();
}

#[test]
fn the_next_step_can_be_pasted() {
    let world = World::new();
    let outcome = world.rop_in(
        ".",
        &[
            "init",
            "it's mine",
            "--project-name",
            "mine",
            "--domain",
            "example.com",
        ],
    );
    assert!(outcome.ok().stderr.contains(r"cd 'it'\''s mine'"));
    let old = world.rop("new old-operator").ok();
    assert!(old.stderr.ends_with("  cd old-operator\n  rop add api --api-version=app.example.com/v1alpha1 --kind=AppService\n"), "{old}");
}

#[test]
fn a_project_is_made_in_a_directory() {
    let world = World::new();
    world.write("file", "");
    for dir in ["file", "file/below", "/dev/null"] {
        let outcome = world
            .rop(&format!("init {dir} --domain example.com"))
            .exits(2);
        let path = dir.trim_end_matches("/below");
        assert!(
            outcome
                .stderr
                .contains(&format!("{path}` is not a directory\nhint: choose an")),
            "{outcome}"
        );
    }
}
