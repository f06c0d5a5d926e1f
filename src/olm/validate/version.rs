//! Versions as OLM reads them: in Go, and differently from cargo.

use semver::Version;

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
