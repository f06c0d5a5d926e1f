//! The first line of an owned file: it says whose the file is, and its sum shows an edit.

use serde_json::Value;

use super::sum::{is_rust, sum};
use crate::cargo::formatted;

const MARK: &str = " Owned by rop: its commands rewrite this file, so make changes elsewhere [";
const END: &str = "]";

/// How a language writes a comment of one line: what begins it, and what ends it.
type Comment = [&'static str; 2];
const RUST: Comment = ["//", ""];
const MARKDOWN: Comment = ["<!--", " -->"];
const ROFF: Comment = [".\\\"", ""];
/// Helm prints nothing for it.
const TEMPLATE: Comment = ["{{/*", " */}}"];
/// JSON has no comments: this is the first field, and opens the object.
const JSON: Comment = ["{ \"$comment\": \"", "\","];
const OTHER: Comment = ["#", ""];

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
pub(super) fn add(path: &str, text: &str) -> String {
    let [start, end] = comment(path);
    format!("{start}{MARK}{}{END}{end}\n{text}", sum(path, text))
}

/// An object as the text of a JSON file, which the header opens.
pub(crate) fn json_body(object: &Value) -> String {
    let text = format!("{object:#}\n");
    text.strip_prefix("{\n").unwrap_or(&text).to_owned()
}

/// A text without its header and what is above it, where it has one.
pub(crate) fn body(text: &str) -> &str {
    match split(text).1.split_once('\n') {
        Some((line, body)) if line.contains(MARK) => body,
        _ => text,
    }
}

/// What stands above the header, and the rest: a license, or other comments of the user's.
pub(super) fn split(text: &str) -> (&str, &str) {
    let mark = text.lines().find(|line| line.contains(MARK));
    let mut kinds = [RUST, MARKDOWN, ROFF, TEMPLATE, JSON]
        .into_iter()
        .filter(|[start, _]| mark.is_some_and(|line| line.starts_with(start)));
    let mut start = 0;
    for line in comments(text, kinds.next().unwrap_or(OTHER), true) {
        if line.contains(MARK) {
            return text.split_at(start);
        }
        start += line.len();
    }
    ("", text)
}

/// What every license says of itself, in some case.
const LICENSE: [&str; 3] = ["copyright", "license", "spdx-"];

/// Whether all that stands above a text is a license. Another comment is what somebody wrote.
pub(super) fn is_license(above: &str) -> bool {
    let above = above.to_lowercase();
    above.trim().is_empty() || LICENSE.iter().any(|word| above.contains(word))
}

/// A text without the comment that its first lines are, such as a license, and the empty lines behind it.
fn without_license<'a>(path: &str, text: &'a str) -> &'a str {
    let license: usize = comments(text, comment(path), false).map(str::len).sum();
    text[license..].trim_start_matches('\n')
}

/// The lines at the start of a text that are comments as a whole, and `blank` ones: what stands behind the end of a
/// comment, and what another language takes for one, is none. Documentation belongs to what it documents.
fn comments(text: &str, comment: Comment, blank: bool) -> impl Iterator<Item = &str> {
    let is_rust = comment == RUST;
    let [start, end] = comment;
    let mut in_block = false;
    text.split_inclusive('\n').take_while(move |line| {
        let line = line.trim();
        let is_doc = ["//!", "///", "/*!", "/**"]
            .iter()
            .any(|doc| line.starts_with(doc));
        let opens = is_rust && !in_block && !is_doc && line.starts_with("/*");
        // rop's own line stands in no comment.
        if opens || in_block && !line.contains(MARK) {
            let inside = if opens { &line[2..] } else { line };
            let end = inside.find("*/");
            in_block = end.is_none();
            return end.is_none_or(|end| inside[end..].len() == 2);
        }
        match (line, is_rust) {
            _ if in_block => false,
            ("", _) => blank,
            (line, true) => line.starts_with("//") && !is_doc,
            (line, false) => line.starts_with(start) && line.ends_with(end),
        }
    })
}

/// Compares a file with its header.
pub(super) fn state(path: &str, text: &str) -> State {
    let Some((line, body)) = split(text).1.split_once('\n') else {
        return State::Absent;
    };
    let [start, end] = comment(path);
    let headed = line.trim_end().strip_prefix(start).and_then(|line| {
        line.strip_suffix(end)?
            .strip_prefix(MARK)?
            .strip_suffix(END)
    });
    match headed {
        None => State::Absent,
        Some(headed) if has_sum(path, body, headed) => State::Intact,
        Some(_) => State::Edited,
    }
}

/// Whether a text has a sum, but perhaps for its formatting: rustfmt's defaults undo what the options of a project
/// had it do.
fn has_sum(path: &str, text: &str, expected: &str) -> bool {
    let has_sum_of = |text: &str| sum(path, text) == expected;
    has_sum_of(text) || (is_rust(path) && formatted(text).is_some_and(|text| has_sum_of(&text)))
}

/// Whether a file without a header has a sum, but perhaps for a license above it.
pub(super) fn has_sum_below_license(path: &str, text: &str, expected: &str) -> bool {
    sum(path, text) == expected || sum(path, without_license(path, text)) == expected
}

/// What is above a text that equals `base` except for formatting: nothing, or a license. None if somebody
/// edited it.
pub(crate) fn above<'a>(path: &str, base: &str, text: &'a str) -> Option<&'a str> {
    let is_made = |text: &str| {
        text == base || (is_rust(path) && formatted(text).is_some_and(|text| text == base))
    };
    if is_made(text) {
        return Some("");
    }
    let below = without_license(path, text);
    let above = &text[..text.len() - below.len()];
    (!above.is_empty() && is_made(below)).then_some(above)
}

/// Whether somebody edited a file of rop's.
pub(crate) fn is_edited(path: &str, text: &str) -> bool {
    state(path, text) == State::Edited
}

/// Whether a text has a header of rop's.
pub(crate) fn is_headed(path: &str, text: &str) -> bool {
    state(path, text) != State::Absent
}

/// Whether two headed texts have the same header: rop wrote the same, whatever became of it.
pub(crate) fn is_same(left: &str, right: &str) -> bool {
    split(left).1.lines().next() == split(right).1.lines().next()
}

/// Whether Helm reads the file: it is in the folder of a chart's templates.
fn is_template(path: &str) -> bool {
    path.starts_with("templates/") || path.contains("/templates/")
}

fn comment(path: &str) -> Comment {
    if is_rust(path) {
        RUST
    } else if path.ends_with(".md") || path.ends_with(".html") {
        MARKDOWN
    } else if path.ends_with(".1") {
        ROFF
    } else if path.ends_with(".json") {
        JSON
    } else if is_template(path) {
        TEMPLATE
    } else {
        OTHER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_shows() {
        let text = add("config/role.yaml", "a:\n- b\n");
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
    fn what_stands_above_the_header_is_no_edit() {
        let yaml = add("role.yaml", "a:\n- b\n");
        let rust = add("lib.rs", "fn a() {}\n");
        for (path, text, above) in [
            ("role.yaml", &yaml, "# Copyright\n#\n# License\n\n"),
            ("lib.rs", &rust, "// Copyright\n\n"),
            ("lib.rs", &rust, "/*\nCopyright\n*/\n\n"),
        ] {
            let licensed = format!("{above}{text}");
            assert_eq!(state(path, &licensed), State::Intact, "{licensed}");
            assert_eq!(split(&licensed), (above, &**text));
            assert!(is_same(&licensed, text));
            assert_eq!(body(&licensed), body(text));
            assert_eq!(state(path, &format!("{licensed}b")), State::Edited);
        }
        for above in [
            "/* c */ mod evil;\n",
            "/*\n c */ mod evil;\n",
            "#![allow(warnings)]\n",
            "/*/ mod evil;\n",
        ] {
            assert_eq!(state("lib.rs", &format!("{above}{rust}")), State::Absent);
        }
        for above in ["/* x: */\n", "// x\n"] {
            assert_eq!(state("role.yaml", &format!("{above}{yaml}")), State::Absent);
        }
        let code = format!("fn b() {{}}\n{rust}");
        assert_eq!(state("lib.rs", &code), State::Absent);
    }

    #[test]
    fn the_header_of_a_page_is_not_shown() {
        let text = add("docs/api.md", "# API\n");
        assert!(text.starts_with("<!-- Owned by rop: "), "{text}");
        assert_eq!(body(&text), "# API\n");
        let licensed = format!("<!-- Copyright -->\n\n{text}");
        for intact in [&text, &licensed] {
            assert_eq!(state("docs/api.md", intact), State::Intact, "{intact}");
            assert_eq!(body(intact), "# API\n");
        }
        let page = format!("# Ours\n{text}");
        assert_eq!(state("docs/api.md", &page), State::Absent);
        let edited = text.replace("# API", "# Ours");
        assert_eq!(state("docs/api.md", &edited), State::Edited);
    }

    #[test]
    fn a_license_says_that_it_is_one() {
        for license in [
            "",
            "\n",
            "// Copyright 2026 Me\n",
            "# SPDX-License-Identifier: MIT\n",
        ] {
            assert!(is_license(license), "{license}");
        }
        for comment in ["// TODO: ask Ann.\n", "# mine\n"] {
            assert!(!is_license(comment), "{comment}");
        }
    }

    #[test]
    fn a_license_above_a_vendored_file_is_no_edit() {
        for (path, text) in [
            ("lib.rs", "//! Documentation.\n\nfn a() {}\n"),
            ("lib.rs", "fn a() {}\n"),
            ("Cargo.toml", "[package]\n"),
        ] {
            let expected = sum(path, text);
            let mark = if is_rust(path) { "//" } else { "#" };
            let licensed = format!("{mark} Copyright\n{mark} License\n\n{text}");
            assert!(
                has_sum_below_license(path, &licensed, &expected),
                "{licensed}"
            );
            let edited = format!("{licensed}{mark} more\n");
            assert!(!has_sum_below_license(path, &edited, &expected), "{edited}");
        }
        let expected = sum("lib.rs", "fn a() {}\n");
        for above in ["/* c */ mod evil;\n", "#[cfg(any())]\n", "# c\n"] {
            let hidden = format!("{above}fn a() {{}}\n");
            assert!(
                !has_sum_below_license("lib.rs", &hidden, &expected),
                "{above}"
            );
        }
        let licensed = "/*\n * Copyright\n */\n\nfn a() {}\n";
        assert!(has_sum_below_license("lib.rs", licensed, &expected));
    }

    /// rustfmt adds braces where a line gets short.
    #[test]
    fn what_options_of_rustfmt_do_is_no_edit() {
        let text = add(
            "lib.rs",
            "fn a(b: B) -> C {\n    match b {\n        B::D => some_function(of_some_length, and_another),\n    }\n}\n",
        );
        let formatted = text.replace(
            "=> some_function(of_some_length, and_another),",
            "=> {\n\t\t\tsome_function(of_some_length, and_another)\n\t\t}",
        );
        assert_eq!(state("lib.rs", &formatted), State::Intact);
        let edited = formatted.replace("and_another", "and_more");
        assert_eq!(state("lib.rs", &edited), State::Edited);
    }

    #[test]
    fn formatting_a_rust_source_is_no_edit() {
        let text = add("lib.rs", "use a::{b, c};\n");
        let formatted = text.replace("{b, c}", "{\n    b,\n    c,\n}");
        assert_eq!(state("lib.rs", &formatted), State::Intact);
        assert_eq!(state("lib.rs", &text.replace("b,", "d,")), State::Edited);
    }
}
