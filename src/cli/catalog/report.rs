//! What is said of a catalog that breaks rules.

use serde_json::{Value, json};

use crate::error::{Code, Error};
use crate::olm::catalog::Finding;

/// So many findings are in a message. The JSON has all.
const MOST: usize = 100;

/// All findings as one error, with their paths as seen from where rop runs.
pub(super) fn error(folder: &str, findings: &[Finding]) -> Error {
    let count = findings.len();
    let rules = if count == 1 { "error" } else { "errors" };
    let mut message = format!("the catalog `{folder}` has {count} {rules}:");
    for finding in findings.iter().take(MOST) {
        message.push_str(&format!("\n{folder}/{finding}"));
    }
    if count > MOST {
        message.push_str(&format!("\n… and {} more: see `--json`", count - MOST));
    }
    Error::new(Code::InvalidCatalog, message)
}

pub(super) fn json(folder: &str, finding: &Finding) -> Value {
    json!({
        "rule": finding.rule.id(),
        "level": "error",
        "file": format!("{folder}/{}", finding.file),
        "line": (finding.line > 0).then_some(finding.line),
        "field": (!finding.field.is_empty()).then_some(&finding.field),
        "message": finding.message,
        "hint": finding.rule.hint(),
    })
}
