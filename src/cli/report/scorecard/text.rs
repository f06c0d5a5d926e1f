use std::fmt::Write;

use crate::olm::scorecard::{Item, Report, TestResult};
use crate::ui::one_line;

/// As `operator-sdk scorecard` prints it, with sorted labels. What others wrote stays on its line.
pub(in crate::cli) fn text(report: &Report) -> String {
    report.items.iter().map(item).collect()
}

fn item(item: &Item) -> String {
    let test = &item.test;
    let mut text = format!("{}\n", "-".repeat(80));
    let _ = writeln!(text, "Image:      {}", one_line(&test.image));
    if !test.entrypoint.is_empty() {
        let entrypoint = test.entrypoint.join(" ");
        let _ = writeln!(text, "Entrypoint: [{}]", one_line(&entrypoint));
    }
    if !test.labels.is_empty() {
        text.push_str("Labels:\n");
        for (key, value) in &test.labels {
            let _ = writeln!(text, "\t{}:{}", quoted(key), quoted(value));
        }
    }
    match item.reason() {
        Some(reason) => {
            let _ = writeln!(text, "Results:\n\tNot run: {}\n", one_line(reason));
        }
        None if item.results().is_empty() => {}
        None => {
            text.push_str("Results:\n");
            for found in item.results() {
                result(found, &mut text);
            }
        }
    }
    text.push('\n');
    text
}

fn result(result: &TestResult, text: &mut String) {
    if !result.name.is_empty() {
        let _ = writeln!(text, "\tName: {}", one_line(&result.name));
    }
    let _ = writeln!(text, "\tState: {}\n", result.state.name());
    let log: Vec<String> = result.log.lines().map(str::to_owned).collect();
    for (title, lines) in [
        ("Suggestions", &result.suggestions),
        ("Errors", &result.errors),
        ("Log", &log),
    ] {
        if !lines.is_empty() {
            let _ = writeln!(text, "\t{title}:");
        }
        for line in lines {
            let _ = writeln!(text, "\t\t{}", one_line(line));
        }
    }
    text.push('\n');
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", one_line(&escaped))
}
