//! Channels whose graph is written by hand, entry by entry.

use serde_json::{Map, Value};

use crate::error::{Code, Error, Result};
use crate::olm::range;

use super::super::blob::Blob;
use super::super::render::Rendered;
use super::super::rules::head;
use super::{Channels, Options, Package, position};

/// The entries of the bundle in its channels.
pub(super) fn channels(
    package: &Package<'_>,
    bundle: &Rendered,
    options: &Options,
) -> Result<Channels> {
    let names = match &options.channels[..] {
        [] => bundle.channels.clone(),
        names => names.to_vec(),
    };
    if names.is_empty() {
        return Err(
            Error::new(Code::ConflictingFlags, "the bundle names no channel")
                .hint("name one: `--channels stable`"),
        );
    }
    if let Some(skip_range) = &options.skip_range {
        range::check(skip_range).map_err(|reason| {
            Error::new(
                Code::InvalidName,
                format!("the range `{skip_range}` {reason}"),
            )
            .hint("write for example `>=1.0.0 <1.2.0`: a blank means AND, `||` OR")
        })?;
    }
    let mut channels = Channels {
        default: default(package, bundle, &names),
        ..Channels::default()
    };
    for name in &names {
        let channel = package.channel(name);
        let entry = entry(package, channel, bundle, options, name)?;
        let known = channel.and_then(|it| Some((it, position(it, &bundle.name)?)));
        if let Some((channel, index)) = known {
            same(channel, index, &entry, options)?;
        } else {
            let changes = channels.changes.entry(name.clone());
            changes.or_default().push((None, entry));
        }
    }
    channels.names = names;
    Ok(channels)
}

/// The default channel of a package that has none.
fn default(package: &Package<'_>, bundle: &Rendered, names: &[String]) -> Option<String> {
    if !package.blob.lacks("/defaultChannel") {
        return None;
    }
    let own = bundle.default_channel.clone();
    let own = own.filter(|own| names.contains(own) || package.channel(own).is_some());
    own.or_else(|| names.first().cloned())
}

fn entry(
    package: &Package<'_>,
    channel: Option<&Blob>,
    bundle: &Rendered,
    options: &Options,
    channel_name: &str,
) -> Result<Value> {
    let mut entry = Map::new();
    entry.insert("name".into(), bundle.name.clone().into());
    let is_new = channel.is_none_or(|channel| position(channel, &bundle.name).is_none());
    let head = channel.filter(|_| is_new).and_then(head);
    let last = || match &head {
        // A skipped head is out of the graph: the new entry replaces what it replaced.
        Some(head) if options.skips.contains(head) => replaced(channel?, head),
        head => head.clone(),
    };
    if let Some(replaces) = options.replaces.clone().or_else(last) {
        entry.insert("replaces".into(), replaces.into());
    }
    if options.replaces.is_none()
        && let Some(head) = head
        && let Some(version) = package.version(&head)
        && version.cmp_precedence(&bundle.version).is_ge()
    {
        return Err(Error::new(
            Code::InvalidName,
            format!(
                "the version {} of `{}` is not higher than {version}, that of `{head}`, the head of the \
                    channel `{channel_name}`",
                bundle.version, bundle.name
            ),
        )
        .hint("add bundles in the order of their versions, or place it with `--replaces` or `--semver`"));
    }
    if !options.skips.is_empty() {
        entry.insert("skips".into(), options.skips.clone().into());
    }
    if let Some(range) = &options.skip_range {
        entry.insert("skipRange".into(), range.clone().into());
    }
    Ok(entry.into())
}

/// What an entry of a channel replaces.
fn replaced(channel: &Blob, name: &str) -> Option<String> {
    let entry = &channel.items("/entries")[position(channel, name)?];
    entry["replaces"].as_str().map(str::to_owned)
}

/// Refuses to change an entry that is in the channel already.
fn same(channel: &Blob, index: usize, entry: &Value, options: &Options) -> Result<()> {
    let found = &channel.items("/entries")[index];
    let fields = [
        ("replaces", options.replaces.is_some()),
        ("skips", !options.skips.is_empty()),
        ("skipRange", options.skip_range.is_some()),
    ];
    let differs = |field: &str| found.get(field) != entry.get(field);
    let mut differing = fields
        .iter()
        .filter(|(field, is_set)| *is_set && differs(field));
    let Some((field, _)) = differing.next() else {
        return Ok(());
    };
    let line = channel.place(&format!("/entries/{index}")).line;
    Err(Error::new(
        Code::AlreadyExists,
        format!(
            "`{}` is in the channel `{}` with another `{field}` ({}:{line})",
            super::blob::text(entry, "name"),
            channel.name(),
            channel.file
        ),
    )
    .hint("leave the flag out, or edit the entry"))
}
