//! Ranges of versions in the syntax of blang/semver, which OLM reads: blanks mean AND, `||` OR, `!` not.

use semver::Version;

/// Checks a range as blang's `ParseRange` does.
///
/// # Errors
/// It is none: the message goes on after the range.
pub(super) fn check(range: &str) -> Result<(), String> {
    let parts = parts(range);
    if parts.first().is_some_and(|part| part == "||") {
        return Err("starts with `||`".to_owned());
    }
    if parts.last().is_none_or(|part| part == "||") {
        return Err(if parts.is_empty() {
            "has no version".to_owned()
        } else {
            "ends with `||`".to_owned()
        });
    }
    let comparisons = parts.iter().filter(|part| *part != "||");
    for comparison in comparisons {
        let digit = comparison.find(|c: char| c.is_ascii_digit());
        let Some(digit) = digit else {
            return Err(format!("has no version in `{comparison}`"));
        };
        let (operator, version) = comparison.split_at(digit);
        if !["", "=", "==", "!", "!=", "<", "<=", ">", ">="].contains(&operator) {
            return Err(format!("has the unknown operator `{operator}`"));
        }
        let whole = whole(version);
        if let Err(error) = Version::parse(&whole) {
            return Err(format!("has the invalid version `{version}`: {error}"));
        }
        // blang takes any `x` for a wildcard.
        if whole == version && version.contains('x') && !["<", ">="].contains(&operator) {
            return Err(format!(
                "has `x` in the pre-release of `{version}`, which OLM reads as a wildcard"
            ));
        }
    }
    Ok(())
}

/// The comparisons and the `||` between them. A blank behind an operator is a part of a comparison.
fn parts(range: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in range.split(' ').filter(|word| !word.is_empty()) {
        match parts.last_mut() {
            Some(last) if is_open => last.push_str(word),
            _ => parts.push(word.to_owned()),
        }
        is_open = word.ends_with(['<', '>', '=']);
    }
    parts
}

/// A version with zeros in the place of `x`, which stands for all minors or patches.
fn whole(version: &str) -> String {
    if !version.contains('x') {
        return version.to_owned();
    }
    let parts: Vec<_> = version.split('.').collect();
    match parts[..] {
        [major, "x"] | [major, "x", "x"] => format!("{major}.0.0"),
        [major, minor, "x"] => format!("{major}.{minor}.0"),
        _ => version.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    /// What `semver.ParseRange` of blang/semver v4.0.0 made of them, but for `! 1.0.0`: it drops the `!` without a word.
    #[test]
    fn ranges_are_those_of_blang() {
        for range in [
            "1.0.0",
            ">1.0.0 <2.0.0",
            ">=1.0.0 <3.0.0 !2.0.3-beta.2",
            "<2.0.0 || >=3.0.0",
            ">= 1.0.0   < 2.0.0",
            "!=1.2.3",
            "==1.2.3",
            "1.2.x",
            ">1.x",
            "1.x.x",
            ">=1.0.0-alpha+build",
            ">=1.0.0-xyz",
            "=1.0.0",
            "!1.5.0",
            ">1.2.x",
            "<1.0.0 || >=2.0.0 !2.1.0-rc.1",
        ] {
            assert_eq!(check(range), Ok(()), "{range}");
        }
        for range in [
            "",
            " ",
            "^1.0.0",
            "~1.0",
            ">1.0.0, <2.0.0",
            "|| 1.0.0",
            "1.0.0 ||",
            ">=1.0",
            "v1.0.0",
            "01.0.0",
            "x",
            "*",
            "! 1.0.0",
            ">1.0.0||<2.0.0",
            ">",
            "1.0.0-x.1",
            "1.0",
            ">=",
            "latest",
            "1.x.0",
            "~1.2",
        ] {
            assert!(check(range).is_err(), "{range}");
        }
    }
}
