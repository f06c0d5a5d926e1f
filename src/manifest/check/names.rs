//! Names, group, scope and versions.

use std::collections::BTreeSet;

use serde_json::Value;

use super::problem::Report;
use super::schema::{list, text};

/// Groups that belong to Kubernetes need this annotation.
const APPROVAL: &str = "api-approved.kubernetes.io";

pub(super) fn check(crd: &Value, report: &mut Report<'_>) {
    let spec = &crd["spec"];
    let (group, names) = (text(&spec["group"]), &spec["names"]);
    if !is_subdomain(group) || !group.contains('.') {
        report.refuse(
            "spec.group",
            format!("`{group}` must be a lower case DNS name with at least one dot"),
        );
    }
    let scope = text(&spec["scope"]);
    if scope != "Namespaced" && scope != "Cluster" {
        report.refuse(
            "spec.scope",
            format!("`{scope}` is neither `Namespaced` nor `Cluster`"),
        );
    }
    let plural = text(&names["plural"]);
    let name = text(&crd["metadata"]["name"]);
    if name != format!("{plural}.{group}") {
        report.refuse(
            "metadata.name",
            format!("`{name}` must be `{plural}.{group}`"),
        );
    }
    label(plural, "spec.names.plural", report);
    let kind = text(&names["kind"]);
    label(&kind.to_lowercase(), "spec.names.kind", report);
    for key in ["singular", "listKind"] {
        if let Some(name) = names[key].as_str().filter(|name| !name.is_empty()) {
            let lower = if key == "listKind" {
                name.to_lowercase()
            } else {
                name.to_owned()
            };
            label(&lower, &format!("spec.names.{key}"), report);
        }
    }
    if !kind.is_empty() && names["listKind"] == kind {
        report.refuse(
            "spec.names.listKind",
            format!("`{kind}` must differ from the kind"),
        );
    }
    for key in ["shortNames", "categories"] {
        for (at, name) in list(&names[key]).iter().enumerate() {
            label(text(name), &format!("spec.names.{key}[{at}]"), report);
        }
    }
    versions(spec, report);
    approval(crd, group, report);
}

fn versions(spec: &Value, report: &mut Report<'_>) {
    let versions = list(&spec["versions"]);
    let stored = versions.iter().filter(|version| version["storage"] == true);
    if stored.count() != 1 {
        report.refuse(
            "spec.versions",
            "exactly one version must have `storage: true`",
        );
    }
    let mut names = BTreeSet::new();
    for version in versions {
        let name = text(&version["name"]);
        if !names.insert(name) {
            report.refuse("spec.versions", format!("duplicate `{name}`"));
        }
    }
    if spec["preserveUnknownFields"] == true {
        report.refuse("spec.preserveUnknownFields", "must be false");
    }
}

fn approval(crd: &Value, group: &str, report: &mut Report<'_>) {
    let is_theirs = ["k8s.io", "kubernetes.io"].iter().any(|domain| {
        group
            .strip_suffix(domain)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    let approval = text(&crd["metadata"]["annotations"][APPROVAL]);
    let is_url = approval.split_once("://").is_some_and(|(scheme, rest)| {
        !scheme.is_empty() && !rest.starts_with('/') && !rest.is_empty()
    });
    if is_theirs && !is_url && !approval.starts_with("unapproved") {
        report
            .refuse(
                "metadata.annotations",
                format!(
                    "the group `{group}` is reserved for Kubernetes: `{APPROVAL}` must have a \
                    URL, or start with `unapproved`"
                ),
            )
            .hint("use a group in a domain of your own");
    }
}

/// Checks a label of DNS (RFC 1035).
pub(super) fn label(name: &str, field: &str, report: &mut Report<'_>) {
    let is_label = is_label(name) && name.starts_with(|letter: char| letter.is_ascii_lowercase());
    if !is_label {
        report.refuse(
            field,
            format!("`{name}` must have at most 63 lower case letters, digits and `-`, start with a letter and \
                not end with `-`"),
        );
    }
}

fn is_label(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&name.len())
        && name.bytes().all(is_allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

fn is_subdomain(name: &str) -> bool {
    let is_part =
        |part: &str| is_label(&part.chars().take(63).collect::<String>()) && !part.ends_with('-');
    name.len() <= 253 && name.split('.').all(is_part)
}
