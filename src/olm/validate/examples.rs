//! The examples of the `ClusterServiceVersion`: JSON in an annotation.

use serde_json::Value;

use crate::olm::read::Node;

use super::input::{Gvk, Input};
use super::report::Findings;

/// A custom resource that shows how a kind is used.
#[derive(Clone, Debug)]
pub(in crate::olm) struct Example {
    pub(in crate::olm) gvk: Gvk,
    pub(in crate::olm) value: Value,
    /// The line of the annotation's text, from 1.
    pub(in crate::olm) line: usize,
}

/// The annotation with the examples.
pub(in crate::olm) fn annotation<'a>(input: &Input<'a>) -> Option<Node<'a>> {
    let annotations = input.csv_annotations()?;
    let mut keys = ["alm-examples", "olm.examples"].into_iter();
    keys.find_map(|key| {
        let examples = annotations.get(key);
        (!examples.is_missing()).then_some(examples)
    })
}

/// The examples. None if they cannot be read.
pub(in crate::olm) fn examples(annotation: &Node<'_>) -> Option<Vec<Example>> {
    let text = annotation.text();
    if text.is_empty() {
        return Some(Vec::new());
    }
    let Value::Array(examples) = serde_json::from_str(text).ok()? else {
        return None;
    };
    let lines = item_lines(text);
    let example = |(index, value): (usize, Value)| {
        let version = value["apiVersion"].as_str().unwrap_or_default();
        let (group, version) = version.rsplit_once('/').unwrap_or(("", version));
        let gvk = Gvk {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: value["kind"].as_str().unwrap_or_default().to_owned(),
        };
        let line = lines.get(index).copied().unwrap_or(1);
        Example { gvk, value, line }
    };
    Some(examples.into_iter().enumerate().map(example).collect())
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

/// Says what keeps the examples from being read.
pub(in crate::olm) fn malformed(input: &Input<'_>, found: &mut Findings<'_>) {
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
