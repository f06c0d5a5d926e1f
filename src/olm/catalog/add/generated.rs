//! Channels that follow from versions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::error::{Code, Error, Result};

use super::super::blob;
use super::super::render::Rendered;
use super::super::semver::{Entry, Name, Stream, TIERS, channels as linked};
use super::{Channels, Options, Package, position};

/// The entries of all semver channels that change with the bundle.
pub(super) fn channels(
    package: &Package<'_>,
    bundle: &Rendered,
    options: &Options,
) -> Result<Channels> {
    let mut channels = Channels::default();
    for tier in tiers(bundle, options)? {
        for stream in &options.streams {
            let name = Name::of(tier, *stream, &bundle.version).to_string();
            link(package, bundle, tier, *stream, &mut channels)?;
            channels.names.push(name);
        }
    }
    channels.default = default(package, &channels.names);
    Ok(channels)
}

fn tiers(bundle: &Rendered, options: &Options) -> Result<BTreeSet<usize>> {
    let names = match &options.channels[..] {
        [] => &bundle.channels,
        names => names,
    };
    let tier = |name: &String| {
        let known = TIERS.iter().position(|tier| tier == name);
        known.ok_or_else(|| {
            Error::new(
                Code::InvalidName,
                format!("semver channels have a tier, and `{name}` is none"),
            )
            .hint("use `candidate`, `fast` or `stable`, as in `--channels candidate`")
        })
    };
    let tiers: BTreeSet<_> = names.iter().map(tier).collect::<Result<_>>()?;
    if tiers.is_empty() {
        Err(
            Error::new(Code::ConflictingFlags, "the bundle names no channel")
                .hint("name a tier: `--channels candidate`"),
        )
    } else {
        Ok(tiers)
    }
}

/// Links the channels of a tier and a stream once more. Edges that somebody edited stay.
fn link(
    package: &Package<'_>,
    bundle: &Rendered,
    tier: usize,
    stream: Stream,
    result: &mut Channels,
) -> Result<()> {
    let mut bundles = BTreeMap::new();
    for channel in &package.channels {
        let is_linked = Name::parse(channel.name())
            .is_some_and(|name| name.tier == tier && name.stream == stream);
        let entries = channel.items("/entries").iter();
        for name in entries
            .filter(|_| is_linked)
            .map(|it| blob::text(it, "name"))
        {
            let version = package.version(name).ok_or_else(|| {
                Error::new(
                    Code::InvalidCatalog,
                    format!(
                        "the bundle `{name}` of the channel `{}` has no valid version",
                        channel.name()
                    ),
                )
                .hint("see `rop catalog validate`")
            })?;
            bundles.insert(name.to_owned(), version);
        }
    }
    let unordered = |(one, other): (String, String)| {
        Error::new(
            Code::InvalidCatalog,
            format!("the versions of `{one}` and `{other}` have no order: they differ in build metadata alone"),
        )
        .hint("raise the version of the new bundle")
    };
    let before = linked(tier, stream, &bundles).map_err(unordered)?;
    bundles.insert(bundle.name.clone(), bundle.version.clone());
    let after = linked(tier, stream, &bundles).map_err(unordered)?;
    for (name, entries) in after {
        let channel = package.channel(&name);
        for entry in entries {
            let index = channel.and_then(|channel| position(channel, &entry.name));
            let Some((channel, index)) = channel.zip(index) else {
                let changes = result.changes.entry(name.clone()).or_default();
                changes.push((None, value(&entry)));
                continue;
            };
            let found = of_value(&channel.items("/entries")[index]);
            if found == entry {
                continue;
            }
            let old = before.get(&name).into_iter().flatten();
            if old.clone().any(|old| *old == entry) {
                // It was edited before, and this bundle asks for no change.
                continue;
            }
            if old.clone().any(|old| *old == found) {
                let changes = result.changes.entry(name.clone()).or_default();
                changes.push((Some(index), value(&entry)));
            } else {
                result.notes.push(format!(
                    "the entry `{}` of the channel `{name}` was edited, so it is kept; rop would generate: {}",
                    entry.name,
                    value(&entry)
                ));
            }
        }
    }
    Ok(())
}

fn value(entry: &Entry) -> Value {
    let mut value = json!({"name": entry.name});
    if !entry.replaces.is_empty() {
        value["replaces"] = entry.replaces.clone().into();
    }
    if !entry.skips.is_empty() {
        value["skips"] = entry.skips.clone().into();
    }
    value
}

fn of_value(value: &Value) -> Entry {
    let mut skips: Vec<_> = value["skips"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    skips.sort();
    Entry {
        name: blob::text(value, "name").to_owned(),
        replaces: blob::text(value, "replaces").to_owned(),
        skips,
    }
}

/// The default channel, if the package has none or a semver channel that is no longer the best.
fn default(package: &Package<'_>, new: &[String]) -> Option<String> {
    let current = package.blob.text("/defaultChannel");
    if !current.is_empty() && Name::parse(current).is_none() {
        return None;
    }
    let names: Vec<_> = package
        .channels
        .iter()
        .map(|channel| channel.name())
        .chain(new.iter().map(String::as_str))
        .filter_map(Name::parse)
        .collect();
    let preference = if names.iter().any(|name| name.stream == Stream::Minor) {
        Stream::Minor
    } else {
        Stream::Major
    };
    names
        .iter()
        .max_by(|a, b| a.preferred(b, preference))
        .map(ToString::to_string)
        .filter(|best| best != current)
}
