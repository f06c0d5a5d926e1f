use std::collections::{BTreeMap, HashSet};

use semver::{Prerelease, Version};

use crate::project::name::Image;

use super::super::blob::{self, Blob};
use super::super::finding::Finding;
use super::property::{self, OBJECT, PACKAGE};
use super::{Index, Package, Rule, once};

/// Checks bundles, their properties and images.
pub(super) fn check(index: &Index<'_>, findings: &mut Vec<Finding>) {
    for (name, package) in index.packages() {
        let mut named = BTreeMap::<_, Vec<&Blob>>::new();
        let entries: HashSet<_> = package
            .channels
            .iter()
            .flat_map(|it| it.items("/entries"))
            .map(|entry| blob::text(entry, "name"))
            .collect();
        for blob in &package.bundles {
            named.entry(blob.name()).or_default().push(blob);
            in_package(blob, name, package, &entries, findings);
            property::check(blob, findings);
            version(blob, findings);
            images(blob, findings);
        }
        named.remove("");
        for (bundle, blobs) in &named {
            let what = format!("the bundle `{bundle}` of the package `{name}`");
            once(blobs, Rule::BundleDuplicate, "/name", &what, findings);
        }
        let mut published = package.bundles.clone();
        published.retain(|blob| entries.contains(blob.name()));
        unique_versions(&published, findings);
    }
}

fn in_package(
    blob: &Blob,
    package_name: &str,
    package: &Package<'_>,
    entries: &HashSet<&str>,
    findings: &mut Vec<Finding>,
) {
    let name = blob.name();
    let mut report = |rule: Rule, pointer: &str, message: String| {
        findings.push(Finding::in_blob(rule, blob, pointer, message));
    };
    if blob.lacks("/name") {
        report(
            Rule::BundleNameMissing,
            "/name",
            "the bundle has no name".into(),
        );
    } else if package.is_known() && !entries.contains(name) {
        let message = format!("the bundle `{name}` is in no channel of `{package_name}`");
        report(Rule::BundleNotInChannel, "/name", message);
    }
    if blob.lacks("/package") {
        let message = format!("the bundle `{name}` names no package");
        report(Rule::BundlePackageMissing, "/package", message);
    } else if !package.is_known() {
        let message =
            format!("the package `{package_name}` of the bundle `{name}` is not in the catalog");
        report(Rule::BundlePackageUnknown, "/package", message);
    }
}

/// The properties of a type, with their pointers.
fn properties<'a>(blob: &'a Blob, kind: &str) -> Vec<(String, &'a serde_json::Value)> {
    let properties = blob.items("/properties").iter().enumerate();
    let of_kind = properties.filter(|(_, property)| property["type"] == kind);
    of_kind
        .map(|(index, property)| (format!("/properties/{index}"), &property["value"]))
        .collect()
}

/// Checks the property with package and version.
fn version(blob: &Blob, findings: &mut Vec<Finding>) {
    let name = blob.name();
    let mut report = |rule: Rule, pointer: &str, message: String| {
        findings.push(Finding::in_blob(rule, blob, pointer, message));
    };
    let packages = properties(blob, PACKAGE);
    let [(pointer, value)] = &packages[..] else {
        let message = format!(
            "the bundle `{name}` has {} properties of the type `{PACKAGE}`, and not one",
            packages.len()
        );
        return report(Rule::BundlePackageProperty, "/properties", message);
    };
    let (package, found) = (blob.text("/package"), blob::text(value, "packageName"));
    if !package.is_empty() && package != found {
        let message =
            format!("the bundle `{name}` of the package `{package}` says that it is of `{found}`");
        let pointer = format!("{pointer}/value/packageName");
        report(Rule::BundlePackageDiffers, &pointer, message);
    }
    let version = blob::text(value, "version");
    let parsed = Version::parse(version);
    if let Err(error) = &parsed {
        let message = format!("the version `{version}` of the bundle `{name}` is invalid: {error}");
        let pointer = format!("{pointer}/value/version");
        report(Rule::BundleVersionInvalid, &pointer, message);
    }
    let release = blob::text(value, "release");
    if release.is_empty() {
        return;
    }
    let pointer = format!("{pointer}/value/release");
    let expected = format!("{package}-v{version}-{release}");
    let fault = if let Err(error) = Prerelease::new(release) {
        format!("is invalid: {error}")
    } else if parsed.is_ok_and(|version| !version.build.is_empty()) {
        "cannot be combined with build metadata in the version".to_owned()
    } else if name != expected {
        format!("asks for the name `{expected}`")
    } else {
        return;
    };
    let message = format!("the release `{release}` of the bundle `{name}` {fault}");
    report(Rule::BundleReleaseInvalid, &pointer, message);
}

fn images(blob: &Blob, findings: &mut Vec<Finding>) {
    let name = blob.name();
    if blob.lacks("/image") && properties(blob, OBJECT).is_empty() {
        let message = format!("the bundle `{name}` has neither an image nor its manifests");
        let rule = Rule::BundleImageMissing;
        findings.push(Finding::in_blob(rule, blob, "/image", message));
    }
    let count = blob.items("/relatedImages").len();
    let related = (0..count).map(|index| format!("/relatedImages/{index}/image"));
    for pointer in ["/image".to_owned()].into_iter().chain(related) {
        let image = blob.text(&pointer);
        if !image.is_empty()
            && let Err(error) = image.parse::<Image>()
        {
            let message = format!("the bundle `{name}`: {error}");
            let rule = Rule::BundleImageInvalid;
            findings.push(Finding::in_blob(rule, blob, &pointer, message));
        }
    }
}

fn unique_versions(bundles: &[&Blob], findings: &mut Vec<Finding>) {
    let mut versions = BTreeMap::<_, &Blob>::new();
    for blob in bundles {
        let packages = properties(blob, PACKAGE);
        let Some((pointer, value)) = packages.first() else {
            continue;
        };
        let version = match (blob::text(value, "version"), blob::text(value, "release")) {
            ("", _) => continue,
            (version, "") => version.to_owned(),
            (version, release) => format!("{version}-{release}"),
        };
        match versions.get(&version) {
            Some(first) if first.name() != blob.name() => {
                let message = format!(
                    "the version `{version}` is that of `{}` and of `{}`",
                    first.name(),
                    blob.name()
                );
                let pointer = format!("{pointer}/value/version");
                let rule = Rule::BundleVersionDuplicate;
                findings.push(Finding::in_blob(rule, blob, &pointer, message));
            }
            Some(_) => {}
            None => drop(versions.insert(version, blob)),
        }
    }
}
