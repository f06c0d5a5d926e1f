//! Label selectors.

/// A requirement for a label.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Requirement {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    DoesNotExist(String),
}

impl Requirement {
    /// Whether it matches labels with these values.
    pub(crate) fn holds<'a>(&self, value: impl Fn(&str) -> Option<&'a str>) -> bool {
        let is_one = |key: &str, values: &[String]| {
            value(key).is_some_and(|value| values.iter().any(|known| known == value))
        };
        match self {
            Self::In(key, values) => is_one(key, values),
            Self::NotIn(key, values) => !is_one(key, values),
            Self::Exists(key) => value(key).is_some(),
            Self::DoesNotExist(key) => value(key).is_none(),
        }
    }
}

/// Parses a label selector as the API server does: `a=b,c!=d,e in (f,g),h,!i`.
pub(crate) fn parse_labels(text: &str) -> Result<Vec<Requirement>, String> {
    let mut rest = text.trim_ascii();
    let mut requirements = Vec::new();
    while !rest.is_empty() {
        let (term, tail) = rest.split_at(term_end(rest));
        let term = term.trim_ascii();
        let refused =
            || format!("unable to parse requirement: found '{term}', expected: identifier");
        requirements.push(requirement(term).ok_or_else(refused)?);
        rest = tail.strip_prefix(',').unwrap_or(tail).trim_ascii_start();
        if rest.is_empty() && !tail.is_empty() {
            return Err("found '', expected: identifier after ','".to_owned());
        }
    }
    Ok(requirements)
}

/// The end of a term: a comma outside of parentheses.
fn term_end(text: &str) -> usize {
    let mut is_inside = false;
    let end = text.char_indices().find(|(_, c)| {
        is_inside = *c == '(' || (is_inside && *c != ')');
        *c == ',' && !is_inside
    });
    end.map_or(text.len(), |(index, _)| index)
}

fn requirement(term: &str) -> Option<Requirement> {
    if let Some(key) = term.strip_prefix('!') {
        return Some(Requirement::DoesNotExist(key_of(key)?));
    }
    if let Some(list) = term.strip_suffix(')') {
        let (head, values) = list.split_once('(')?;
        let values: Option<Vec<_>> = values.split(',').map(value_of).collect();
        let head = head.trim_ascii();
        return match head.strip_suffix(" notin") {
            Some(key) => Some(Requirement::NotIn(key_of(key)?, values?)),
            None => Some(Requirement::In(key_of(head.strip_suffix(" in")?)?, values?)),
        };
    }
    if let Some((key, value)) = term.split_once("!=") {
        return Some(Requirement::NotIn(key_of(key)?, vec![value_of(value)?]));
    }
    if let Some((key, value)) = term.split_once('=') {
        let value = value.strip_prefix('=').unwrap_or(value);
        return Some(Requirement::In(key_of(key)?, vec![value_of(value)?]));
    }
    Some(Requirement::Exists(key_of(term)?))
}

/// A key: a name, with an optional DNS subdomain and a slash before it
/// (<https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set>).
fn key_of(text: &str) -> Option<String> {
    let key = text.trim_ascii();
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let is_key = !name.is_empty() && is_value(name) && prefix.is_none_or(is_dns_name);
    is_key.then(|| key.to_owned())
}

fn value_of(text: &str) -> Option<String> {
    let value = text.trim_ascii();
    is_value(value).then(|| value.to_owned())
}

/// Whether it is a valid label value or name: empty, or at most 63 characters that begin and end with a letter or a
/// digit.
fn is_value(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.len() <= 63 && text.bytes().all(is_inner) && is_between(text)
}

fn is_dns_name(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(is_inner) && is_between(part);
    text.len() <= 253 && text.split('.').all(is_part)
}

/// Whether it begins and ends with a letter or a digit.
fn is_between(text: &str) -> bool {
    let mut ends = [text.bytes().next(), text.bytes().next_back()]
        .into_iter()
        .flatten();
    ends.all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of kube-apiserver 1.37.2.
    #[test]
    fn what_the_api_server_refuses_is_refused() {
        for wrong in [
            "a=b,",
            "a!=b!=c",
            "a\u{a0}=b",
            "a=b=c",
            "a=!b",
            "a=b c",
            "a in (b c)",
            "a in ((b))",
            "a in (b))",
            "a=b/c",
            "a=-b",
            "a=b$",
            "x/y/z=b",
            "/y",
            "a$",
            "é=b",
            "a=é",
            "a=\"b\"",
            "a in b",
        ] {
            assert!(parse_labels(wrong).is_err(), "{wrong}");
        }
        for right in [
            "",
            "a",
            "!a",
            "a=b",
            "a==b",
            "a=",
            "a!=b",
            "a in (b,c)",
            "a notin (b)",
            "x.io/y_z=B.c",
            " a = b , !c ",
        ] {
            assert!(parse_labels(right).is_ok(), "{right}");
        }
    }
}
