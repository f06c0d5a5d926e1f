//! Paths that are no resources.

use super::super::rule::Rule;
use crate::manifest::marker::Diagnostic;
use crate::suggest;

/// The methods of HTTP, which are the verbs on such paths
/// (<https://kubernetes.io/docs/reference/access-authn-authz/authorization/>).
const METHODS: [&str; 7] = ["get", "head", "post", "put", "patch", "delete", "options"];

/// The methods that verbs on resources stand for.
const REQUESTS: [(&str, &str); 4] = [
    ("create", "post"),
    ("list", "get"),
    ("update", "put"),
    ("watch", "get"),
];

/// Paths and methods that no request has.
pub(super) fn check(rule: &Rule) -> Vec<Diagnostic> {
    let paths = rule.urls.iter().filter_map(|url| path(url));
    paths
        .chain(rule.verbs.iter().filter_map(|verb| method(verb)))
        .collect()
}

/// A wildcard is the whole path or its end (`NonResourceURLMatches` in
/// `pkg/apis/rbac/v1/evaluation_helpers.go` of `k8s.io/kubernetes`).
fn path(url: &str) -> Option<Diagnostic> {
    let exact = url.strip_suffix('*').unwrap_or(url);
    if url != "*" && !url.starts_with('/') {
        let diagnostic = Diagnostic::new(format!("`{url}` is not a path"));
        return Some(diagnostic.hint(if url.contains("://") {
            "remove the scheme and the host".to_owned()
        } else {
            format!("write `/{url}`")
        }));
    }
    exact.contains('*').then(|| {
        Diagnostic::new(format!("`{url}` matches no path"))
            .hint("`*` is allowed only as the last character")
    })
}

fn method(verb: &str) -> Option<Diagnostic> {
    if verb == "*" || METHODS.contains(&verb) {
        return None;
    }
    let request = REQUESTS.iter().find(|(request, _)| *request == verb);
    let meant = request
        .map(|(_, method)| *method)
        .or_else(|| suggest::nearest(verb, METHODS));
    Some(
        Diagnostic::new(format!("unknown verb `{verb}` for a URL")).hint(match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the verbs are {} and `*`", METHODS.join(", ")),
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted, refused};
    use super::*;

    fn check_url(rule: &Rule, _: &super::super::Catalog) -> Vec<Diagnostic> {
        check(rule)
    }

    #[test]
    fn paths_and_methods_are_accepted() {
        accepted(
            check_url,
            "urls=/metrics;/healthz/*;/api*;*;/,verbs=get;head;post",
        );
        accepted(check_url, "urls=*,verbs=*");
    }

    #[test]
    fn no_path_is_refused() {
        for (url, message, hint) in [
            ("metrics", "`metrics` is not a path", "write `/metrics`"),
            (
                "https://a/b",
                "`https://a/b` is not a path",
                "remove the scheme and the host",
            ),
            (
                "/a/*/b",
                "`/a/*/b` matches no path",
                "`*` is allowed only as the last character",
            ),
            (
                "/a/**",
                "`/a/**` matches no path",
                "`*` is allowed only as the last character",
            ),
        ] {
            refused(check_url, &format!("urls={url},verbs=get"), message, hint);
        }
    }

    #[test]
    fn no_method_is_refused() {
        for (verb, hint) in [
            ("list", "did you mean `get`?"),
            ("create", "did you mean `post`?"),
            ("GET", "did you mean `get`?"),
            (
                "use",
                "the verbs are get, head, post, put, patch, delete, options and `*`",
            ),
        ] {
            refused(
                check_url,
                &format!("urls=/metrics,verbs={verb}"),
                &format!("unknown verb `{verb}` for a URL"),
                hint,
            );
        }
    }
}
