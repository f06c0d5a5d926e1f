//! Manifests of packages, the format before bundles, and groups of operators.

use std::collections::BTreeSet;

use crate::olm::read::Document;
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Format;

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Format,
        "package-manifest-name",
        "A package manifest names its package",
        "set `packageName`",
        |input, found| {
            for package in packages(input) {
                let name = package.get("packageName");
                if name.is_empty() {
                    found.at(&name, "`packageName` is empty");
                }
            }
        },
    ),
    Rule::error(
        Format,
        "package-manifest-channels",
        "A package manifest has a channel",
        "add one to `channels`",
        |input, found| {
            for package in packages(input) {
                let channels = package.get("channels");
                if channels.items().next().is_none() {
                    found.at(&channels, "the package has no channels");
                }
            }
        },
    ),
    Rule::error(
        Format,
        "package-manifest-duplicate",
        "The channels of a package manifest have different names",
        "rename one of them",
        duplicates,
    ),
    Rule::error(
        Format,
        "package-manifest-csv",
        "Each channel of a package manifest has a name and a current CSV",
        "set `name` and `currentCSV`",
        |input, found| {
            for channel in packages(input).flat_map(|it| it.get("channels").items()) {
                for name in ["name", "currentCSV"] {
                    if channel.get(name).is_empty() {
                        found.at(&channel.get(name), format!("`{name}` is empty"));
                    }
                }
            }
        },
    ),
    Rule::error(
        Format,
        "package-manifest-default",
        "A package manifest with several channels has a default, which is one of them",
        "set `defaultChannel` to the name of a channel",
        default,
    ),
];

fn packages<'a>(input: &Input<'a>) -> impl Iterator<Item = crate::olm::read::Node<'a>> + use<'a> {
    input.bundle.packages.iter().map(Document::root)
}

fn duplicates(input: &Input<'_>, found: &mut Findings<'_>) {
    for package in packages(input) {
        let mut names = BTreeSet::new();
        for channel in package.get("channels").items() {
            let name = channel.get("name");
            if !names.insert(name.text()) {
                found.at(&name, format!("another channel is named `{}`", name.text()));
            }
        }
    }
}

fn default(input: &Input<'_>, found: &mut Findings<'_>) {
    for package in packages(input) {
        let channels: Vec<_> = package.get("channels").items().collect();
        let default = package.get("defaultChannel");
        let has_it = |name: &str| channels.iter().any(|it| it.get("name").text() == name);
        if default.is_empty() && channels.len() > 1 {
            found.at(&default, "the package has several channels and no default");
        } else if !default.is_empty() && !has_it(default.text()) {
            let message = format!("the package has no channel `{}`", default.text());
            found.at(&default, message);
        }
    }
}
