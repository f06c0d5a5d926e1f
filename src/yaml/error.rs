use std::borrow::Cow;
use std::fmt;

use serde_yaml::budget::BudgetBreach;
use serde_yaml::{DefaultMessageFormatter, Error as Cause, MessageFormatter};

use crate::git;

/// What the library calls every text.
const INPUT: &str = "--> <input>:";

/// What anchors and aliases may not do.
const TOO_MANY: &str = "too many anchors and aliases, or they expand to too much";

/// The rule that a text breaks by its size.
fn limit(breach: &BudgetBreach) -> &'static str {
    match breach {
        BudgetBreach::Depth { .. } => "nested too deep",
        BudgetBreach::Aliases { .. }
        | BudgetBreach::Anchors { .. }
        | BudgetBreach::AliasAnchorRatio { .. }
        | BudgetBreach::MergeKeys { .. }
        | BudgetBreach::RecordedAnchorEvents { .. }
        | BudgetBreach::RecordedAnchorBytes { .. } => TOO_MANY,
        _ => "too large",
    }
}

/// Why a text with git's conflict markers cannot be read.
pub(super) const MERGED: &str = "has merge conflicts: resolve them";

/// The library's messages for users: its own ones name its options and Rust's types.
struct Words;

impl MessageFormatter for Words {
    fn format_message<'a>(&self, error: &'a Cause) -> Cow<'a, str> {
        Cow::Borrowed(match error {
            Cause::DuplicateMappingKey { key, .. } => {
                let key = key.as_deref().unwrap_or_default();
                return Cow::Owned(
                    format!("duplicate mapping key: {key}")
                        .trim_end_matches(": ")
                        .to_owned(),
                );
            }
            Cause::MultipleDocuments { .. } => {
                "more than one document: remove `---` and everything after it"
            }
            Cause::Budget { breach, .. } => limit(breach),
            Cause::AliasReplayCounterOverflow { .. }
            | Cause::AliasReplayLimitExceeded { .. }
            | Cause::AliasExpansionLimitExceeded { .. }
            | Cause::AliasReplayStackDepthExceeded { .. } => TOO_MANY,
            Cause::RecursiveReferencesRequireWeakTypes { .. } => "an alias contains itself",
            Cause::NullIntoString { .. } => "expected a string, found null",
            Cause::BinaryNotUtf8 { .. } => "the `!!binary` value is not UTF-8 text",
            Cause::TaggedScalarCannotDeserializeIntoString { .. } => {
                "expected a string, found a value with another tag"
            }
            Cause::UnexpectedValueForUnit { .. } => "expected no value",
            Cause::ExpectedStringKeyForExternallyTaggedEnum { .. }
            | Cause::ExternallyTaggedEnumExpectedScalarOrMapping { .. }
            | Cause::UnexpectedValueForUnitEnumVariant { .. }
            | Cause::ExpectedMappingEndAfterEnumVariantValue { .. } => {
                "expected one of the allowed values"
            }
            Cause::Unexpected { expected, .. } => match *expected {
                "string scalar" => "expected a string",
                "scalar" => "expected a single value",
                "mapping start" => "expected an object",
                "sequence start" => "expected a list",
                _ => return DefaultMessageFormatter.format_message(error),
            },
            Cause::InvalidScalar { ty, .. } => match *ty {
                "boolean" => "expected `true` or `false`",
                "floating point" => "expected a number",
                _ => "expected a whole number",
            },
            Cause::NonFiniteFloat { .. } => "expected a finite number",
            Cause::MergeValueNotMapOrSeqOfMaps { .. } => {
                "`<<` needs an object or a list of objects"
            }
            _ => return DefaultMessageFormatter.format_message(error),
        })
    }
}

/// Why a text cannot be read, with the line.
#[derive(Debug)]
pub(crate) struct Error(String);

impl Error {
    /// The error of reading `text`.
    pub(super) fn new(text: &str, error: &serde_yaml::Error) -> Self {
        if let Some(line) = git::conflict_line(text) {
            return Self(format!("{MERGED}\n  {INPUT}{line}:1"));
        }
        let text = error.render_with_formatter(&Words);
        // It says once more that it is an error.
        Self(text.strip_prefix("error: ").unwrap_or(&text).to_owned())
    }

    /// The message, which shows the place in a file of this name.
    pub(crate) fn in_file(&self, name: &str) -> String {
        self.0.replace(INPUT, &format!("--> {name}:"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.replace(INPUT, "--> "))
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::yaml::from_str;

    /// What YAML has to say of a conflict marker helps nobody.
    #[test]
    fn conflict_markers_are_named() {
        let text = "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n";
        let error = from_str::<Value>(text).expect_err(text);
        let expected = "has merge conflicts: resolve them\n  --> PROJECT:2:1";
        assert_eq!(error.in_file("PROJECT"), expected);
    }

    #[test]
    fn each_limit_is_named() {
        let deep = format!("a: {}{}\n", "[".repeat(100), "]".repeat(100));
        let large = format!("a: [{}]\n", "1,".repeat(1_000_001));
        let aliases = format!("a: &b 1\nc: [{}]\n", "*b,".repeat(60_000));
        for (text, rule) in [
            (deep, "nested too deep"),
            (large, "too large"),
            (aliases, super::TOO_MANY),
        ] {
            let error = from_str::<Value>(&text).expect_err(rule).to_string();
            assert!(
                error.starts_with(rule) || error.contains(&format!(": {rule}")),
                "{rule}: {error}"
            );
        }
    }

    #[test]
    fn the_words_are_for_users() {
        for text in [
            "a: 1\n---\nb: 1\n",
            "a: 1\na: 2\n",
            "[",
            "a: *b\n",
            "{\"a\": }}",
            "a: &a [*a]\n",
            "a: .nan\n",
            "a: !!int x\n",
            "a: !!float x\n",
            "a: !!bool x\n",
            "<<: 1\n",
            "a: !!binary \"////\"\n",
            &format!(
                "a: &b [{}]\nc: [{}]\n",
                "x,".repeat(1000),
                "*b,".repeat(2000)
            ),
        ] {
            let error = from_str::<Value>(text).expect_err(text);
            for message in [error.to_string(), error.in_file("PROJECT")] {
                for word in [
                    "<input>", "from_str", "policy", "Policy", "Option", "error:", "{", "u64",
                    "scalar",
                ] {
                    let words = message.lines().next().unwrap_or_default();
                    assert!(!words.contains(word), "{message}");
                }
            }
            assert!(error.in_file("PROJECT").contains("--> PROJECT:"));
        }
    }
}
