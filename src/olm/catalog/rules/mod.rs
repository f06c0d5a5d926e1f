//! The rules of file-based catalogs: each of `opm validate`, with the place of what breaks it. opm stops at the first.

mod bundle;
mod channel;
mod deprecation;
mod graph;
mod package;
mod property;
mod shape;

use std::collections::{BTreeMap, BTreeSet};

use super::Catalog;
use super::blob::{BUNDLE, Blob, CHANNEL, DEPRECATIONS, PACKAGE};
use super::finding::Finding;
use super::read::is_ignore;
use super::rule::Rule;

pub(super) use graph::head;

/// All that breaks a rule, in the order of files and lines.
pub(crate) fn check(catalog: &Catalog) -> Vec<Finding> {
    let mut findings = catalog.unreadable.clone();
    for (file, text) in catalog.files.iter().filter(|(file, _)| !is_ignore(file)) {
        shape::blank(file, text, &mut findings);
    }
    for blob in &catalog.blobs {
        shape::check(blob, &mut findings);
    }
    let index = Index::new(&catalog.blobs);
    package::check(&index, &mut findings);
    channel::check(&index, &mut findings);
    bundle::check(&index, &mut findings);
    deprecation::check(&index, &mut findings);
    // What is in a file that cannot be read is not missing, and a field of another type is not empty.
    let is_whole = catalog.unreadable.is_empty();
    findings.retain(|finding| is_whole || !ABSENCE.contains(&finding.rule));
    let wrong: BTreeSet<_> = findings
        .iter()
        .filter(|finding| finding.rule == Rule::FieldType)
        .map(|finding| (finding.file.clone(), finding.line, finding.field.clone()))
        .collect();
    findings.retain(|finding| {
        let place = (finding.file.clone(), finding.line, finding.field.clone());
        finding.rule == Rule::FieldType || !wrong.contains(&place)
    });
    findings.sort();
    findings.dedup();
    findings
}

/// The rules that miss a blob.
const ABSENCE: [Rule; 8] = [
    Rule::DefaultChannelUnknown,
    Rule::PackageWithoutChannel,
    Rule::ChannelPackageUnknown,
    Rule::EntryWithoutBundle,
    Rule::BundlePackageUnknown,
    Rule::BundleNotInChannel,
    Rule::DeprecationsPackageUnknown,
    Rule::DeprecationReferenceUnknown,
];

/// The blobs of a package, or of a name that no package has.
#[derive(Default)]
struct Package<'a> {
    /// Its definitions: one is right.
    packages: Vec<&'a Blob>,
    channels: Vec<&'a Blob>,
    bundles: Vec<&'a Blob>,
    deprecations: Vec<&'a Blob>,
}

impl Package<'_> {
    fn is_known(&self) -> bool {
        !self.packages.is_empty()
    }
}

/// The blobs of a catalog by package.
struct Index<'a>(BTreeMap<&'a str, Package<'a>>);

impl<'a> Index<'a> {
    fn new(blobs: &'a [Blob]) -> Self {
        let mut packages = BTreeMap::<_, Package<'_>>::new();
        for blob in blobs {
            let package = packages.entry(blob.package()).or_default();
            match blob.schema() {
                PACKAGE => package.packages.push(blob),
                CHANNEL => package.channels.push(blob),
                BUNDLE => package.bundles.push(blob),
                DEPRECATIONS => package.deprecations.push(blob),
                _ => {}
            }
        }
        Self(packages)
    }

    /// The packages with their names.
    fn packages(&self) -> impl Iterator<Item = (&'a str, &Package<'a>)> {
        self.0.iter().map(|(name, package)| (*name, package))
    }
}

/// Reports all but the first of blobs that should be one.
fn once(blobs: &[&Blob], rule: Rule, pointer: &str, what: &str, findings: &mut Vec<Finding>) {
    let Some((first, others)) = blobs.split_first() else {
        return;
    };
    let (file, line) = (&first.file, first.place(pointer).line);
    findings.extend(others.iter().map(|blob| {
        let message = format!("{what} is also in {file}:{line}");
        Finding::in_blob(rule, blob, pointer, message)
    }));
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn the_book_has_all_rules() {
        let page = include_str!("../../../../book/src/deploy/catalog.md");
        let rows = Rule::ALL
            .iter()
            .map(|rule| format!("| `{}` | {} |\n", rule.id(), rule.meaning()));
        let table = rows.collect::<String>();
        assert!(page.contains(&format!("|---|---|\n{table}\n")), "{table}");
    }
}
