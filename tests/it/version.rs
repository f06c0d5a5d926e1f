use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::World;
use crate::support::cargo::{self, cargo};

/// A new project begins with the releases that the library was tested with, and asks for the same features: what both
/// depend on is built once. What `otlp` asks for beside is built without that too, and so is what stands on it.
#[test]
fn a_project_has_what_the_library_is_tested_with() {
    let world = World::with_api();
    let webhook = "create webhook --group app --kind AppService --validation";
    world.rop(webhook).ok();
    let theirs = cargo(&world, &format!("{TREE} --workspace")).ok();
    let mut library = cargo::command();
    library
        .args(TREE.split(' '))
        .args(["--package=rop-runtime", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let ours = world.run(&mut library).ok();
    let [theirs, ours] = [&theirs, &ours].map(|tree| published(&tree.stdout));
    let others: Vec<_> = theirs.difference(&ours).collect();
    let names = others.iter().filter_map(|line| line.split(' ').next());
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["futures-executor", "getrandom"],
        "run tools/update-lock, or look who asks for other features: {others:#?}"
    );
}

/// Lists what a package depends on, each with its release and its features.
const TREE: &str =
    "tree --quiet --locked --edges normal,build,dev --prefix none --no-dedupe --format {p}:{f}";

/// The lines of such a list that are about published crates: others have a folder. Empty ones are between packages.
fn published(tree: &str) -> BTreeSet<&str> {
    let is_one = |line: &&str| !line.is_empty() && !line.contains('/');
    tree.lines().filter(is_one).collect()
}

/// Types of two copies do not fit together, though they have the same name.
#[test]
fn one_copy_of_each_crate_whose_types_are_shared() {
    let lock = World::with_api().read("Cargo.lock");
    for name in [
        "k8s-openapi",
        "kube",
        "kube-client",
        "kube-core",
        "schemars",
    ] {
        let line = format!("name = \"{name}\"");
        assert_eq!(
            lock.lines().filter(|known| *known == line).count(),
            1,
            "{name}"
        );
    }
}

#[test]
fn names_what_it_generates_for() {
    insta::assert_snapshot!(World::new().rop("version").ok(), @"
    exit: 0
    --- stdout
    rop 0.1.0 (kube 5, k8s-openapi 0.29, Kubernetes 1.37)
    ");
    let mut outcome = World::new().rop("version --json").ok();
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    for (key, start) in [("rustc", "rustc 1."), ("target", std::env::consts::ARCH)] {
        let value = report[key].as_str().expect(key);
        assert!(value.starts_with(start), "{report}");
        outcome.stdout = outcome.stdout.replace(value, "[..]");
    }
    insta::assert_snapshot!(outcome, @r#"
    exit: 0
    --- stdout
    {
      "rop": "0.1.0",
      "commit": null,
      "rustc": "[..]",
      "target": "[..]",
      "runtime": "0.1.0",
      "generates": {
        "kubernetes": "1.37",
        "oldest_kubernetes": "1.33",
        "rust": "1.89",
        "builder": "1.95",
        "envtest": "1.37.0",
        "crates": {
          "anyhow": "1",
          "clap": "4",
          "k8s_openapi": "0.29",
          "kube": "5",
          "schemars": "1",
          "serde": "1",
          "serde_json": "1",
          "tokio": "1"
        },
        "actions": {
          "cache": "5",
          "cargo_deny": "2",
          "checkout": "6"
        }
      }
    }
    "#);
}

/// The control planes for tests are of the newest and the oldest release of Kubernetes.
#[test]
fn control_planes_are_of_both_ends() {
    let version = World::new().rop("version --json").ok().stdout;
    let version: Value = serde_json::from_str(&version).expect("JSON");
    for (module, field) in [
        ("go.mod", "kubernetes"),
        ("oldest.mod", "oldest_kubernetes"),
    ] {
        let path = format!(
            "{}/tools/control-plane/{module}",
            env!("CARGO_MANIFEST_DIR")
        );
        let module = std::fs::read_to_string(path).expect("a module");
        let minor = version["generates"][field].as_str().expect("a version");
        let required = format!("\tk8s.io/kubernetes v{minor}.");
        assert!(module.contains(&required), "{required}");
    }
}
