use crate::support::World;

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
        "rust": "1.89",
        "builder": "1.95",
        "crates": {
          "anyhow": "1",
          "axum": "0.8",
          "clap": "4",
          "fastrand": "2",
          "futures": "0.3",
          "k8s_openapi": "0.29",
          "kube": "5",
          "schemars": "1",
          "serde": "1",
          "serde_json": "1",
          "serde_saphyr": "2",
          "thiserror": "2",
          "tokio": "1",
          "tokio_util": "0.7",
          "tracing": "0.1",
          "tracing_subscriber": "0.3"
        },
        "actions": {
          "cache": "5",
          "checkout": "6"
        }
      }
    }
    "#);
}
