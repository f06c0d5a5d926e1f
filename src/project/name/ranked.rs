//! Versions as Kubernetes sorts them: `v1`, `v1beta1`, `v2alpha3`.

/// Whether a name is a version that a project's own kinds can have.
pub(super) fn is_plain(name: &str) -> bool {
    parts(name, number).is_some()
}

/// Stability, major and minor of a version, whose numbers `number` reads.
pub(super) fn parts(value: &str, number: impl Fn(&str) -> Option<u64>) -> Option<(u8, u64, u64)> {
    let rest = value.strip_prefix('v')?;
    for (stability, word) in [(0, "alpha"), (1, "beta")] {
        if let Some((major, minor)) = rest.split_once(word) {
            return Some((stability, number(major)?, number(minor)?));
        }
    }
    Some((2, number(rest)?, 0))
}

/// A number as it stands in a version: no sign, no leading zero, four digits at most.
fn number(digits: &str) -> Option<u64> {
    let plain = (1..=4).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && !digits.starts_with('0');
    plain.then(|| digits.parse().ok()).flatten()
}
