//! The first lines of functions.

use super::item::Item;
use super::{INDENT, WIDTH, blanks, width};

/// What may stand before `fn`.
const QUALIFIERS: [&str; 5] = ["pub ", "pub(crate) ", "pub(super) ", "const ", "async "];

/// Whether a line declares a function.
pub(super) fn is_function(line: &str) -> bool {
    let mut rest = line;
    while let Some(behind) = QUALIFIERS.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = behind;
    }
    rest.starts_with("fn ")
}

/// The first line of a function without its indent, broken where it is too long.
pub(super) fn broken(line: &str, indent: usize) -> Option<String> {
    if indent + width(line) <= WIDTH {
        return None;
    }
    let line = line.strip_suffix(" {")?;
    let function = Item::parse(line)?;
    let parameters = function.groups.first()?;
    let (head, rest) = (
        &line[..parameters.range.start],
        &line[parameters.range.end..],
    );
    let start = blanks(indent);
    if parameters.items.is_empty() {
        let below = rest.strip_prefix(' ')?;
        // Without the brace, rustfmt lets it be wider by one.
        return Some(if indent + width(line) <= WIDTH + 1 {
            format!("{line}\n{start}{{")
        } else {
            format!("{head}()\n{start}{below} {{")
        });
    }
    let inside = blanks(indent + INDENT);
    let parameters = parameters.items.iter();
    let lines: String = parameters
        .map(|parameter| format!("{inside}{},\n", parameter.text))
        .collect();
    Some(format!("{head}(\n{lines}{start}){rest} {{"))
}
