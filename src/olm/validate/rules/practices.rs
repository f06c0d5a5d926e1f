//! Recommendations for operators.

use regex::Regex;

use crate::olm::read::Node;
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::GoodPractices;

use super::format::{channel_names, channels_annotation};

const VERSION: &str = r"(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?$";

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        GoodPractices,
        "deployments-missing",
        "The CSV has a Deployment to install",
        "add the Deployment of the operator to `spec.install.spec.deployments`",
        |input, found| {
            let deployments = input.csv_at("spec.install.spec.deployments");
            if let Some(deployments) = deployments.filter(Node::is_empty) {
                found.at(&deployments, "the CSV has no deployments");
            }
        },
    ),
    Rule::warning(
        GoodPractices,
        "resource-requests",
        "Each container requests CPU and memory",
        "set `resources.requests.cpu` and `resources.requests.memory`",
        requests,
    ),
    Rule::warning(
        GoodPractices,
        "name-version",
        "The name of the CSV ends with its version",
        "name it `<package>.v<version>`, such as `app-operator.v1.0.0`",
        |input, found| {
            let pattern = Regex::new(VERSION);
            if let Some(name) = input.csv_at("metadata.name")
                && pattern.is_ok_and(|pattern| !pattern.is_match(name.text()))
            {
                let message = format!(
                    "the name `{}` does not end with a version x.y.z",
                    name.text()
                );
                found.at(&name, message);
            }
        },
    ),
    Rule::warning(
        GoodPractices,
        "name-form",
        "The name of the CSV is the package, `.v` and the version",
        "name it `<package>.v<version>`, such as `app-operator.v1.0.0`",
        |input, found| {
            if let Some(name) = input.csv_at("metadata.name")
                && name.text().matches(".v").count() != 1
            {
                let message = format!("the name `{}` is not `<package>.v<version>`", name.text());
                found.at(&name, message);
            }
        },
    ),
    Rule::warning(
        GoodPractices,
        "channel-name",
        "Channels are named `candidate`, `fast` or `stable`, or start so",
        "rename the channel, such as `stable-v1`",
        channels,
    ),
    Rule::warning(
        GoodPractices,
        "rbac-crds",
        "The operator does not manage CRDs: OLM does",
        "remove `create` and `patch` on `customresourcedefinitions`, or depend on the other operator",
        rbac,
    ),
    Rule::warning(
        GoodPractices,
        "crd-description",
        "Each CRD that is owned or required has a description",
        "set `description`",
        |input, found| {
            for entry in input.described() {
                let description = entry.get("description");
                if description.is_empty() {
                    let message = format!("`{}` has no description", entry.get("name").text());
                    found.at(&description, message);
                }
            }
        },
    ),
];

fn requests(input: &Input<'_>, found: &mut Findings<'_>) {
    for deployment in input.deployments() {
        for container in deployment.at("spec.template.spec.containers").items() {
            let requests = container.at("resources.requests");
            let lacks = |name: &&str| requests.get(name).is_empty();
            let missing: Vec<_> = ["cpu", "memory"].into_iter().filter(lacks).collect();
            if !missing.is_empty() {
                let name = container.get("name").text();
                let message = format!(
                    "the container `{name}` requests no {}",
                    missing.join(" and no ")
                );
                found.at(&requests, message);
            }
        }
    }
}

fn channels(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotation) = channels_annotation(input) else {
        return;
    };
    for channel in channel_names(input) {
        let prefixes = ["candidate", "fast", "stable"];
        if !prefixes.iter().any(|prefix| channel.starts_with(prefix)) {
            let message = format!("the channel `{channel}` is not named as usual");
            found.at(&annotation, message);
        }
    }
}

fn rbac(input: &Input<'_>, found: &mut Findings<'_>) {
    for rule in input.role_rules() {
        let has = |key: &str, names: &[&str]| rule.get(key).texts().any(|it| names.contains(&it));
        if has("apiGroups", &["apiextensions.k8s.io", "*"])
            && has("resources", &["customresourcedefinitions", "*", "[*]"])
            && has("verbs", &["create", "patch", "*", "[*]"])
        {
            found.at(&rule, "the operator may create or patch CRDs");
        }
    }
}
