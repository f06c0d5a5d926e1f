//! What kubectl says when it fails, with the way out where it is known.

use crate::error::Error;

/// What kubectl's words have in them, and what to do then. The first that fits is taken.
const KNOWN: [(&[&str], &str); 10] = [
    (
        &[
            "cannot locate context",
            "context was not found",
            "does not exist",
            "no context exists",
        ],
        "`kubectl config get-contexts` lists the contexts; `--context` takes one of them",
    ),
    (
        &[
            "current-context must exist",
            "no configuration has been provided",
            "localhost:8080 was refused",
        ],
        "no cluster is selected: choose one with `--kubeconfig` and `--context`, or with `kubectl config use-context`",
    ),
    (
        &[
            "Unable to connect to the server",
            "was refused",
            "no such host",
            "i/o timeout",
            "context deadline exceeded",
            "Client.Timeout exceeded",
            "TLS handshake timeout",
            "no route to host",
            "connection reset by peer",
            "unexpected EOF",
        ],
        "check that the cluster runs and that this machine can reach it (`kubectl cluster-info`), or use another context with `--context`",
    ),
    (
        &["Unauthorized", "must be logged in", "getting credentials"],
        "the cluster rejects your credentials: log in again, or use another context with `--context`",
    ),
    (
        &["attempting to grant RBAC permissions not currently held"],
        "nobody can grant permissions that they do not have: ask an administrator of the cluster",
    ),
    (
        &["is being terminated"],
        "it is being deleted: wait until it is gone, and run the command again",
    ),
    (
        &["Forbidden", "is forbidden"],
        "ask an administrator of the cluster for this permission, or use another context with `--context`",
    ),
    (
        &["no matches for kind", "ensure CRDs are installed"],
        "the cluster does not serve this kind: install its CRD, or remove the component that needs it from config/default/kustomization.yaml",
    ),
    (
        &["conflict with", "conflicts with", "conflict occurred"],
        "another field manager owns these fields: take them over with `--force-conflicts`, or remove them from the manifests",
    ),
    (
        &["is invalid"],
        "the API server rejects it: fix the source (types in `api/`, manifests in `config/`) and run the command again",
    ),
];

/// An error of what kubectl said.
pub(super) fn explain(stderr: &str) -> Error {
    let text = readable(stderr);
    let hint = KNOWN
        .iter()
        .find(|(parts, _)| parts.iter().any(|part| text.contains(part)));
    let error = Error::new(&text);
    match hint {
        Some((_, hint)) => error.hint(hint),
        None => error,
    }
}

/// kubectl's words without its log lines and repetitions.
fn readable(stderr: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in stderr.lines().map(str::trim_end) {
        let line = line.strip_prefix("error: ").unwrap_or(line);
        if !line.is_empty() && !is_log(line) && !lines.contains(&line) {
            lines.push(line);
        }
    }
    match lines.is_empty() {
        true => "kubectl failed and said nothing".to_owned(),
        false => lines.join("\n"),
    }
}

/// A line of klog, such as `E1121 10:00:00.000000    1 memcache.go:265] …`.
fn is_log(line: &str) -> bool {
    let mut chars = line.chars();
    chars.next().is_some_and(|c| "IWEF".contains(c))
        && chars.by_ref().take(4).all(|c| c.is_ascii_digit())
        && line.contains("] ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_to_do() {
        for (stderr, part) in [
            (
                "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?",
                "check that the cluster runs",
            ),
            (
                "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
                "no cluster is selected",
            ),
            ("error: context \"x\" does not exist", "get-contexts"),
            (
                "Error from server (Forbidden): nodes is forbidden: User \"x\" cannot list",
                "for this permission",
            ),
            (
                "Error from server (Forbidden): roles is forbidden: user \"x\" is attempting to grant RBAC permissions not currently held:",
                "nobody can grant permissions",
            ),
            (
                "error: Apply failed with 1 conflict: conflict with \"kubectl-edit\": .spec.replicas",
                "--force-conflicts",
            ),
        ] {
            let error = explain(stderr);
            assert!(
                error.hints().concat().contains(part),
                "{stderr}: {:?}",
                error.hints()
            );
        }
        assert!(explain("something new").hints().is_empty());
    }

    #[test]
    fn leaves_log_lines_out() {
        let stderr = "E1121 10:00:00.000000    1 memcache.go:265] \"Unhandled Error\" err=\"x\"\n\
                      error: Unable to connect to the server: EOF\nError in a\n";
        assert_eq!(
            readable(stderr),
            "Unable to connect to the server: EOF\nError in a"
        );
        assert_eq!(readable("\n"), "kubectl failed and said nothing");
    }
}
