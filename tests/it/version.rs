use std::collections::BTreeSet;
use std::path::Path;

use toml_edit::DocumentMut;

use crate::support::World;

/// A new project begins with the releases that the library was tested with. What both need is built once for all tests.
#[test]
fn a_project_is_locked_to_what_the_library_is_tested_with() {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
    let ours = from_registries(&std::fs::read_to_string(ours).expect("a lock"));
    let theirs = from_registries(&World::with_project().read("Cargo.lock"));
    let others: Vec<_> = theirs.difference(&ours).collect();
    assert!(others.is_empty(), "run tools/update-lock: {others:?}");
}

/// The crates of a Cargo.lock that were published, each with its version.
fn from_registries(lock: &str) -> BTreeSet<(String, String)> {
    let lock: DocumentMut = lock.parse().expect("TOML");
    let packages = lock["package"].as_array_of_tables().expect("packages");
    let published = packages
        .iter()
        .filter(|package| package.contains_key("source"));
    published
        .map(|package| {
            let field = |name: &str| package[name].as_str().expect("a text").to_owned();
            (field("name"), field("version"))
        })
        .collect()
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
    insta::assert_snapshot!(World::new().rop("version --json").ok(), @r#"
    exit: 0
    --- stdout
    {
      "rop": "0.1.0",
      "generates": {
        "kubernetes": "1.37",
        "oldest_kubernetes": "1.33",
        "rust": "1.89",
        "builder": "1.95",
        "envtest": "1.36.2",
        "crates": {
          "anyhow": "1",
          "clap": "4",
          "k8s_openapi": "0.29",
          "kube": "5",
          "kube_cel": "0.8",
          "schemars": "1",
          "serde": "1",
          "serde_json": "1",
          "serde_saphyr": "2",
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
