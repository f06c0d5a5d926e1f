//! Whether a cluster is one of somebody's own machine.

use std::net::IpAddr;

/// Contexts of programs that run a cluster on this machine: their whole names.
const NAMES: [&str; 9] = [
    "minikube",
    "docker-desktop",
    "docker-for-desktop",
    "rancher-desktop",
    "orbstack",
    "colima",
    "microk8s",
    "podman-desktop",
    "crc-admin",
];

/// What the names of such contexts start with, where a cluster's own name follows.
const PREFIXES: [&str; 4] = ["kind-", "k3d-", "colima-", "minikube-"];

/// Names of this machine that are no address.
const HOSTS: [&str; 3] = [
    "localhost",
    "host.docker.internal",
    "kubernetes.docker.internal",
];

/// Whether the context is called as those of kind, minikube and the like, or leads to this machine.
pub(super) fn is_local(context: &str, server: &str) -> bool {
    NAMES.contains(&context)
        || PREFIXES.iter().any(|prefix| context.starts_with(prefix))
        || host(server).is_some_and(is_this_machine)
}

fn is_this_machine(host: &str) -> bool {
    let by_name = HOSTS.contains(&host) || host.ends_with(".localhost");
    by_name
        || host
            .parse::<IpAddr>()
            .is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

/// The host in a URL: `https://[::1]:6443/path` has `::1`.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => authority.split(':').next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_clusters_of_a_machine() {
        for (context, server) in [
            ("kind-test", "https://10.0.0.1:6443"),
            ("k3d-a", "https://0.0.0.0:6445"),
            ("minikube", "https://192.168.49.2:8443"),
            ("docker-desktop", "https://kubernetes.docker.internal:6443"),
            ("mine", "https://127.0.0.1:6443"),
            ("mine", "https://127.8.9.1"),
            ("mine", "https://[::1]:6443/k8s"),
            ("mine", "http://localhost:8080/"),
            ("mine", "https://api.localhost:1"),
        ] {
            assert!(is_local(context, server), "{context} {server}");
        }
    }

    #[test]
    fn takes_every_other_for_production() {
        for (context, server) in [
            ("prod", "https://10.0.0.1:6443"),
            ("kindness", "https://kind.example.com"),
            ("my-minikube", "https://127.0.0.1.example.com"),
            ("a", "https://[2001:db8::1]:6443"),
            ("a", "localhost"),
            ("", ""),
        ] {
            assert!(!is_local(context, server), "{context} {server}");
        }
    }
}
