//! The examples of the `ClusterServiceVersion`: JSON in an annotation.

use serde_json::Value;

use crate::olm::read::Node;
use crate::olm::validate::input::{Gvk, Input, described_gvk};
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Csv;

pub(super) const RULES: &[Rule] = &[
    Rule::warning(
        Csv,
        "examples-missing",
        "The CSV has examples",
        "add the annotation `alm-examples`",
        |input, found| {
            if let Some(annotations) = input.csv_annotations()
                && !annotations.is_empty()
                && annotation(input).is_none()
            {
                found.at(&annotations, "the CSV has no examples");
            }
        },
    ),
    Rule::warning(
        Csv,
        "examples-twice",
        "The examples are in `alm-examples` or in `olm.examples`",
        "remove `olm.examples`",
        |input, found| {
            if let Some(annotations) = input.csv_annotations() {
                let other = annotations.get("olm.examples");
                if !annotations.get("alm-examples").is_missing() && !other.is_missing() {
                    found.at(&other, "`olm.examples` is not read beside `alm-examples`");
                }
            }
        },
    ),
    Rule::error(
        Csv,
        "examples-malformed",
        "The examples are a list of objects in JSON",
        "write a list such as `[{\"apiVersion\": …, \"kind\": …}]`",
        malformed,
    ),
    Rule::error(
        Csv,
        "example-not-owned",
        "Each example is of a kind that the CSV owns",
        "remove the example, or correct its `apiVersion` and `kind`",
        not_owned,
    ),
    Rule::warning(
        Csv,
        "example-missing",
        "Each version of a kind that the CSV owns has an example",
        "add one to `alm-examples`",
        missing,
    ),
];

/// The annotation with the examples.
fn annotation<'a>(input: &Input<'a>) -> Option<Node<'a>> {
    let annotations = input.csv_annotations()?;
    let mut keys = ["alm-examples", "olm.examples"].into_iter();
    keys.find_map(|key| {
        let examples = annotations.get(key);
        (!examples.is_missing()).then_some(examples)
    })
}

/// The examples, each with its kind and its line in the annotation. None if they cannot be read.
fn examples(annotation: &Node<'_>) -> Option<Vec<(Gvk, usize)>> {
    let text = annotation.text();
    if text.is_empty() {
        return Some(Vec::new());
    }
    let examples: Value = serde_json::from_str(text).ok()?;
    let lines = item_lines(text);
    let example = |(index, example): (usize, &Value)| {
        let version = example["apiVersion"].as_str().unwrap_or_default();
        let (group, version) = version.rsplit_once('/').unwrap_or(("", version));
        let gvk = Gvk {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: example["kind"].as_str().unwrap_or_default().to_owned(),
        };
        (gvk, lines.get(index).copied().unwrap_or(1))
    };
    Some(
        examples
            .as_array()?
            .iter()
            .enumerate()
            .map(example)
            .collect(),
    )
}

/// The lines, from 1, at which the items of a list in JSON start.
fn item_lines(text: &str) -> Vec<usize> {
    let (mut lines, mut line, mut depth) = (Vec::new(), 1, 0_usize);
    let (mut is_string, mut is_escaped, mut is_next) = (false, false, false);
    for letter in text.chars() {
        if depth == 1 && is_next && !letter.is_whitespace() {
            lines.push(line);
            is_next = false;
        }
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_string,
            '"' => is_string = !is_string,
            '\n' => line += 1,
            _ if is_string => {}
            '[' | '{' => {
                depth += 1;
                is_next |= depth == 1;
            }
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' => is_next |= depth == 1,
            _ => {}
        }
    }
    lines
}

/// The kinds that the CSV provides, each with where it says so.
fn provided<'a>(input: &Input<'a>) -> Vec<(Gvk, Node<'a>)> {
    let owned = input.owned();
    let owned = owned.filter_map(|entry| Some((described_gvk(&entry)?, entry)));
    let services = input.csv_items("spec.apiservicedefinitions.owned");
    let services = services.map(|service| {
        let text = |name: &str| service.get(name).text().to_owned();
        let gvk = Gvk {
            group: text("group"),
            version: text("version"),
            kind: text("kind"),
        };
        (gvk, service)
    });
    owned.chain(services).collect()
}

fn malformed(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotation) = annotation(input).filter(|it| it.value.is_string()) else {
        return;
    };
    let text = annotation.text();
    if text.is_empty() {
        return;
    }
    match serde_json::from_str::<Value>(text) {
        Err(error) => {
            let why = error.to_string();
            // The place in the annotation, which the finding has.
            let why = why.rsplit_once(" at line ").map_or(&*why, |(why, _)| why);
            let message = format!("the examples are not JSON: {why}");
            found.in_text(&annotation, error.line(), message);
        }
        Ok(Value::Array(items)) => {
            for (index, (item, line)) in items.iter().zip(item_lines(text)).enumerate() {
                if !item.is_object() {
                    let message = format!("example {} is not an object", index + 1);
                    found.in_text(&annotation, line, message);
                }
            }
        }
        Ok(_) => found.at(&annotation, "the examples are not a list"),
    }
}

fn not_owned(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotation) = annotation(input) else {
        return;
    };
    let provided = provided(input);
    for (gvk, line) in examples(&annotation).unwrap_or_default() {
        if !provided.iter().any(|(it, _)| *it == gvk) {
            let message = format!("the CSV does not own the kind of the example, {gvk}");
            found.in_text(&annotation, line, message);
        }
    }
}

fn missing(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(examples) = annotation(input).and_then(|it| examples(&it)) else {
        return;
    };
    for (gvk, entry) in provided(input) {
        if !examples.iter().any(|(it, _)| *it == gvk) {
            found.at(&entry, format!("{gvk} has no example"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::item_lines;

    #[test]
    fn items_are_found_by_their_lines() {
        let text = "[{\"a\": [1,\n2]},\n\n  \"x,\\\"]\",\n  [],\n3]";
        assert_eq!(item_lines(text), [1, 4, 5, 6]);
        assert_eq!(item_lines(""), [0_usize; 0]);
    }
}
