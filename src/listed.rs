//! Long lists in a sentence.

use std::fmt::Display;

/// The first `most` of a list, and how many more there are: `a, b and 3 more`.
pub(crate) fn listed<T: Display>(all: &[T], most: usize) -> String {
    let first: Vec<String> = all.iter().take(most).map(ToString::to_string).collect();
    match all.len().saturating_sub(most) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
