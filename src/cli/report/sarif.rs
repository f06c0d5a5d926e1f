//! Findings as SARIF 2.1.0, which code hosts show beside the code.

use std::path::Path;

use serde_json::{Value, json};

use crate::olm::validate::{Finding, Report, Rule, rules};

use super::findings::path;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The findings, and the rules that they break.
pub(in crate::cli) fn sarif(report: &Report, directory: &Path) -> Value {
    let broken: Vec<&Rule> = rules()
        .filter(|rule| report.findings.iter().any(|it| it.rule == rule.id))
        .collect();
    let rules: Vec<_> = broken.iter().map(|rule| descriptor(rule)).collect();
    let result = |finding: &Finding| {
        let index = broken.iter().position(|rule| rule.id == finding.rule);
        json!({
            "ruleId": finding.rule,
            "ruleIndex": index,
            "level": finding.level.to_string(),
            "message": { "text": format!("{}\nhint: {}", finding.message, finding.hint) },
            "locations": [location(finding, directory)],
        })
    };
    let results: Vec<_> = report.findings.iter().map(result).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "rop",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.summary },
        "help": { "text": rule.hint },
        "defaultConfiguration": { "level": rule.level.to_string() },
    })
}

fn location(finding: &Finding, directory: &Path) -> Value {
    let mut physical = json!({
        "artifactLocation": { "uri": uri(&path(directory, &finding.file)) },
    });
    if let Some(line) = finding.line {
        physical["region"] = json!({ "startLine": line });
    }
    let mut location = json!({ "physicalLocation": physical });
    if !finding.field.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": finding.field }]);
    }
    location
}

/// A path as a URI: relative ones are so to the directory that the command runs in.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let mut uri = if path.starts_with('/') {
        "file://".to_owned()
    } else {
        String::new()
    };
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.extend(['%', hex(byte >> 4), hex(byte & 0xf)]),
        }
    }
    uri
}

/// A digit of a hexadecimal number.
fn hex(digit: u8) -> char {
    char::from_digit(digit.into(), 16)
        .unwrap_or_default()
        .to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("./a b/c#.yaml"), "a%20b/c%23.yaml");
        assert_eq!(uri("/tmp/ö"), "file:///tmp/%C3%B6");
    }
}
