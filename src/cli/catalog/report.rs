//! What is said of a catalog that breaks rules.

use serde_json::{Value, json};

use crate::error::{Code, Error};
use crate::olm::catalog::Finding;

/// So many findings are in a message. The JSON has all.
const MOST: usize = 100;

/// All findings as one error.
pub(super) fn error(folder: &str, findings: &[Finding]) -> Error {
    let count = findings.len();
    let rules = if count == 1 { "error" } else { "errors" };
    let mut lines = vec![format!("the catalog `{folder}` has {count} {rules}:")];
    lines.extend(findings.iter().take(MOST).map(ToString::to_string));
    if count > MOST {
        lines.push(format!("… and {} more: see `--json`", count - MOST));
    }
    Error::new(Code::InvalidCatalog, lines.join("\n"))
}

pub(super) fn json(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule.id(),
        "level": "error",
        "file": finding.file,
        "line": (finding.line > 0).then_some(finding.line),
        "field": (!finding.field.is_empty()).then_some(&finding.field),
        "message": finding.message,
        "hint": finding.rule.hint(),
    })
}
