use crate::dns::label_1123;

use super::super::finding::Finding;
use super::{Index, Rule, once};

/// Checks packages and their default channels.
pub(super) fn check(index: &Index<'_>, findings: &mut Vec<Finding>) {
    for (name, package) in index.packages() {
        if name.is_empty() {
            findings.extend(package.packages.iter().map(|blob| {
                Finding::in_blob(
                    Rule::PackageNameMissing,
                    blob,
                    "/name",
                    "the package has no name",
                )
            }));
            continue;
        }
        once(
            &package.packages,
            Rule::PackageDuplicate,
            "/name",
            &format!("the package `{name}`"),
            findings,
        );
        for blob in &package.packages {
            let mut report = |rule: Rule, pointer: &str, message: String| {
                findings.push(Finding::in_blob(rule, blob, pointer, message));
            };
            if let Err(reason) = label_1123(name) {
                let message = format!("the package name `{name}`: {reason}");
                report(Rule::PackageNameInvalid, "/name", message);
            }
            let default = blob.text("/defaultChannel");
            let has_default = package.channels.iter().any(|it| it.name() == default);
            if blob.lacks("/defaultChannel") {
                let message = format!("the package `{name}` has no default channel");
                report(Rule::DefaultChannelMissing, "/defaultChannel", message);
            } else if !has_default {
                let message = format!(
                    "the default channel `{default}` of the package `{name}` does not exist"
                );
                report(Rule::DefaultChannelUnknown, "/defaultChannel", message);
            }
            if package.channels.is_empty() {
                let message = format!("the package `{name}` has no channel");
                report(Rule::PackageWithoutChannel, "", message);
            }
        }
    }
}
