//! The `ClusterServiceVersion`: its names and versions.

use semver::Version;

use crate::dns;
use crate::olm::read::Node;
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Csv;

const API_VERSION: &str = "operators.coreos.com/v1alpha1";

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Csv,
        "csv-api-version",
        "The CSV is of `operators.coreos.com/v1alpha1`",
        "write `apiVersion: operators.coreos.com/v1alpha1`",
        api_version,
    ),
    Rule::error(
        Csv,
        "csv-name",
        "The name of the CSV is a DNS name of at most 63 characters",
        "name it after the package and the version, such as `app-operator.v1.0.0`",
        |input, found| name("metadata.name", input, found),
    ),
    Rule::error(
        Csv,
        "csv-replaces",
        "`spec.replaces` is a DNS name of at most 63 characters",
        "write the name of the previous CSV, such as `app-operator.v0.9.0`",
        |input, found| {
            if input
                .csv_at("spec.replaces")
                .is_some_and(|it| !it.is_empty())
            {
                name("spec.replaces", input, found);
            }
        },
    ),
    Rule::error(
        Csv,
        "csv-version",
        "The CSV has a semantic version with three numbers, without `v`",
        "write for example `version: 1.0.0`",
        version,
    ),
    Rule::warning(
        Csv,
        "min-kube-version-missing",
        "The CSV says which Kubernetes it needs",
        "set `spec.minKubeVersion`, such as `1.28.0`",
        |input, found| {
            if let Some(version) = min_kube_version(input)
                && version.is_empty()
            {
                found.at(&version, "the oldest supported Kubernetes is not named");
            }
        },
    ),
    Rule::error(
        Csv,
        "min-kube-version",
        "The oldest supported Kubernetes has three numbers, without `v`",
        "write for example `1.28.0`",
        |input, found| {
            if let Some(version) = min_kube_version(input)
                && !version.is_empty()
                && version.value.is_string()
                && Version::parse(version.text()).is_err()
            {
                let message = format!("`{}` is not a version x.y.z", version.text());
                found.at(&version, message);
            }
        },
    ),
    Rule::error(
        Csv,
        "described-name",
        "CRDs that are owned or required are named `plural.group`",
        "write the name of the CRD, such as `apps.example.com`",
        described_names,
    ),
];

/// The oldest Kubernetes that the CSV supports.
fn min_kube_version<'a>(input: &Input<'a>) -> Option<Node<'a>> {
    input.csv_at("spec.minKubeVersion")
}

fn api_version(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(version) = input.csv_at("apiVersion") else {
        return;
    };
    if version.is_empty() {
        found.at(&version, "`apiVersion` is missing");
    } else if version.text() != API_VERSION {
        let message = format!("`{}` has no ClusterServiceVersion", version.text());
        found.at(&version, message);
    }
}

fn name(path: &str, input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(name) = input.csv_at(path) else {
        return;
    };
    let valid = dns::subdomain_1123(name.text()).and_then(|()| dns::label_value(name.text()));
    if let Err(rule) = valid {
        found.at(&name, format!("the name `{}`: {rule}", name.text()));
    }
}

fn version(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(version) = input.csv_at("spec.version") else {
        return;
    };
    if version.is_empty() {
        found.at(&version, "the version is missing");
    } else if version.value.is_string()
        && let Err(error) = Version::parse(version.text())
    {
        let message = format!("`{}` is not a semantic version: {error}", version.text());
        found.at(&version, message);
    }
}

fn described_names(input: &Input<'_>, found: &mut Findings<'_>) {
    for entry in input.described() {
        let name = entry.get("name");
        let parts = name.text().split_once('.');
        if !parts.is_some_and(|(plural, group)| !plural.is_empty() && !group.is_empty()) {
            found.at(&name, format!("`{}` is not `plural.group`", name.text()));
        }
    }
}
