/// A URL without what may be secret in it, to print: the user and the password, the query, which signs many, and the
/// fragment.
pub(crate) fn shown(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let is_url = url[..end].contains("://");
    let (url, hidden) = url.split_at(if is_url { end } else { url.len() });
    let query = hidden.chars().next().map(|mark| format!("{mark}***"));
    let query = query.unwrap_or_default();
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}{query}", &rest[at + 1..]),
        None => format!("{url}{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_printed() {
        for (url, expected) in [
            ("https://u:p@example.com/a@b", "https://example.com/a@b"),
            ("https://u:p@ss@example.com", "https://example.com"),
            ("https://example.com/a@b", "https://example.com/a@b"),
            ("list", "list"),
            ("a?b", "a?b"),
            ("https://example.com/a?token=b", "https://example.com/a?***"),
            ("https://example.com/a#b?c", "https://example.com/a#***"),
            (
                "https://u:p@example.com?token=b@c",
                "https://example.com?***",
            ),
        ] {
            assert_eq!(shown(url), expected);
        }
    }
}
