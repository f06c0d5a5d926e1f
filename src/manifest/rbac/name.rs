//! Names of objects that a marker gives.

use crate::manifest::marker::Diagnostic;

/// A namespace is a DNS-1123 label (`ValidateNamespaceName` in `k8s.io/apimachinery`).
pub(super) fn namespace(name: &str) -> Result<String, Diagnostic> {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=63).contains(&name.len())
        && name.chars().all(inner)
        && !name.starts_with('-')
        && !name.ends_with('-')
    {
        return Ok(name.to_owned());
    }
    Err(
        Diagnostic::new(format!("`{name}` is not a valid namespace name"))
            .hint("use at most 63 lowercase letters, digits and `-`, without `-` at an end"),
    )
}

/// A role's name is any segment of a path (`ValidateRBACName` in `k8s.io/kubernetes`).
pub(super) fn role(name: &str) -> Result<String, Diagnostic> {
    if matches!(name, "" | "." | "..") || name.contains(['/', '%']) {
        return Err(
            Diagnostic::new(format!("`{name}` is not a valid role name"))
                .hint("it must not contain `/` or `%`, nor be `.` or `..`"),
        );
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_a_label() {
        for (name, valid) in [
            ("a", true),
            ("a-1", true),
            (&"a".repeat(63), true),
            (&"a".repeat(64), false),
            ("-a", false),
            ("a-", false),
            ("A", false),
            ("a.b", false),
            ("", false),
        ] {
            assert_eq!(namespace(name).is_ok(), valid, "{name}");
        }
    }

    #[test]
    fn a_role_may_be_called_almost_anything() {
        for (name, valid) in [
            ("manager-role", true),
            ("system:Manager role", true),
            ("", false),
            (".", false),
            ("..", false),
            ("a/b", false),
            ("a%b", false),
        ] {
            assert_eq!(role(name).is_ok(), valid, "{name}");
        }
    }
}
