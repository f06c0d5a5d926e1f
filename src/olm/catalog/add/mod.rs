//! Adds a bundle to a catalog and its channels.

mod backport;
mod edges;
mod explicit;
mod generated;
mod published;

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;
use serde_json::{Value, json};

use crate::dns::label_1123;
use crate::error::{Code, Error, Result};
use crate::plan::LineEnds;

use super::blob::{self, BUNDLE, Blob, CHANNEL, PACKAGE};
use super::edit::Edits;
use super::render::Rendered;
use super::semver::Stream;
use super::{Catalog, rules};

/// How a bundle is added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// The channels, or the tiers of semver channels; those of the bundle if there are none.
    pub(crate) channels: Vec<String>,
    pub(crate) replaces: Option<String>,
    pub(crate) skips: Vec<String>,
    pub(crate) skip_range: Option<String>,
    /// The semver channels that are generated; without any, the graph is explicit.
    pub(crate) streams: Vec<Stream>,
}

/// What adding a bundle comes to.
#[derive(Debug, Default)]
pub(crate) struct Addition {
    /// The files that change, before and after.
    pub(crate) files: Vec<(String, String, String)>,
    /// The channels that the bundle is in.
    pub(crate) channels: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// What happens to the channels of a package.
#[derive(Debug, Default)]
struct Channels {
    /// The entries that each is to have, with the index of the one that they are in place of.
    changes: BTreeMap<String, Vec<(Option<usize>, Value)>>,
    /// The channels that the bundle is in.
    names: Vec<String>,
    /// The default channel, if it changes.
    default: Option<String>,
    notes: Vec<String>,
}

/// A package of a catalog.
struct Package<'a> {
    blob: &'a Blob,
    channels: Vec<&'a Blob>,
    bundles: Vec<&'a Blob>,
}

/// Adds a bundle. What is in the catalog is not changed, but for the edges of semver channels.
///
/// # Errors
/// Its package is missing, a bundle of the name differs, or the result would break a rule.
pub(crate) fn add(catalog: &Catalog, bundle: &Rendered, options: &Options) -> Result<Addition> {
    let files: Vec<_> = catalog
        .files
        .iter()
        .map(|(path, text)| (path.clone(), LineEnds::read(text)))
        .collect();
    if let [first, ..] = &catalog.unreadable[..] {
        return Err(Error::new(Code::InvalidCatalog, first).context("cannot read the catalog"));
    }
    let catalog = Catalog::default().with(&files);
    let package = Package::find(&catalog, &bundle.package)?;
    let known = package.bundle(&bundle.name);
    if let Some(known) = known {
        published::check(known, bundle)?;
    }
    let (with_edges, taken) = edges::of_csv(bundle, options)?;
    let mut channels = if options.streams.is_empty() {
        let mut channels = explicit::channels(&package, bundle, [options, &with_edges])?;
        channels.notes.extend(
            taken
                .filter(|_| !channels.changes.is_empty())
                .map(edges::note),
        );
        channels
    } else {
        let mut channels = generated::channels(&package, bundle, options)?;
        channels.notes.extend(taken.map(edges::unused));
        channels
    };
    channels.notes.extend(package.without_default(&channels));
    let changed = edited(&catalog, &package, bundle, &channels)?;
    let after = catalog.with(&changed);
    check(&catalog, &after, bundle)?;
    let before = |path: &str| {
        let file = files.iter().find(|(known, _)| known == path);
        file.map(|(_, text)| text.clone()).unwrap_or_default()
    };
    Ok(Addition {
        files: changed
            .into_iter()
            .map(|(path, text)| (path.clone(), before(&path), text))
            .filter(|(_, old, new)| old != new)
            .collect(),
        channels: channels.names,
        notes: channels.notes,
    })
}

impl<'a> Package<'a> {
    fn find(catalog: &'a Catalog, name: &str) -> Result<Self> {
        let of_schema = |schema: &'static str| {
            let blobs = catalog.blobs.iter();
            blobs.filter(move |blob| blob.schema() == schema && blob.package() == name)
        };
        let Some(blob) = of_schema(PACKAGE).next() else {
            let error = Error::new(
                Code::InvalidCatalog,
                format!("the catalog has no package `{name}`"),
            );
            return Err(error.hint(match label_1123(name) {
                Ok(()) => format!("create it first: `rop catalog init {name}`"),
                Err(rule) => format!(
                    "a new package cannot have this name: {rule}; change it in `metadata/annotations.yaml` of the bundle"
                ),
            }));
        };
        Ok(Self {
            blob,
            channels: of_schema(CHANNEL).collect(),
            bundles: of_schema(BUNDLE).collect(),
        })
    }

    fn bundle(&self, name: &str) -> Option<&'a Blob> {
        let mut bundles = self.bundles.iter();
        bundles.find(|bundle| bundle.name() == name).copied()
    }

    fn channel(&self, name: &str) -> Option<&'a Blob> {
        let mut channels = self.channels.iter();
        channels.find(|channel| channel.name() == name).copied()
    }

    /// The note that the default channel does not exist, also not with what is added.
    fn without_default(&self, added: &Channels) -> Option<String> {
        let default = self.blob.text("/defaultChannel");
        let default = added.default.as_deref().unwrap_or(default);
        let exists = self.channel(default).is_some() || added.changes.contains_key(default);
        (!default.is_empty() && !exists).then(|| {
            format!(
                "the default channel `{default}` does not exist yet, so the catalog is not valid: add a bundle with \
                 `--channels {default}`, or change `defaultChannel` in the catalog"
            )
        })
    }

    /// The version of a bundle, if it is in the catalog and valid.
    fn version(&self, bundle: &str) -> Option<Version> {
        let properties = self.bundle(bundle)?.items("/properties").iter();
        let mut packages = properties.filter(|it| it["type"] == PACKAGE);
        let package = packages.next()?;
        Version::parse(blob::text(&package["value"], "version")).ok()
    }
}

/// The index of the entry of a bundle in a channel.
fn position(channel: &Blob, name: &str) -> Option<usize> {
    let mut entries = channel.items("/entries").iter();
    entries.position(|entry| entry["name"] == name)
}

/// The files that change, with their new texts.
fn edited(
    catalog: &Catalog,
    package: &Package<'_>,
    bundle: &Rendered,
    channels: &Channels,
) -> Result<Vec<(String, String)>> {
    let texts: BTreeMap<_, _> = catalog.files.iter().cloned().collect();
    let mut files = BTreeMap::<String, Edits<'_>>::new();
    let mut edits = |blob: &Blob, edit: &dyn Fn(&mut Edits<'_>) -> Result<()>| -> Result<()> {
        let text = texts.get(&blob.file).map(String::as_str);
        let file = files.entry(blob.file.clone());
        edit(file.or_insert_with(|| Edits::new(text.unwrap_or_default())))
    };
    if let Some(default) = &channels.default {
        edits(package.blob, &|file| {
            file.set(package.blob, "defaultChannel", default)
        })?;
    }
    let mut new = Vec::new();
    for (name, changes) in &channels.changes {
        let Some(channel) = package.channel(name) else {
            let entries: Vec<_> = changes.iter().map(|(_, entry)| entry).collect();
            new.push(json!({
                "schema": CHANNEL,
                "package": bundle.package,
                "name": name,
                "entries": entries,
            }));
            continue;
        };
        for (index, entry) in changes {
            edits(channel, &|file| match index {
                Some(index) => file.set_edges(channel, *index, entry),
                None => file.add_entry(channel, entry),
            })?;
        }
    }
    let after = package.channels.last().copied().unwrap_or(package.blob);
    for channel in &new {
        edits(after, &|file| file.add_document(after, channel))?;
    }
    if package.bundle(&bundle.name).is_none() {
        let mut blobs = catalog.blobs.iter();
        let of_file = blobs.rfind(|blob| blob.file == package.blob.file);
        let last = package.bundles.last().copied().or(of_file);
        let previous = last.unwrap_or(package.blob);
        edits(previous, &|file| file.add_document(previous, &bundle.blob))?;
    }
    Ok(files
        .into_iter()
        .map(|(path, edits)| (path, edits.apply()))
        .collect())
}

/// Makes sure that no new rule is broken, and that nothing was lost.
fn check(before: &Catalog, after: &Catalog, bundle: &Rendered) -> Result<()> {
    let findings = rules::check(before);
    let known: BTreeSet<_> = findings.iter().map(|it| (it.rule, &it.message)).collect();
    let new: Vec<_> = rules::check(after)
        .iter()
        .filter(|finding| !known.contains(&(finding.rule, &finding.message)))
        .map(ToString::to_string)
        .collect();
    if !new.is_empty() {
        let message = format!(
            "the catalog would break a rule with `{}`:\n{}",
            bundle.name,
            new.join("\n")
        );
        return Err(Error::new(Code::InvalidCatalog, message)
            .hint("choose the entry that it follows with `--replaces`, `--skips` or `--semver`"));
    }
    let names = |catalog: &Catalog| -> Vec<(String, String, String)> {
        let blobs = catalog.blobs.iter();
        blobs
            .map(|blob| {
                let [schema, package, name] = [blob.schema(), blob.package(), blob.name()];
                (schema.to_owned(), package.to_owned(), name.to_owned())
            })
            .collect()
    };
    let after = names(after);
    let after: BTreeSet<_> = after.iter().collect();
    match names(before).iter().find(|blob| !after.contains(blob)) {
        Some((schema, _, name)) => Err(Error::new(
            Code::UneditableYaml,
            format!("the edit would lose the {schema} `{name}`"),
        )
        .hint("write it in the block style of YAML, one field a line")),
        None => Ok(()),
    }
}
