//! `[registry/]path[:tag][@digest]`, and where a reference breaks it.

use crate::reference;

/// The longest name, registry and all.
const NAME_MAX: usize = 255;
const TAG_MAX: usize = 128;

/// What is wrong, and at which byte.
#[derive(Debug)]
pub(super) struct SyntaxError {
    pub(super) at: usize,
    /// What is wrong, before the position.
    pub(super) rule: String,
}

fn fault<T>(at: usize, rule: impl Into<String>) -> Result<T, SyntaxError> {
    Err(SyntaxError {
        at,
        rule: rule.into(),
    })
}

/// The parts of a reference, as far as it has them.
pub(super) struct Parts<'a> {
    pub(super) registry: Option<&'a str>,
    pub(super) path: &'a str,
    pub(super) tag: Option<&'a str>,
    pub(super) digest: Option<&'a str>,
}

/// Takes a reference apart, right or wrong.
pub(super) fn split(value: &str) -> Parts<'_> {
    let (name, tag, digest) = reference::split(value);
    let (registry, path) = match name.split_once('/') {
        Some((first, path)) if is_registry(first) => (Some(first), path),
        _ => (None, name),
    };
    Parts {
        registry,
        path,
        tag,
        digest,
    }
}

/// Whether the first part of a name is a host, as docker tells: nothing else has a dot or a port.
fn is_registry(first: &str) -> bool {
    first.contains(['.', ':']) || first == "localhost"
}

/// Checks a whole reference.
pub(super) fn check(value: &str) -> Result<(), SyntaxError> {
    if value.is_empty() {
        return fault(0, "must not be empty");
    }
    if let Some(at) = value.find("://") {
        return fault(at, "unexpected URL scheme before `://`");
    }
    if let Some((at, c)) = value
        .char_indices()
        .find(|(_, c)| !c.is_ascii_alphanumeric() && !"._-/:@+[]".contains(*c))
    {
        return fault(at, format!("unexpected {c:?}"));
    }
    let parts = split(value);
    let start = match parts.registry {
        Some(registry) => {
            host(registry)?;
            registry.len() + 1
        }
        None => 0,
    };
    path(parts.path, start)?;
    let end = start + parts.path.len();
    if end > NAME_MAX {
        return fault(NAME_MAX, format!("the name exceeds {NAME_MAX} characters"));
    }
    let mut at = end;
    if let Some(text) = parts.tag {
        tag(text, at + 1)?;
        at += 1 + text.len();
    }
    parts.digest.map_or(Ok(()), |text| digest(text, at + 1))
}

fn host(value: &str) -> Result<(), SyntaxError> {
    let (name, port) = match value.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (value, None),
    };
    if let Some(address) = name.strip_prefix('[') {
        let is_address = address
            .strip_suffix(']')
            .is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok());
        if !is_address {
            return fault(0, "expected an IPv6 address in brackets as the registry");
        }
    } else {
        let mut at = 0;
        for label in name.split('.') {
            if label.is_empty() || label.starts_with('-') {
                return fault(at, "expected a letter or digit in the registry");
            }
            if let Some(bad) = label.find(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
                let c = &label[bad..=bad];
                return fault(at + bad, format!("unexpected `{c}` in the registry"));
            }
            at += label.len() + 1;
            if label.ends_with('-') {
                return fault(at - 2, "unexpected `-` at the end of a registry label");
            }
        }
    }
    match port {
        Some(port) if port.parse::<u16>().is_err() => {
            fault(name.len() + 1, "expected a registry port of at most 65535")
        }
        _ => Ok(()),
    }
}

/// Lowercase words with one of `.`, `_`, `__` or dashes between them, and slashes between those.
fn path(value: &str, start: usize) -> Result<(), SyntaxError> {
    let mut at = start;
    for part in value.split('/') {
        if part.is_empty() {
            return fault(at, "missing repository name");
        }
        if let Some(bad) = part.find(|c: char| c.is_ascii_uppercase()) {
            return fault(at + bad, "unexpected capital letter in the repository");
        }
        if let Some(bad) = part.find(|c: char| !is_word(c) && !"._-".contains(c)) {
            let c = &part[bad..=bad];
            return fault(at + bad, format!("unexpected `{c}` in the repository"));
        }
        let mut from = 0;
        for word in part.split_inclusive(is_word) {
            let between = &word[..word.len() - 1];
            let is_last = !word.ends_with(is_word);
            let is_edge = from == 0 && !between.is_empty() || is_last;
            let is_separator =
                ["", ".", "_", "__"].contains(&between) || between.bytes().all(|b| b == b'-');
            if is_edge || !is_separator {
                return fault(
                    at + from,
                    "expected a letter or digit between separators in the repository",
                );
            }
            from += word.len();
        }
        at += part.len() + 1;
    }
    Ok(())
}

fn is_word(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

/// Checks a tag that starts at a byte of what it is reported of.
pub(super) fn tag(value: &str, start: usize) -> Result<(), SyntaxError> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if value.is_empty() {
        return fault(start, "missing tag after the colon");
    }
    if let Some((at, c)) = value
        .char_indices()
        .find(|(at, c)| !is_word(*c) && (*at == 0 || !".-".contains(*c)))
    {
        return fault(start + at, format!("unexpected {c:?} in the tag"));
    }
    if value.len() > TAG_MAX {
        fault(
            start + TAG_MAX,
            format!("the tag exceeds {TAG_MAX} characters"),
        )
    } else {
        Ok(())
    }
}

fn digest(value: &str, start: usize) -> Result<(), SyntaxError> {
    let Some((algorithm, hex)) = value.split_once(':') else {
        return fault(start, "missing digest algorithm, such as `sha256:`,");
    };
    let Some(length) = [("sha256", 64), ("sha512", 128)]
        .into_iter()
        .find_map(|(name, length)| (name == algorithm).then_some(length))
    else {
        return fault(start, "expected a sha256 or sha512 digest");
    };
    let start = start + algorithm.len() + 1;
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    if let Some(bad) = hex.find(|c| !is_hex(c)) {
        return fault(start + bad, "expected lowercase hex in the digest");
    }
    if hex.len() == length {
        Ok(())
    } else {
        fault(
            start + hex.len().min(length),
            format!(
                "found {} hex digits, but {algorithm} has {length},",
                hex.len()
            ),
        )
    }
}
