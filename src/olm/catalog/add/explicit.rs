//! Channels whose graph is written by hand, entry by entry.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::dns::subdomain_1123;
use crate::error::{Code, Error, Result};
use crate::olm::{check_channel, range};
use crate::suggest::nearest;

use super::super::blob::Blob;
use super::super::render::Rendered;
use super::super::rules::head;
use super::{Channels, Options, Package, backport, position};

/// The entries of the bundle in its channels. The second options have the edges of its `ClusterServiceVersion`, too.
pub(super) fn channels(
    package: &Package<'_>,
    bundle: &Rendered,
    [asked, options]: [&Options; 2],
) -> Result<Channels> {
    let mut names = match &options.channels[..] {
        [] => bundle.channels.clone(),
        names => names.to_vec(),
    };
    let mut known = HashSet::new();
    names.retain(|name| known.insert(name.clone()));
    if names.is_empty() {
        return Err(
            Error::new(Code::ConflictingFlags, "the bundle names no channel")
                .hint("name one: `--channels stable`"),
        );
    }
    if let Some(skip_range) = &options.skip_range {
        check_range(skip_range)?;
    }
    let mut channels = Channels {
        default: default(package, bundle, &names),
        ..Channels::default()
    };
    for edge in options.replaces.iter().chain(&options.skips) {
        check_name(edge)?;
    }
    for name in &names {
        let channel = package.channel(name);
        if channel.is_none() {
            check_channel(name, "--channels candidate,stable").map_err(|error| {
                if options.channels.is_empty() {
                    error.context("the bundle names the channel in `metadata/annotations.yaml`")
                } else {
                    error
                }
            })?;
        }
        let missing = missing_edges(package, name, [asked, options]);
        channels.notes.extend(missing);
        let entry = entry(package, channel, bundle, options)?;
        let listed = channel.and_then(|it| Some((it, position(it, &bundle.name)?)));
        if let Some((channel, index)) = listed {
            same(channel, index, &entry, asked)?;
        } else {
            let changes = channels.changes.entry(name.clone());
            changes.or_default().push((None, entry));
        }
    }
    channels.names = names;
    Ok(channels)
}

/// Checks the name of a bundle, which is that of its `ClusterServiceVersion`.
pub(super) fn check_name(name: &str) -> Result<()> {
    subdomain_1123(name).map_err(|rule| {
        let message = format!("invalid name of a bundle `{name}`: {rule}");
        Error::new(Code::InvalidName, message).hint("write a name such as `app-operator.v1.0.0`")
    })
}

/// Checks a range of versions.
pub(super) fn check_range(text: &str) -> Result<()> {
    range::check(text).map_err(|reason| {
        Error::new(Code::InvalidName, format!("the range `{text}` {reason}"))
            .hint("write for example `>=1.0.0 <1.2.0`: a blank means AND, `||` OR")
    })
}

/// Says which bundles the new entry replaces or skips that the channel does not have. opm allows them.
fn missing_edges(
    package: &Package<'_>,
    name: &str,
    [asked, options]: [&Options; 2],
) -> Vec<String> {
    let channel = package.channel(name);
    let entries = channel.map_or(&[][..], |channel| channel.items("/entries"));
    let known: Vec<_> = entries
        .iter()
        .map(|entry| super::blob::text(entry, "name"))
        .collect();
    let file = &channel.unwrap_or(package.blob).file;
    let is_flag = [asked.replaces.is_some(), !asked.skips.is_empty()];
    let [replaces, skips] = [("--replaces ", "replaces: "), ("--skips ", "skips: ")];
    let named = |(flag, field), is_flag| if is_flag { flag } else { field };
    let replaces = options
        .replaces
        .iter()
        .map(|edge| (named(replaces, is_flag[0]), edge));
    let skips = options
        .skips
        .iter()
        .map(|edge| (named(skips, is_flag[1]), edge));
    let missing = replaces
        .chain(skips)
        .filter(|(_, edge)| !known.contains(&edge.as_str()));
    let note = |(source, edge): (&str, &String)| {
        let way_out = match nearest(edge, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "check the name, or add that bundle first".to_owned(),
        };
        format!("`{source}{edge}` names no entry of the channel `{name}` in {file}: {way_out}")
    };
    missing.map(note).collect()
}

/// The default channel of a package that has none.
fn default(package: &Package<'_>, bundle: &Rendered, names: &[String]) -> Option<String> {
    if !package.blob.lacks("/defaultChannel") {
        return None;
    }
    bundle
        .default_channel
        .clone()
        .filter(|own| names.contains(own) || package.channel(own).is_some())
        .or_else(|| names.first().cloned())
}

fn entry(
    package: &Package<'_>,
    channel: Option<&Blob>,
    bundle: &Rendered,
    options: &Options,
) -> Result<Value> {
    let mut entry = Map::new();
    entry.insert("name".into(), bundle.name.clone().into());
    let is_new = channel.is_none_or(|channel| position(channel, &bundle.name).is_none());
    let head = channel.filter(|_| is_new).and_then(head);
    let last = || match &head {
        // A skipped head is out of the graph: the new entry replaces what it replaced.
        Some(head) if options.skips.contains(head) => replaced(channel?, head),
        Some(head) if backport::leads_to(channel?, head, &bundle.name) => {
            backport::last_below(package, channel?, bundle).map(str::to_owned)
        }
        head => head.clone(),
    };
    if let Some(replaces) = options.replaces.clone().or_else(last) {
        entry.insert("replaces".into(), replaces.into());
    }
    if let Some(channel) = channel
        && let Some(head) = head
    {
        backport::check(package, channel, &head, bundle, options)?;
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
