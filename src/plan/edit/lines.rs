use super::Edit;

/// Merges as [`super::merge`] says, a file of patterns such as `.gitignore`: adds the lines that it
/// does not have, below the others.
pub(super) fn merge(text: &str, base: &str, desired: &str) -> Edit {
    let has = |text: &str, line: &str| text.lines().any(|other| is_same(other, line));
    let new = desired
        .lines()
        .filter(|line| !has(text, line) && !has(base, line));
    let mut merged = text.to_owned();
    for line in new {
        if !merged.is_empty() && !merged.ends_with('\n') {
            merged.push('\n');
        }
        merged.push_str(line);
        merged.push('\n');
    }
    Edit::of(text, merged)
}

/// Whether two patterns mean a directory of the same name, wherever it is.
fn is_same(left: &str, right: &str) -> bool {
    left.trim().trim_matches('/') == right.trim().trim_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_what_is_missing_once() {
        for (text, expected) in [
            ("*.swp", Edit::Text("*.swp\n/target\n".into())),
            ("", Edit::Text("/target\n".into())),
            ("*.swp\n\n/target\n", Edit::Nothing),
            ("target/\n", Edit::Nothing),
        ] {
            assert_eq!(merge(text, "", "/target\n"), expected, "{text:?}");
        }
        assert_eq!(merge("mine\n", "/target\n", "/target\n"), Edit::Nothing);
    }
}
