//! What generated projects are built with: every version that the templates name, the one place to change
//! when something new is out.
//!
//! After a change of a crate, `tools/update-lock` updates the Cargo.lock of the templates.

use serde::Serialize;

/// Versions of what a project is built with.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Versions {
    /// The release of Kubernetes whose types `k8s-openapi` has.
    pub(crate) kubernetes: &'static str,
    /// The oldest release that kube and k8s-openapi are made for.
    pub(crate) oldest_kubernetes: &'static str,
    /// The oldest Rust that builds the project: kube's own.
    pub(crate) rust: &'static str,
    /// The Rust that images are built with.
    builder: &'static str,
    /// The release of etcd and kube-apiserver that tests run against.
    pub(crate) envtest: &'static str,
    pub(crate) crates: Crates,
    actions: Actions,
}

/// Crates, by the name that Rust code gives them.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Crates {
    anyhow: &'static str,
    clap: &'static str,
    pub(crate) k8s_openapi: &'static str,
    pub(crate) kube: &'static str,
    schemars: &'static str,
    serde: &'static str,
    serde_json: &'static str,
    tokio: &'static str,
}

/// Actions of workflows on GitHub.
#[derive(Clone, Copy, Serialize)]
struct Actions {
    cache: &'static str,
    cargo_deny: &'static str,
    checkout: &'static str,
}

/// The versions that generated projects are written for.
pub(crate) const VERSIONS: Versions = Versions {
    kubernetes: "1.37",
    oldest_kubernetes: "1.33",
    rust: "1.89",
    builder: "1.95",
    envtest: "1.37.0",
    crates: Crates {
        anyhow: "1",
        clap: "4",
        k8s_openapi: "0.29",
        kube: "5",
        schemars: "1",
        serde: "1",
        serde_json: "1",
        tokio: "1",
    },
    actions: Actions {
        cache: "5",
        cargo_deny: "2",
        checkout: "6",
    },
};

/// The Cargo.lock that a project starts with.
const LOCK: &str = include_str!("../templates/project/Cargo.lock.shared.tera");

/// Names of the packages that every operator depends on.
pub(crate) fn locked_packages() -> impl Iterator<Item = &'static str> {
    LOCK.lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .filter(|name| !name.contains('{'))
}
