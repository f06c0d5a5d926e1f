//! Finds the code of a Rust source that is compiled for tests only: its markers ask for nothing that
//! the operator needs.

use std::ops::Range;

use super::comment::tokens;

/// Code of a source that is compiled for tests only.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TestCode {
    /// Where it stands.
    pub(super) ranges: Vec<Range<usize>>,
    /// Modules of it that have files of their own.
    pub(super) modules: Vec<String>,
}

/// The code of `source` behind `#[cfg(test)]`, or behind a `cfg` that demands `test` among others.
pub(super) fn test_code(source: &str) -> TestCode {
    if !source.contains("cfg") {
        return TestCode::default();
    }
    let tokens: Vec<(usize, &str)> = tokens(source)
        .filter(|(_, token)| {
            !(token.trim().is_empty() || token.starts_with("//") || token.starts_with("/*"))
        })
        .collect();
    let text = |at: usize| tokens.get(at).map_or("", |(_, text)| *text);
    let mut found = TestCode::default();
    let mut at = 0;
    while at < tokens.len() {
        let is_inner = text(at + 1) == "!";
        let open = at + 1 + usize::from(is_inner);
        if text(at) != "#" || text(open) != "[" {
            at += 1;
            continue;
        }
        let end = closing(&tokens, open);
        let words: Vec<&str> = (open + 1..end).map(text).collect();
        if !demands_test(&words) {
            at = end + 1;
            continue;
        }
        let start = tokens[at].0;
        if is_inner {
            found.ranges.push(start..source.len());
            return found;
        }
        let item = after_attributes(&tokens, end + 1);
        let last = end_of_item(&tokens, item);
        let words: Vec<&str> = (item..=last).map(text).collect();
        if let [.., "mod", name, ";"] = words[..] {
            found.modules.push(name.to_owned());
        }
        let stop = tokens
            .get(last)
            .map_or(source.len(), |(at, token)| at + token.len());
        found.ranges.push(start..stop);
        at = last + 1;
    }
    found
}

/// Whether the inside of an attribute is a `cfg` that holds in tests only.
fn demands_test(words: &[&str]) -> bool {
    match words {
        ["cfg", "(", "test", ")"] => true,
        ["cfg", "(", "all", "(", all @ .., ")", ")"] => {
            let mut depth = 0;
            all.iter().any(|word| {
                match *word {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    _ => {}
                }
                depth == 0 && *word == "test"
            })
        }
        _ => false,
    }
}

/// The first token behind the attributes that start at `at`.
pub(super) fn after_attributes(tokens: &[(usize, &str)], mut at: usize) -> usize {
    while let [(_, "#"), (_, "["), ..] = tokens[at.min(tokens.len())..] {
        at = closing(tokens, at + 1) + 1;
    }
    at
}

/// The last token of the item that starts at `at`: the end of a block, or a semicolon.
fn end_of_item(tokens: &[(usize, &str)], mut at: usize) -> usize {
    while let Some((_, token)) = tokens.get(at) {
        match *token {
            ";" => return at,
            "{" => return closing(tokens, at),
            "(" | "[" => at = closing(tokens, at),
            _ => {}
        }
        at += 1;
    }
    tokens.len().saturating_sub(1)
}

/// The token that closes the bracket at `open`, or the last one.
fn closing(tokens: &[(usize, &str)], open: usize) -> usize {
    let mut depth = 0;
    for (at, (_, token)) in tokens.iter().enumerate().skip(open) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(source: &str) -> String {
        let mut left = source.to_owned();
        for range in test_code(source).ranges.into_iter().rev() {
            left.replace_range(range, "");
        }
        left
    }

    #[test]
    fn what_is_for_tests_only_is_found() {
        for (source, expected) in [
            (
                "a;\n#[cfg(test)]\nmod tests { fn f() { \"}\" } }\nb;",
                "a;\n\nb;",
            ),
            (
                "#[cfg(test)] #[allow(x)] fn f(a: [u8; 2]) -> u8 { 1 } b;",
                " b;",
            ),
            ("#[cfg(all(test, feature = \"x\"))] use a::b; c;", " c;"),
            (
                "#[cfg(any(test, unix))] mod a {} b;",
                "#[cfg(any(test, unix))] mod a {} b;",
            ),
            ("#[cfg(not(test))] mod a {}", "#[cfg(not(test))] mod a {}"),
            ("#![cfg(test)]\nmod a {}", ""),
            ("// #[cfg(test)]\nmod a {}", "// #[cfg(test)]\nmod a {}"),
            ("#[cfg(test)] mod unfinished {", ""),
            ("#[cfg(test)]", ""),
            ("#[cfg(", "#[cfg("),
            ("#", "#"),
        ] {
            assert_eq!(left(source), expected, "{source}");
        }
    }

    #[test]
    fn a_module_with_a_file_of_its_own_is_named() {
        let found = test_code("#[cfg(test)]\npub mod tests;\nmod a;");
        assert_eq!(found.modules, ["tests"]);
    }
}
