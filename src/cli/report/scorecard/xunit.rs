use std::fmt::Write;

use crate::olm::scorecard::{Item, Report, State, TestResult};
use crate::ui::one_line;

/// As `operator-sdk scorecard -o xunit` prints it, but well formed whatever is in a message, and without the time of
/// the year 1 at each test.
pub(in crate::cli) fn xunit(report: &Report) -> String {
    let mut xml = "<testsuites name=\"scorecard\">\n".to_owned();
    for (number, item) in (1..).zip(&report.items) {
        suite(item, number, &mut xml);
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn suite(item: &Item, number: usize, xml: &mut String) {
    let labels = &item.test.labels;
    let name = labels
        .get("test")
        .cloned()
        .unwrap_or_else(|| format!("testsuite-{number:03}"));
    let results = item.results();
    let count = |state: State| results.iter().filter(|it| it.state == state).count();
    let (failures, errors) = (count(State::Fail), count(State::Error));
    let skipped = usize::from(item.reason().is_some());
    let tests = results.len() + skipped;
    let _ = writeln!(
        xml,
        "  <testsuite name=\"{}\" tests=\"{tests}\" skipped=\"{skipped}\" failures=\"{failures}\" errors=\"{errors}\">",
        escaped(&name)
    );
    let entrypoint = item.test.entrypoint.join(" ");
    let mut properties = vec![
        ("spec.image", &item.test.image),
        ("spec.entrypoint", &entrypoint),
        ("labels.test", &name),
    ];
    properties.extend(
        labels
            .get("cluster-phase")
            .map(|phase| ("labels.cluster-phase", phase)),
    );
    xml.push_str("    <properties>\n");
    for (name, value) in properties {
        let value = escaped(value);
        let _ = writeln!(
            xml,
            "      <property name=\"{name}\" value=\"{value}\"></property>"
        );
    }
    xml.push_str("    </properties>\n");
    if let Some(reason) = item.reason() {
        let (name, reason) = (escaped(&name), escaped(reason));
        let _ = writeln!(
            xml,
            "    <testcase name=\"{name}\">\n      <skipped message=\"{reason}\"></skipped>\n    </testcase>"
        );
    }
    for result in results {
        case(result, xml);
    }
    xml.push_str("  </testsuite>\n");
}

fn case(result: &TestResult, xml: &mut String) {
    let _ = writeln!(xml, "    <testcase name=\"{}\">", escaped(&result.name));
    let log = lines(result.log.lines());
    let _ = writeln!(xml, "      <system-out>{log}</system-out>");
    let kind = match result.state {
        State::Pass => None,
        State::Fail => Some("failure"),
        State::Error => Some("error"),
    };
    if let Some(kind) = kind {
        let texts = result.errors.iter().chain(&result.suggestions);
        let message = lines(texts.map(String::as_str));
        let _ = writeln!(xml, "      <{kind} type=\"{kind}\">{message}</{kind}>");
    }
    xml.push_str("    </testcase>\n");
}

fn lines<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(escaped).collect::<Vec<_>>().join("\n")
}

/// A text of one line as XML has it, which cannot hold control characters at all.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in one_line(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML has no place for these, not even by their number.
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            letter => escaped.push(letter),
        }
    }
    escaped
}
