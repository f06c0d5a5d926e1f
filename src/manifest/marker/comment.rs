//! Finds the line comments of a Rust source, and nothing that only looks like one.
//!
//! It tells apart what the lexical structure of Rust tells apart
//! (<https://doc.rust-lang.org/reference/tokens.html>): strings, raw strings, character literals
//! and lifetimes, nested block comments. A source that does not end what it begins has no comments
//! from there on: rustc has more to say about it than we do.

use std::ops::Range;

/// The line comments of `source` outside of the ranges `skip`, each from its `//` to the end of its
/// line, with the number of its line.
pub(super) fn line_comments<'a>(
    source: &'a str,
    skip: &[Range<usize>],
) -> impl Iterator<Item = (usize, &'a str)> {
    let mut line = 1;
    tokens(source).filter_map(move |(at, token)| {
        let here = line;
        line += token.matches('\n').count();
        let is_skipped = skip.iter().any(|range| range.contains(&at));
        (token.starts_with("//") && !is_skipped).then_some((here, token))
    })
}

/// The tokens of `source`, blanks and comments too, each with where it starts.
pub(super) fn tokens(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = source.get(at..).filter(|rest| !rest.is_empty())?;
        let (start, token) = (at, &rest[..token_len(rest)]);
        at += token.len();
        Some((start, token))
    })
}

/// The length of the token at the start of `rest`, which is not empty.
fn token_len(rest: &str) -> usize {
    let blank = rest.len() - rest.trim_start().len();
    if blank > 0 {
        return blank;
    }
    let word = rest
        .find(|c: char| c != '_' && !c.is_alphanumeric())
        .unwrap_or(rest.len());
    match rest.as_bytes() {
        [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment_len(rest),
        [b'"', ..] => string_len(rest),
        [b'\'', ..] => quote_len(rest),
        _ if matches!(&rest[..word], "r" | "br" | "cr") => word + raw_string_len(&rest[word..]),
        _ if word > 0 => word,
        _ => rest.chars().next().map_or(1, char::len_utf8),
    }
}

fn block_comment_len(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] if depth == 1 => return at + 2,
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    rest.len()
}

fn string_len(rest: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// What follows `r`: the hashes and the text of a raw string, or nothing where `r` is a name or
/// starts one (`r#type`).
fn raw_string_len(rest: &str) -> usize {
    let text = rest.trim_start_matches('#');
    let hashes = &rest[..rest.len() - text.len()];
    let Some(text) = text.strip_prefix('"') else {
        return 0;
    };
    let end = format!("\"{hashes}");
    text.find(&end)
        .map_or(rest.len(), |at| hashes.len() + 1 + at + end.len())
}

/// A character literal, or the tick of a lifetime or a label.
fn quote_len(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((at, c))) => {
            let from = at + c.len_utf8();
            rest[from..]
                .find('\'')
                .map_or(rest.len(), |end| from + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comments(source: &str) -> Vec<(usize, &str)> {
        line_comments(source, &[]).collect()
    }

    #[test]
    fn line_comments_of_all_sorts_have_their_line() {
        let source = "// a\nlet x = 1 / 2; //b\r\n\n/// c\n//! d\n////";
        assert_eq!(
            comments(source),
            [
                (1, "// a"),
                (2, "//b\r"),
                (4, "/// c"),
                (5, "//! d"),
                (6, "////")
            ]
        );
    }

    #[test]
    fn strings_hold_no_comments() {
        for literal in [
            r#""// x""#,
            r#""\"// x""#,
            r#""\\""#,
            r#""\\\"// x""#,
            r#"b"// x""#,
            r#"c"// x""#,
            r#"r"// x""#,
            r##"r#"" // x"#"##,
            r##"br#""// x"#"##,
            r##"cr#""// x"#"##,
            r###"r##""# // x"##"###,
            r#"r"\""#,
            "\"// x\n// y\"",
        ] {
            assert_eq!(
                comments(&format!("f({literal}); // end"))
                    .iter()
                    .map(|(_, text)| *text)
                    .collect::<Vec<_>>(),
                ["// end"],
                "{literal}"
            );
        }
    }

    #[test]
    fn a_string_of_several_lines_counts_them() {
        assert_eq!(comments("\"a\n\\\n\"\n// b"), [(4, "// b")]);
        assert_eq!(comments("r#\"a\n\"b\n\"#// c"), [(3, "// c")]);
        assert_eq!(comments("/* a\n */ // b"), [(2, "// b")]);
    }

    #[test]
    fn block_comments_nest_and_hold_no_line_comments() {
        assert_eq!(comments("/* // a /* // b */ // c */ // d"), [(1, "// d")]);
        assert_eq!(comments("/**/ // a"), [(1, "// a")]);
        assert_eq!(comments("/*/ // a */"), []);
        assert_eq!(comments("// a /* b\n// c"), [(1, "// a /* b"), (2, "// c")]);
    }

    #[test]
    fn characters_are_no_strings_and_lifetimes_no_characters() {
        for token in [
            "'\"'",
            "'\\''",
            "'\\\\'",
            "'\\u{22}'",
            "'/'",
            "'é'",
            "b'\"'",
            "&'a str",
            "<'a>",
            "'a: loop {}",
            "fn f<'a>(x: &'a str, c: char) { c == '\"' }",
        ] {
            assert_eq!(
                comments(&format!("{token} // end")),
                [(1, "// end")],
                "{token}"
            );
        }
    }

    #[test]
    fn a_name_that_ends_in_r_or_is_raw_starts_no_raw_string() {
        assert_eq!(comments("r#type // a"), [(1, "// a")]);
        assert_eq!(comments("bar!(\"\\\" \") // a"), [(1, "// a")]);
        assert_eq!(comments("r // a"), [(1, "// a")]);
        assert_eq!(comments("tr\"\\\"// x\" // a"), [(1, "// a")]);
    }

    #[test]
    fn what_never_ends_holds_no_comments() {
        for source in [
            "\"// a",
            "\"\\",
            "r#\"// a\"",
            "/* // a",
            "/*/* */ // a",
            "'\\",
            "'",
            "",
        ] {
            assert_eq!(comments(source), [], "{source}");
        }
    }
}
