//! The keys of a marker, and what they may be set to.

use std::collections::BTreeSet;

use super::{Argument, Diagnostic};
use crate::suggest;

/// Gives each argument to `set`, which may refuse it, and returns all that is wrong. `set` refuses a key that is none of
/// `keys`.
pub(in crate::manifest) fn read(
    arguments: Vec<Argument>,
    keys: &[&str],
    mut set: impl FnMut(&str, &[&str]) -> Result<(), Diagnostic>,
) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    let mut diagnostics = Vec::new();
    for (key, values) in arguments {
        if !seen.insert(key) {
            diagnostics.push(
                Diagnostic::new(format!("duplicate key `{key}`"))
                    .hint("put all values in one list: `a;b`"),
            );
        } else if keys.contains(&key)
            && (values.is_empty() || key != "groups" && values.contains(&""))
        {
            diagnostics.push(no_value(key));
        } else if let Err(diagnostic) = set(key, &values) {
            diagnostics.push(diagnostic);
        }
    }
    diagnostics
}

/// The only value of a key.
pub(in crate::manifest) fn single<'a>(
    key: &str,
    values: &[&'a str],
) -> Result<&'a str, Diagnostic> {
    match values {
        [value] => Ok(value),
        _ => Err(Diagnostic::new(format!("`{key}` takes one value"))
            .hint("write a marker for each value")),
    }
}

/// An API group: also `core` is the core group, as controller-gen has it.
pub(in crate::manifest) fn group(name: &str) -> String {
    match name {
        "core" => String::new(),
        name => name.to_owned(),
    }
}

/// There is no such key among `keys`: `meant` may say which it is, where that is no slip.
pub(in crate::manifest) fn unknown(key: &str, meant: Option<&str>, keys: &[&str]) -> Diagnostic {
    let meant = meant.or_else(|| suggest::nearest(key, keys.iter().copied()));
    Diagnostic::new(format!("unknown key `{key}`")).hint(match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the keys are {}", keys.join(", ")),
    })
}

fn no_value(key: &str) -> Diagnostic {
    Diagnostic::new(format!("`{key}` has no value")).hint(match key {
        "groups" => "the core group is `groups=\"\"`".to_owned(),
        _ => format!("write `{key}=…`, or remove `{key}`"),
    })
}
