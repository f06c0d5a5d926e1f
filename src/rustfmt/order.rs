//! The order of imports.

use std::cmp::Ordering;

/// Compares two names as rustfmt does where it sorts imports: by the numbers in them, and `_` before all else.
pub(crate) fn order(left: &str, right: &str) -> Ordering {
    parts(left).cmp(&parts(right)).then_with(|| left.cmp(right))
}

/// A part of a name.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    Underscore,
    Number(usize, &'a str),
    Text(&'a str),
}

fn parts(name: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_same = |c: char| match first {
            '_' => false,
            first => c != '_' && c.is_ascii_digit() == first.is_ascii_digit(),
        };
        let end = rest.char_indices().skip(1).find(|(_, c)| !is_same(*c));
        let (part, behind) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        parts.push(match first {
            '_' => Part::Underscore,
            first if first.is_ascii_digit() => {
                let digits = part.trim_start_matches('0');
                Part::Number(digits.len(), digits)
            }
            _ => Part::Text(part),
        });
        rest = behind;
    }
    parts
}
