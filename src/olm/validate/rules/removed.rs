//! APIs that Kubernetes removed: errors if the bundle is for a release without them.

use semver::Version;

use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::RemovedApis;
use crate::olm::validate::version::tolerant;

use super::kinds::{RESOURCES, removed};

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        RemovedApis,
        "removed-api",
        "The oldest supported Kubernetes, or `k8s-version`, has all APIs of the bundle",
        "use the current version of the API",
        |input, found| apis(true, input, found),
    ),
    Rule::warning(
        RemovedApis,
        "removed-api-later",
        "No release of Kubernetes removed an API of the bundle",
        "use the current version of the API",
        |input, found| apis(false, input, found),
    ),
    Rule::warning(
        RemovedApis,
        "removed-api-rbac",
        "No role names a resource of which Kubernetes 1.25 removed a version",
        "list the kind in `resources` of an owned CRD, with the version that the operator uses",
        roles,
    ),
    Rule::error(
        RemovedApis,
        "k8s-version",
        "`k8s-version` is a version of Kubernetes",
        "write for example `--optional-values k8s-version=1.31`",
        |input, found| {
            if let Some(version) = &input.options.k8s_version
                && tolerant(version).is_none()
            {
                found.file("", format!("`{version}` is not a version of Kubernetes"));
            }
        },
    ),
];

/// The releases that the bundle is for, as far as they are known.
fn targets(input: &Input<'_>) -> Vec<Version> {
    let oldest = input
        .csv_at("spec.minKubeVersion")
        .and_then(|it| tolerant(it.text()));
    let named = input.options.k8s_version.as_deref().and_then(tolerant);
    oldest.into_iter().chain(named).collect()
}

fn apis(is_gone: bool, input: &Input<'_>, found: &mut Findings<'_>) {
    let targets = targets(input);
    for removed in removed(input) {
        let release = Version::new(1, removed.minor, 0);
        if targets.iter().any(|target| *target >= release) == is_gone {
            found.at(&removed.node, removed.message);
        }
    }
}

fn roles(input: &Input<'_>, found: &mut Findings<'_>) {
    let resources = input.described().flat_map(|it| it.get("resources").items());
    let listed: Vec<_> = resources
        .map(|resource| format!("{}s", resource.get("kind").text().to_lowercase()))
        .collect();
    for rule in input.role_rules() {
        for (group, resource) in RESOURCES {
            let is_listed = listed.iter().any(|it| it == resource);
            if !is_listed && rule.get("apiGroups").has(group) && rule.get("resources").has(resource)
            {
                let message = format!("`{resource}` had a version that Kubernetes 1.25 removed");
                found.at(&rule.get("resources"), message);
            }
        }
    }
}
