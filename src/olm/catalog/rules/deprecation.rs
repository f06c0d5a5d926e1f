use std::collections::HashSet;

use super::super::blob::{self, BUNDLE, Blob, CHANNEL, PACKAGE};
use super::super::finding::Finding;
use super::{Index, Package, Rule, once};

/// Checks deprecations and what they refer to.
pub(super) fn check(index: &Index<'_>, findings: &mut Vec<Finding>) {
    for (name, package) in index.packages() {
        for blob in &package.deprecations {
            let mut report = |rule: Rule, message: String| {
                findings.push(Finding::in_blob(rule, blob, "/package", message));
            };
            if name.is_empty() {
                let message = "the deprecations name no package".to_owned();
                report(Rule::DeprecationsPackageMissing, message);
                continue;
            }
            if !package.is_known() {
                let message =
                    format!("the package `{name}` of the deprecations is not in the catalog");
                report(Rule::DeprecationsPackageUnknown, message);
                continue;
            }
            entries(blob, package, findings);
        }
        if !name.is_empty() {
            let what = format!("a blob of deprecations of the package `{name}`");
            let rule = Rule::DeprecationsDuplicate;
            once(&package.deprecations, rule, "/package", &what, findings);
        }
    }
}

fn entries(blob: &Blob, package: &Package<'_>, findings: &mut Vec<Finding>) {
    let mut seen = HashSet::new();
    for (index, entry) in blob.items("/entries").iter().enumerate() {
        let at = |field: &str| format!("/entries/{index}/{field}");
        let (schema, name) = (
            blob::text(&entry["reference"], "schema"),
            blob::text(&entry["reference"], "name"),
        );
        let mut report = |rule: Rule, pointer: &str, message: String| {
            findings.push(Finding::in_blob(rule, blob, pointer, message));
        };
        let target = match schema {
            PACKAGE if name.is_empty() => Ok(()),
            PACKAGE => Err((
                Rule::DeprecationPackageNamed,
                format!("the deprecation of the package has the name `{name}`"),
            )),
            CHANNEL => exists(&package.channels, name, "channel"),
            BUNDLE => exists(&package.bundles, name, "bundle"),
            "" => Err((
                Rule::DeprecationSchema,
                "a deprecation has no `reference.schema`".to_owned(),
            )),
            other => Err((
                Rule::DeprecationSchema,
                format!("a deprecation refers to the unknown schema `{other}`"),
            )),
        };
        if let Err((rule, message)) = target {
            let field = match rule {
                Rule::DeprecationSchema => "reference/schema",
                _ => "reference/name",
            };
            report(rule, &at(field), message);
        }
        if !schema.is_empty() && !seen.insert((schema, name)) {
            let message = format!("the {schema} `{name}` is deprecated twice");
            report(Rule::DeprecationDuplicate, &at("reference"), message);
        }
        if blob.lacks(&at("message")) {
            let message = "a deprecation has no message".to_owned();
            report(Rule::DeprecationMessageMissing, &at("message"), message);
        }
    }
}

fn exists(blobs: &[&Blob], name: &str, what: &str) -> Result<(), (Rule, String)> {
    if blobs.iter().any(|blob| blob.name() == name) {
        Ok(())
    } else {
        Err((
            Rule::DeprecationReferenceUnknown,
            format!("the deprecated {what} `{name}` does not exist"),
        ))
    }
}
