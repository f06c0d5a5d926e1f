//! What the objects of a chart are called.

use serde_json::Value;

/// Names that templates need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    /// What the names of the chart's own templates start with.
    pub(super) chart: &'a str,
    /// The service account of the operator, as the manifests name it.
    pub(super) account: Option<&'a Value>,
}

impl Names<'_> {
    /// The action that prints the name of the service account.
    pub(super) fn account_name(&self) -> String {
        format!("include \"{}.serviceAccountName\" $ | quote", self.chart)
    }

    /// Whether a value is the name of the service account.
    pub(super) fn is_account(&self, name: &Value) -> bool {
        self.account.is_some_and(|account| account == name)
    }
}

/// A name as that of a file: what a manifest has there may be anything.
pub(super) fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name: String = name
        .chars()
        .map(|c| if is_plain(c) { c } else { '-' })
        .take(200)
        .collect();
    name.trim_start_matches('.').to_owned()
}
