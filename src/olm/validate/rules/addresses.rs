//! Addresses of people and pages, as `net/mail` and `net/url` of Go read them.

/// The charsets that a name of words such as `=?utf-8?q?J=C3=B6rg?=` can have.
const CHARSETS: [&str; 3] = ["utf-8", "iso-8859-1", "us-ascii"];

/// Whether a text is an address, with or without a name before it.
pub(super) fn is_email(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    let (name, address) = match text
        .strip_suffix('>')
        .and_then(|text| text.rsplit_once('<'))
    {
        Some((name, address)) => (name, address),
        None => ("", text),
    };
    let Some((local, domain)) = address.rsplit_once('@') else {
        return false;
    };
    let is_atom =
        |c: char| c.is_alphanumeric() || !c.is_ascii() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    let is_dotted = |text: &str| {
        text.split('.')
            .all(|part| !part.is_empty() && part.chars().all(is_atom))
    };
    is_name(name) && is_dotted(local) && is_dotted(domain)
}

/// Whether a text can stand before an address.
fn is_name(name: &str) -> bool {
    let encoded = name
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("=?"));
    let charsets = encoded.filter_map(|word| word.split_once('?'));
    let is_known = |charset: &str| CHARSETS.contains(&charset.to_ascii_lowercase().as_str());
    !name.contains(['\r', '\n']) && charsets.into_iter().all(|(charset, _)| is_known(charset))
}

/// Whether a text is a URL with a scheme, or an absolute path.
pub(super) fn is_url(text: &str) -> bool {
    if text == "*" {
        return true;
    }
    if text.chars().any(|c| c.is_ascii_control()) {
        return false;
    }
    let (scheme, rest) = scheme(text);
    let rest = rest.split('?').next().unwrap_or_default();
    if !rest.starts_with('/') {
        return !scheme.is_empty() && !rest.is_empty();
    }
    match rest.strip_prefix("//") {
        Some(rest) if !scheme.is_empty() => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            is_authority(authority) && escapes(path).all(|byte| byte.is_some())
        }
        _ => escapes(rest).all(|byte| byte.is_some()),
    }
}

/// The scheme of a URL, if it has one, and the rest.
fn scheme(text: &str) -> (&str, &str) {
    let in_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    match text.split_once(':') {
        Some((scheme, rest))
            if scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(in_scheme) =>
        {
            (scheme, rest)
        }
        _ => ("", text),
    }
}

/// Whether a text is a host, with or without a user and a port.
fn is_authority(text: &str) -> bool {
    let (user, host) = text.rsplit_once('@').unwrap_or(("", text));
    let in_user = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    let port = match host.strip_prefix('[') {
        Some(literal) => literal.rsplit_once(']').map(|(_, port)| port),
        None => Some(host.rfind(':').map_or("", |colon| &host[colon..])),
    };
    let is_port = |port: &str| {
        let digits = port.strip_prefix(':');
        port.is_empty() || digits.is_some_and(|it| it.chars().all(|c| c.is_ascii_digit()))
    };
    let in_host = |c: char| {
        c.is_ascii_alphanumeric() || !c.is_ascii() || "-_.~!$&'()*+,;=:[]<>\"%".contains(c)
    };
    // Only bytes beyond ASCII are escaped in a host, and the `%` of a zone.
    let mut of_host = escapes(host);
    !host.is_empty()
        && user.chars().all(in_user)
        && escapes(user).all(|byte| byte.is_some())
        && host.chars().all(in_host)
        && of_host.all(|byte| byte.is_some_and(|byte| byte >= 0x80 || byte == b'%'))
        && port.is_some_and(is_port)
}

/// The bytes that are escaped in a text; `None` where nothing is behind `%` that can be read.
fn escapes(text: &str) -> impl Iterator<Item = Option<u8>> {
    let parts = text.split('%').skip(1);
    parts.map(|part| {
        let digits = part.get(..2)?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_hex.then(|| u8::from_str_radix(digits, 16).ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `mail.ParseAddress` says of them.
    #[test]
    fn addresses() {
        for email in [
            "a@b",
            "Jane Doe <jane.doe@example.com>",
            "a+b@example.com",
            " a@b\t",
            "=?utf-8?q?x?= <a@b>",
            "=?ISO-8859-1?q?x?= <a@b>",
        ] {
            assert!(is_email(email), "{email}");
        }
        for none in [
            "",
            "a",
            "a@",
            "@b",
            "a b@c",
            "a@b c",
            "a..b@c",
            "<a@b",
            "a@b@c",
            "a@b\n",
            "=?foo?q?x?= <a@b>",
        ] {
            assert!(!is_email(none), "{none}");
        }
    }

    /// What `url.ParseRequestURI` says of them, but for those without a host.
    #[test]
    fn urls() {
        for url in [
            "https://example.com",
            "http://a/b?c=%20",
            "/path",
            "mailto:a@b",
            "*",
            "http://a<b",
            "http://a\"b",
            "http://a:80/",
            "http://a:/b",
            "http://[::1]:80",
            "http://user:pw@a/b",
            "http://a/b c",
            "http://a?%zz",
            "http://%c3%bc",
        ] {
            assert!(is_url(url), "{url}");
        }
        for none in [
            "",
            "example.com",
            "https://",
            "https:// a",
            "://a",
            "http://a/%zz",
            "1a:b",
            "http://a:b",
            "http://[::1",
            "http://[::1]:x",
            "http://a:-1",
            "http://a\\b",
            "http://{a}",
            "http://a^b",
            "http://a#b",
            "http://a%41",
            "http://a/b%",
            "/%g0",
        ] {
            assert!(!is_url(none), "{none}");
        }
    }
}
