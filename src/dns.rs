//! The DNS rules that Kubernetes puts on names.

/// The longest DNS label: RFC 1123.
pub(crate) const LABEL_MAX: usize = 63;
/// The longest DNS subdomain that Kubernetes takes.
pub(crate) const SUBDOMAIN_MAX: usize = 253;

/// `IsDNS1123Label`: `[a-z0-9]([-a-z0-9]*[a-z0-9])?`, 63 characters at most.
pub(crate) fn label_1123(value: &str) -> Result<(), String> {
    length(value, LABEL_MAX)?;
    label_chars(value)
}

/// A label between the dots of a subdomain.
fn subdomain_label(value: &str) -> Result<(), String> {
    length(value, LABEL_MAX)?;
    chars(value, "lowercase letters, digits, `-` and `.`")
}

/// The characters of [`label_1123`], of any number.
pub(crate) fn label_chars(value: &str) -> Result<(), String> {
    chars(value, "lowercase letters, digits and `-`")
}

fn chars(value: &str, allowed: &str) -> Result<(), String> {
    if let Some(c) = value.chars().find(|c| !is_label_char(*c)) {
        return Err(format!("only {allowed} are allowed, not {c:?}"));
    }
    if value.starts_with('-') || value.ends_with('-') {
        return Err("must start and end with a lowercase letter or a digit".into());
    }
    Ok(())
}

/// `IsDNS1035Label`: as [`label_1123`], starting with a letter.
pub(crate) fn label_1035(value: &str) -> Result<(), String> {
    label_1123(value)?;
    if value.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("must start with a letter".into());
    }
    Ok(())
}

/// `IsDNS1123Subdomain`: labels with dots between them, 253 characters at most.
///
/// Each label is held to 63 characters too, which DNS demands and Kubernetes does not check.
pub(crate) fn subdomain_1123(value: &str) -> Result<(), String> {
    length(value, SUBDOMAIN_MAX)?;
    for label in value.split('.') {
        if label.is_empty() {
            return Err("must not start or end with `.`, or contain `..`".into());
        }
        subdomain_label(label)?;
    }
    Ok(())
}

/// `IsQualifiedName`: a name of letters, digits, `-`, `_` and `.`, after a subdomain and `/` if it has one.
pub(crate) fn qualified_name(value: &str) -> Result<(), String> {
    let name = match value.split_once('/') {
        None => value,
        Some((prefix, name)) => {
            let of_prefix = |rule| format!("the prefix before `/`: {rule}");
            subdomain_1123(prefix).map_err(of_prefix)?;
            name
        }
    };
    label_value(name)
}

/// `IsValidLabelValue`: letters, digits, `-`, `_` and `.`, 63 at most. Kubernetes takes an empty value too.
pub(crate) fn label_value(value: &str) -> Result<(), String> {
    length(value, LABEL_MAX)?;
    let stands_in = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if let Some(c) = value.chars().find(|c| !stands_in(*c)) {
        return Err(format!(
            "only letters, digits, `-`, `_` and `.` are allowed, not {c:?}"
        ));
    }
    let ends = |c: char| c.is_ascii_alphanumeric();
    if !value.starts_with(ends) || !value.ends_with(ends) {
        return Err("must start and end with a letter or a digit".into());
    }
    Ok(())
}

/// Not empty, and not longer than `max`.
pub(crate) fn length(value: &str, max: usize) -> Result<(), String> {
    if value.is_empty() {
        return Err("must not be empty".into());
    }
    if value.len() > max {
        return Err(format!(
            "must have at most {max} characters, but has {}",
            value.chars().count()
        ));
    }
    Ok(())
}

/// What was probably meant by `value`. Letters that DNS does not have leave nothing to guess.
pub(crate) fn guess(value: &str, keep_dots: bool) -> String {
    if value.chars().any(|c| c.is_alphanumeric() && !c.is_ascii()) {
        String::new()
    } else {
        dns_like(value, keep_dots)
    }
}

/// `value` with what DNS forbids made lowercase or turned into `-`.
pub(crate) fn dns_like(value: &str, keep_dots: bool) -> String {
    let mapped: String = value
        .to_lowercase()
        .chars()
        .map(|c| match c {
            '.' if keep_dots => c,
            c if is_label_char(c) => c,
            _ => '-',
        })
        .collect();
    mapped.trim_matches(['-', '.']).to_owned()
}

fn is_label_char(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
}
