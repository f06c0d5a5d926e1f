//! Validates names.

/// The error of a name that must be a DNS subdomain.
pub(super) fn subdomain(name: &str) -> Option<&'static str> {
    let is_valid = name.len() <= 253 && name.split('.').all(is_label);
    if name.len() > 253 {
        return Some("must be no more than 253 bytes");
    }
    (!is_valid).then_some("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')")
}

/// The error of a name that must be a DNS label.
pub(super) fn label(name: &str) -> Option<&'static str> {
    if name.len() > 63 {
        return Some("must be no more than 63 bytes");
    }
    (!is_label(name)).then_some("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')")
}

fn is_label(text: &str) -> bool {
    let is_end = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_inner = |c: char| is_end(c) || c == '-';
    !text.is_empty()
        && text.starts_with(is_end)
        && text.ends_with(is_end)
        && text.chars().all(is_inner)
}

/// The errors of a name with an optional domain prefix, such as that of a label or a finalizer.
pub(super) fn qualified(name: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let name = match name.split_once('/') {
        None => name,
        Some((prefix, name)) => {
            if prefix.is_empty() {
                errors.push("prefix part must be non-empty".to_owned());
            } else if let Some(error) = subdomain(prefix) {
                errors.push(format!("prefix part {error}"));
            }
            name
        }
    };
    if name.contains('/') {
        return vec![
            qualified_text("a qualified name ")
                + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        ];
    }
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        errors.push("name part must be no more than 63 bytes".to_owned());
    }
    if !is_value(name) || name.is_empty() {
        errors.push(qualified_text("name part "));
    }
    errors
}

fn qualified_text(prefix: &str) -> String {
    format!(
        "{prefix}must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
    )
}

/// The error of a label value.
pub(super) fn label_value(value: &str) -> Option<String> {
    if value.len() > 63 {
        return Some("must be no more than 63 bytes".to_owned());
    }
    (!is_value(value)).then(|| "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')".to_owned())
}

fn is_value(text: &str) -> bool {
    let is_end = |c: char| c.is_ascii_alphanumeric();
    let is_inner = |c: char| is_end(c) || "-_.".contains(c);
    text.is_empty()
        || (text.starts_with(is_end) && text.ends_with(is_end) && text.chars().all(is_inner))
}
