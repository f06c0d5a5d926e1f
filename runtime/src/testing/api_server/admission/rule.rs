//! The rules that select the requests of a webhook.

use serde::Deserialize;

use crate::testing::api_server::resource::Resource;

/// A rule of a webhook.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    operations: Vec<String>,
    api_groups: Vec<String>,
    api_versions: Vec<String>,
    resources: Vec<String>,
    #[serde(default)]
    scope: Option<String>,
}

impl Rule {
    pub(super) fn matches(&self, operation: &str, resource: &Resource, subresource: &str) -> bool {
        let has =
            |list: &[String], value: &str| list.iter().any(|entry| entry == "*" || entry == value);
        has(&self.operations, operation)
            && has(&self.api_groups, &resource.group)
            && has(&self.api_versions, &resource.version)
            && self.is_in_scope(resource)
            && self
                .resources
                .iter()
                .any(|entry| names(entry, &resource.plural, subresource))
    }

    /// A Namespace is cluster-scoped, although its requests have a namespace.
    fn is_in_scope(&self, resource: &Resource) -> bool {
        match self.scope.as_deref() {
            Some("Cluster") => !resource.is_namespaced,
            Some("Namespaced") => resource.is_namespaced,
            _ => true,
        }
    }
}

/// Whether an entry such as `pods`, `pods/status`, `pods/*`, `*/scale`, `*` or `*/*` includes a resource. Without a
/// slash, it includes no subresource.
fn names(entry: &str, plural: &str, subresource: &str) -> bool {
    let (of_plural, of_subresource) = entry.split_once('/').unwrap_or((entry, ""));
    (of_plural == "*" || of_plural == plural)
        && (of_subresource == "*" || of_subresource == subresource)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn an_entry_names_resources() {
        for (entry, plural, subresource, expected) in [
            ("pods", "pods", "", true),
            ("pods", "pods", "status", false),
            ("pods/status", "pods", "status", true),
            ("pods/status", "pods", "", false),
            ("pods/*", "pods", "", true),
            ("*/status", "jobs", "status", true),
            ("*", "jobs", "", true),
            ("*", "jobs", "status", false),
            ("*/*", "jobs", "status", true),
            ("jobs", "pods", "", false),
        ] {
            let is = names(entry, plural, subresource);
            assert_eq!(is, expected, "{entry} {plural}/{subresource}");
        }
    }
}
