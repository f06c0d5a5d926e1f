//! YAML, read and written: the one place that knows the library.

mod builder;
mod documents;
mod error;
mod places;
mod scalar;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Code, Context, Result};

pub(crate) use builder::MOST_COPIES;
pub(crate) use documents::{Located, Malformed, documents, has_comments, located};
pub(crate) use error::Error;
pub(crate) use places::{Place, push};

/// Reads one document.
pub(crate) fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_yaml::from_str(text).map_err(|error| Error::new(text, &error))
}

/// Writes one document: two spaces a level, no line folded, strings quoted where YAML 1.1 would
/// read something else.
pub(crate) fn to_string<T: Serialize>(value: &T) -> Result<String> {
    let text = written(value, true)?;
    if has_tab_in_front(&text) {
        return written(value, false);
    }
    Ok(text)
}

fn written<T: Serialize>(value: &T, has_blocks: bool) -> Result<String> {
    let options = serde_yaml::ser_options! {
        folded_wrap_chars: usize::MAX,
        min_fold_chars: usize::MAX,
        prefer_block_scalars: has_blocks,
    };
    serde_yaml::to_string_with_options(value, options)
        .context(Code::GenerationFailed, || "failed to write YAML")
}

/// Whether a block of lines may begin with a tab. YAML has such blocks; what kubectl and Helm read YAML by takes the tab
/// for an indentation, and refuses it.
fn has_tab_in_front(text: &str) -> bool {
    let lines = text
        .lines()
        .filter(|line| !line.trim_matches(' ').is_empty());
    let next = lines.clone().skip(1);
    lines.zip(next).any(|(line, next)| {
        let header = line.trim_end_matches(|c: char| c.is_ascii_digit() || "+-".contains(c));
        header.ends_with('|') && next.trim_start_matches(' ').starts_with('\t')
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Go's reader takes a tab in front of a block for an indentation.
    #[test]
    fn no_block_begins_with_a_tab() {
        let map = |text: &str| to_string(&json!({"a": text, "b": "one\ntwo\n"})).expect("YAML");
        for text in [
            "\t\nsecond\n",
            "\tfirst\nsecond\n",
            "\tfirst\n",
            "\n\n\tx\n",
        ] {
            let written = map(text);
            assert!(!written.contains('\t'), "{written}");
            let read: serde_json::Value = from_str(&written).expect("YAML");
            assert_eq!(read["a"], text);
        }
        assert_eq!(map("first\n\tsecond\n").matches(": |").count(), 2);
    }
}
