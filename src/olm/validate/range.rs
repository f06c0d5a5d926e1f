//! Versions and ranges as OLM reads them: in Go, and differently from cargo.

use semver::Version;

/// Whether a text is a range: comparisons with spaces between them for "and", and `||` for "or".
pub(super) fn is_range(text: &str) -> bool {
    !text.trim().is_empty() && text.split("||").all(is_conjunction)
}

fn is_conjunction(text: &str) -> bool {
    // A space may stand between an operator and its version.
    let mut joined = String::new();
    for word in text.split_whitespace() {
        joined += word;
        if !word.ends_with(['<', '>', '=', '!']) {
            joined.push(' ');
        }
    }
    let mut words = joined.split_whitespace().peekable();
    words.peek().is_some() && words.all(is_comparison)
}

fn is_comparison(text: &str) -> bool {
    let operators = [">=", "<=", "!=", "==", "=", ">", "<", "!"];
    let version = operators.iter().find_map(|it| text.strip_prefix(it));
    let version = version.unwrap_or(text);
    if Version::parse(version).is_ok() {
        return true;
    }
    // `1.x` and `1.2.x` are versions with a part left open.
    let parts: Vec<_> = version.split('.').collect();
    let (open, numbers): (Vec<_>, Vec<_>) = parts.iter().partition(|part| **part == "x");
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    !open.is_empty()
        && parts.len() <= 3
        && parts.last() == Some(&"x")
        && numbers.into_iter().all(is_number)
}

/// A version that may have a `v`, and lack its last parts.
pub(super) fn tolerant(text: &str) -> Option<Version> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let mut parts: Vec<String> = Vec::new();
    for part in numbers.split('.') {
        parts.push(part.parse::<u64>().ok()?.to_string());
    }
    if parts.len() < 3 && !rest.is_empty() {
        return None;
    }
    parts.resize(parts.len().max(3), "0".to_owned());
    Version::parse(&format!("{}{rest}", parts.join("."))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_go() {
        for range in [
            ">=1.0.0 <2.0.0",
            ">= 1.0.0",
            "1.0.0",
            "=1.0.0",
            "!1.5.0",
            "1.x",
            ">1.2.x",
            "<1.0.0 || >=2.0.0 !2.1.0-rc.1",
        ] {
            assert!(is_range(range), "{range}");
        }
        for none in [
            "", " ", "^1.0.0", "~1.2", "1.0", ">=", "1.0.0 ||", "latest", "1.x.0",
        ] {
            assert!(!is_range(none), "{none}");
        }
    }

    #[test]
    fn versions_may_lack_parts() {
        for (text, expected) in [
            ("v1.22", Some("1.22.0")),
            ("1", Some("1.0.0")),
            ("1.02.3-rc.1", Some("1.2.3-rc.1")),
            ("1.2-rc", None),
            ("x", None),
            ("", None),
        ] {
            let version = tolerant(text).map(|version| version.to_string());
            assert_eq!(version.as_deref(), expected, "{text}");
        }
    }
}
