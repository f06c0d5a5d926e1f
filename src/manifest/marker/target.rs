//! What a marker is written above.

use super::comment::tokens;
use super::test_code::after_attributes;

/// The line with the name of the type or the field below a line of a source.
pub(super) fn target(source: &str, line: usize) -> Option<usize> {
    let mut number = 1;
    let tokens: Vec<_> = tokens(source)
        .filter_map(|(_, token)| {
            let here = number;
            number += token.matches('\n').count();
            let is_code = !token.trim().is_empty() && !token.starts_with("//");
            (here > line && is_code && !token.starts_with("/*")).then_some((here, token))
        })
        .collect();
    let text = |at: usize| tokens.get(at).map_or("", |(_, text)| *text);
    let mut at = after_attributes(&tokens, 0);
    if text(at) == "pub" {
        at += 1;
        if text(at) == "(" {
            at += tokens[at..].iter().position(|(_, text)| *text == ")")? + 1;
        }
    }
    if ["struct", "enum"].contains(&text(at)) {
        at += 1;
    }
    tokens.get(at).map(|(line, _)| *line)
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn attributes_and_comments_are_skipped() {
        let source = "// m\n/// doc\n#[a(\n\"}\",\n)]\npub struct A {\n// m\n\n/* b */ #[b]\n\
            pub(in crate::a) r#type: u8,\n// m\nb: u8, // m\n}\n// m";
        let lines = [1, 7, 11, 14].map(|line| target(source, line));
        assert_eq!(lines, [Some(6), Some(10), Some(12), None]);
    }
}
