//! How the objects of a bundle fit together.

use std::collections::BTreeSet;

use crate::listed::listed;
use crate::olm::kinds::SUPPORTED_KINDS;
use crate::olm::read::Document;
use crate::olm::validate::input::{CRD, CSV, Gvk, Input, defined, described_gvk, name};
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Content;

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Content,
        "unsupported-kind",
        "OLM installs each kind of object in the bundle",
        "remove the object; Deployments belong in the CSV, and the operator can create others",
        kinds,
    ),
    Rule::error(
        Content,
        "owned-crd-missing",
        "The bundle has the CRD of each version of a kind that the CSV owns",
        "add the CRD, or correct `name`, `version` and `kind` of the entry",
        owned_missing,
    ),
    Rule::error(
        Content,
        "crd-duplicate",
        "No two CRDs define the same version of a kind",
        "remove one of the two",
        duplicates,
    ),
    Rule::error(
        Content,
        "crd-not-owned",
        "The CSV owns each CRD of the bundle",
        "add the CRD to `spec.customresourcedefinitions.owned`, or remove it",
        not_owned,
    ),
    Rule::error(
        Content,
        "service-account-duplicate",
        "OLM creates the service accounts of Deployments, so the bundle has none of the same name",
        "remove the service account, or rename the one in the CSV",
        service_accounts,
    ),
];

fn kinds(input: &Input<'_>, found: &mut Findings<'_>) {
    for object in input.bundle.objects() {
        let kind = object.kind();
        if kind != CSV && kind != CRD && !SUPPORTED_KINDS.contains(&kind) {
            let message = format!("OLM does not install a {kind}");
            found.at(&object.root().get("kind"), message);
        }
    }
}

/// The versions of kinds that CRDs define.
fn all_defined(input: &Input<'_>) -> BTreeSet<Gvk> {
    let versions = input.crds().flat_map(|crd| defined(&crd));
    versions.map(|(gvk, _)| gvk).collect()
}

fn owned_missing(input: &Input<'_>, found: &mut Findings<'_>) {
    let defined = all_defined(input);
    for entry in input.owned() {
        let Some(gvk) = described_gvk(&entry).filter(|gvk| !defined.contains(gvk)) else {
            continue;
        };
        let of_kind = defined
            .iter()
            .filter(|it| (&it.group, &it.kind) == (&gvk.group, &gvk.kind));
        let versions: Vec<_> = of_kind.map(|it| &*it.version).collect();
        let (message, hint) = if versions.is_empty() {
            (
                format!("the bundle has no CRD of {gvk}"),
                "add the CRD, or correct `name` and `kind` of the entry".to_owned(),
            )
        } else {
            (
                format!(
                    "the CRD of {} does not have the version `{}`",
                    gvk.kind, gvk.version
                ),
                format!("it has {}", listed(&versions, 10)),
            )
        };
        found.at_with(&entry, message, hint);
    }
}

fn duplicates(input: &Input<'_>, found: &mut Findings<'_>) {
    let mut seen = BTreeSet::new();
    for (gvk, version) in input.crds().flat_map(|crd| defined(&crd)) {
        if !seen.insert(gvk.clone()) {
            found.at(&version, format!("{gvk} is defined twice"));
        }
    }
}

fn not_owned(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(csv) = input.csv() else {
        return;
    };
    let owned: Vec<_> = input.owned().filter_map(|it| described_gvk(&it)).collect();
    let is_owned = |gvk: &Gvk| {
        owned
            .iter()
            .any(|it| (&it.group, &it.kind) == (&gvk.group, &gvk.kind))
    };
    for crd in input.crds() {
        let versions = defined(&crd);
        if !versions.is_empty() && !versions.iter().any(|(gvk, _)| is_owned(gvk)) {
            let message = format!("`{}` does not own the CRD `{}`", name(&csv), name(&crd));
            found.at(&crd.at("metadata.name"), message);
        }
    }
}

fn service_accounts(input: &Input<'_>, found: &mut Findings<'_>) {
    let of_pods: Vec<_> = input
        .deployments()
        .map(|deployment| {
            deployment
                .at("spec.template.spec.serviceAccountName")
                .text()
        })
        .collect();
    let accounts = input.bundle.of_kind("ServiceAccount");
    for account in accounts.map(Document::root) {
        let name = account.at("metadata.name");
        if !name.is_empty() && of_pods.contains(&name.text()) {
            let message = format!("OLM creates the service account `{}` itself", name.text());
            found.at(&name, message);
        }
    }
}
