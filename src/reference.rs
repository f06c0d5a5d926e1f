//! References of images, taken apart.

/// The name, the tag and the digest of a reference, valid or not.
pub(crate) fn split(reference: &str) -> (&str, Option<&str>, Option<&str>) {
    let (rest, digest) = match reference.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (reference, None),
    };
    // A colon before the last slash is that of a port.
    match rest.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') && !tag.ends_with(']') => (name, Some(tag), digest),
        _ => (rest, None, digest),
    }
}
