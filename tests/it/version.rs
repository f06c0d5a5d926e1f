use crate::support::World;

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
