//! The first line of an owned file: it says whose the file is, and its sum shows an edit.

use sha2::{Digest, Sha256};

use crate::hex::hex;

const MARK: &str = " Owned by rop: its commands rewrite this file, so make changes elsewhere [";
const END: &str = "]";

/// What the header of a file on disk says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The file is as rop wrote it, but perhaps for its formatting.
    Intact,
    /// Somebody edited the file.
    Edited,
    /// rop did not write the file.
    Absent,
}

/// Puts the header on a text.
pub(super) fn put(path: &str, text: &str) -> String {
    format!("{}{MARK}{}{END}\n{text}", comment(path), sum(path, text))
}

/// A text without its header, where it has one.
pub(crate) fn body(text: &str) -> &str {
    match text.split_once('\n') {
        Some((line, body)) if line.contains(MARK) => body,
        _ => text,
    }
}

/// Compares a file with its header.
pub(super) fn state(path: &str, text: &str) -> State {
    let Some((line, body)) = text.split_once('\n') else {
        return State::Absent;
    };
    let headed = line
        .trim_end()
        .strip_prefix(comment(path))
        .and_then(|line| line.strip_prefix(MARK)?.strip_suffix(END));
    match headed {
        None => State::Absent,
        Some(headed) if headed == sum(path, body) => State::Intact,
        Some(_) => State::Edited,
    }
}

/// Whether two headed texts have the same header: one is the other, formatted.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    one.lines().next() == other.lines().next()
}

/// Whether the file is Rust source.
pub(crate) fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

fn comment(path: &str) -> &'static str {
    if is_rust(path) { "//" } else { "#" }
}

/// The sum of a text: twelve hexadecimal digits. Line ends do not count, nor does what rustfmt may change in a Rust
/// source: a checkout on another system and a formatted file are not edits.
pub(super) fn sum(path: &str, text: &str) -> String {
    let rust = is_rust(path);
    let mut significant = Vec::with_capacity(text.len());
    // A loop, for the tests run this without optimizations over every file of the library.
    for byte in text.as_bytes() {
        match byte {
            b'\r' => {}
            b',' | b' ' | b'\t' | b'\n' | b'\x0c' if rust => {}
            byte => significant.push(*byte),
        }
    }
    hex(&Sha256::digest(significant)[..6])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_shows() {
        let text = put("config/role.yaml", "a:\n- b\n");
        assert_eq!(state("config/role.yaml", &text), State::Intact);
        assert_eq!(
            state("config/role.yaml", &text.replace('\n', "\r\n")),
            State::Intact
        );
        assert_eq!(
            state("config/role.yaml", &text.replace("- b", "- c")),
            State::Edited
        );
        assert_eq!(
            state("config/role.yaml", &text.replace("- b", "  - b")),
            State::Edited
        );
        assert_eq!(state("config/role.yaml", "a:\n- b\n"), State::Absent);
    }

    #[test]
    fn formatting_a_rust_source_is_no_edit() {
        let text = put("lib.rs", "use a::{b, c};\n");
        let formatted = text.replace("{b, c}", "{\n    b,\n    c,\n}");
        assert_eq!(state("lib.rs", &formatted), State::Intact);
        assert_eq!(state("lib.rs", &text.replace("b,", "d,")), State::Edited);
    }
}
