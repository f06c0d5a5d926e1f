use std::path::Path;

use serde_json::{Map, Value, json};

use crate::cli::report::findings::path;
use crate::olm::scorecard::{Item, Report, TestResult};
use crate::olm::validate::Finding;

const API_VERSION: &str = "scorecard.operatorframework.io/v1alpha3";

/// As `operator-sdk scorecard -o json` prints it.
pub(in crate::cli) fn test_list(report: &Report) -> Value {
    let items = report.items.iter().map(|item| {
        let mut status = json!({});
        if !item.results().is_empty() {
            let results = item.results().iter().map(|it| Value::from(result(it)));
            status["results"] = results.collect();
        }
        json!({ "kind": "Test", "apiVersion": API_VERSION, "spec": item.test.json(), "status": status })
    });
    let items: Vec<_> = items.collect();
    json!({ "kind": "TestList", "apiVersion": API_VERSION, "items": items })
}

fn result(result: &TestResult) -> Map<String, Value> {
    let mut json = Map::new();
    let mut text = |key: &str, text: &str| {
        if !text.is_empty() {
            json.insert(key.to_owned(), text.into());
        }
    };
    text("name", &result.name);
    text("log", &result.log);
    text("state", result.state.name());
    for (key, texts) in [
        ("errors", &result.errors),
        ("suggestions", &result.suggestions),
    ] {
        if !texts.is_empty() {
            json.insert(key.to_owned(), texts.clone().into());
        }
    }
    if let Some(created) = &result.created {
        json.insert("creationTimestamp".to_owned(), created.clone().into());
    }
    json
}

/// As all of rop's JSON.
pub(in crate::cli) fn json(report: &Report, directory: &Path, config: &Path) -> Value {
    let test = |item: &Item| {
        let results = item.results().iter().map(|found| {
            let mut json = result(found);
            let findings = found.findings.iter().map(|it| finding(it, directory));
            json.insert("findings".to_owned(), findings.collect());
            Value::from(json)
        });
        json!({
            "name": item.test.name(),
            "spec": item.test.json(),
            "results": results.collect::<Vec<_>>(),
            "notRun": item.reason(),
        })
    };
    json!({
        "command": "scorecard",
        "directory": directory.display().to_string(),
        "config": config.display().to_string(),
        "passed": !report.items.iter().any(Item::fails),
        "tests": report.items.iter().map(test).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding, directory: &Path) -> Value {
    json!({
        "level": finding.level.to_string(),
        "rule": finding.rule,
        "file": path(directory, &finding.file),
        "line": finding.line,
        "field": finding.field,
        "message": finding.message,
        "hint": finding.hint,
    })
}
