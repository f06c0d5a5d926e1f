//! Versions that are lower than the head of a channel.

use semver::Version;

use crate::error::{Code, Error, Result};
use crate::shell_word::shell_word;

use super::super::blob::{self, Blob};
use super::super::render::Rendered;
use super::super::semver::{Name, Stream};
use super::{Options, Package, position};

/// Checks that a new bundle of a channel is higher than its head, or that the head leads past it.
///
/// # Errors
/// It would be a second head: the hints are where it can be instead.
pub(super) fn check(
    package: &Package<'_>,
    channel: &Blob,
    head: &str,
    bundle: &Rendered,
    options: &Options,
) -> Result<()> {
    let Some(version) = package.version(head) else {
        return Ok(());
    };
    let order = version.cmp_precedence(&bundle.version);
    let is_skipped = options.replaces.is_some() && options.skips.iter().any(|it| it == head);
    if order.is_lt() || is_skipped || leads_to(channel, head, &bundle.name) {
        return Ok(());
    }
    let error = Error::new(
        Code::InvalidName,
        format!(
            "the version {} of `{}` is not higher than {version}, that of `{head}`, the head of the channel `{}`",
            bundle.version,
            bundle.name,
            channel.name()
        ),
    );
    if order.is_eq() {
        return Err(error.hint("raise the version of the bundle"));
    }
    let own = own_channel(channel.name(), bundle);
    let error = if own == channel.name() {
        error
    } else {
        let Version { major, minor, .. } = &bundle.version;
        let range = lower(&bundle.version).map(|range| format!(" --skip-range '{range}'"));
        let range = range.unwrap_or_default();
        error.hint(format!(
            "to upgrade those who stay on {major}.{minor}, add it to a channel of that version: `--channels {}{range}`",
            shell_word(&own),
        ))
    };
    let line = channel.place("/entries").line;
    let line = position(channel, head).map_or(line, |index| {
        channel.place(&format!("/entries/{index}")).line
    });
    Err(error.hint(format!(
        "to have it in `{}`, first add it to `skips` of `{head}` ({}:{line})",
        channel.name(),
        channel.file
    )))
}

/// The versions of the same minor version that are lower. None for its first, which has none below it.
fn lower(version: &Version) -> Option<String> {
    let Version {
        major,
        minor,
        patch,
        ..
    } = version;
    (*patch > 0).then(|| format!(">={major}.{minor}.0 <{version}"))
}

/// Whether the head of a channel replaces or skips a bundle.
pub(super) fn leads_to(channel: &Blob, head: &str, bundle: &str) -> bool {
    let entry = position(channel, head).map(|index| &channel.items("/entries")[index]);
    entry.is_some_and(|entry| {
        let skips = entry["skips"].as_array().into_iter().flatten();
        entry["replaces"] == bundle || skips.into_iter().any(|skipped| skipped == bundle)
    })
}

/// The channel of a minor version that stands beside a channel: `stable-v1.1` for `stable` and `stable-v1.2`.
fn own_channel(channel: &str, bundle: &Rendered) -> String {
    let stem = match Name::parse(channel) {
        Some(name) if name.stream == Stream::Minor => channel.rsplit_once("-v"),
        _ => None,
    };
    let (stem, _) = stem.unwrap_or((channel, ""));
    let version = &bundle.version;
    format!("{stem}-v{}.{}", version.major, version.minor)
}

/// The highest bundle of a channel that is lower than a bundle.
pub(super) fn last_below<'a>(
    package: &Package<'_>,
    channel: &'a Blob,
    bundle: &Rendered,
) -> Option<&'a str> {
    let names = channel
        .items("/entries")
        .iter()
        .map(|entry| blob::text(entry, "name"));
    names
        .filter_map(|name| Some((package.version(name)?, name)))
        .filter(|(version, _)| version.cmp_precedence(&bundle.version).is_lt())
        .max()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_range_is_empty() {
        for (version, range) in [
            ("1.1.0", None),
            ("1.2.0-rc.1", None),
            ("1.2.1-rc.1", Some(">=1.2.0 <1.2.1-rc.1")),
            ("1.0.5", Some(">=1.0.0 <1.0.5")),
        ] {
            let version = version.parse().expect("a version");
            assert_eq!(lower(&version).as_deref(), range, "{version}");
        }
    }
}
