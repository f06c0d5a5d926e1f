//! Architectures, as far as they are known without the images.

use std::collections::BTreeSet;

use crate::olm::read::Node;
use crate::olm::validate::input::Input;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::MultiArch;

const TERMS: &str =
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

/// An operating system and an architecture.
type Platform = (String, String);

pub(super) const RULES: &[Rule] = &[
    Rule::warning(
        MultiArch,
        "platform-label",
        "Labels of platforms have the value `supported`",
        "write `supported`, or remove the label",
        |input, found| {
            for (_, label) in platform_labels(input) {
                if label.text() != "supported" {
                    let message = format!("OLM ignores the value `{}`", label.text());
                    found.at(&label, message);
                }
            }
        },
    ),
    Rule::warning(
        MultiArch,
        "node-affinity-missing",
        "Pods are scheduled only on nodes of their architecture and operating system",
        "add a required node affinity on `kubernetes.io/arch` and `kubernetes.io/os`",
        |input, found| {
            for pod in pods(input) {
                if affinity(&pod).is_empty() {
                    found.at(
                        &pod.get("affinity"),
                        "the pod has no node affinity for its platform",
                    );
                }
            }
        },
    ),
    Rule::warning(
        MultiArch,
        "node-affinity-incomplete",
        "The node affinity has all platforms that the labels of the CSV claim",
        "add the platform to the node affinity, or remove the label",
        |input, found| {
            let claimed = claimed(input);
            for (pod, platforms) in with_affinity(input) {
                for (system, architecture) in claimed.difference(&platforms) {
                    let message =
                        format!("{system}/{architecture} is claimed by a label, and missing here");
                    found.at(&pod.at(TERMS), message);
                }
            }
        },
    ),
    Rule::warning(
        MultiArch,
        "node-affinity-unsupported",
        "The node affinity has no platform that no label of the CSV claims",
        "add a label of the platform to the CSV, or remove it from the node affinity",
        |input, found| {
            let claimed = claimed(input);
            for (pod, platforms) in with_affinity(input) {
                for (system, architecture) in platforms.difference(&claimed) {
                    let message =
                        format!("{system}/{architecture} is claimed by no label of the CSV");
                    found.at(&pod.at(TERMS), message);
                }
            }
        },
    ),
];

/// The labels of the CSV that claim platforms, by what is behind their prefix.
fn platform_labels<'a>(input: &Input<'a>) -> Vec<(&'a str, Node<'a>)> {
    let labels = input.csv_at("metadata.labels");
    let labels = labels
        .into_iter()
        .flat_map(|labels| labels.fields())
        .filter_map(|(name, label)| {
            let name = name.strip_prefix("operatorframework.io/")?;
            let is_platform = name.starts_with("arch.") || name.starts_with("os.");
            is_platform.then_some((name, label))
        });
    labels.collect()
}

/// The platforms that the labels claim.
fn claimed(input: &Input<'_>) -> BTreeSet<Platform> {
    let labels = platform_labels(input);
    let of = |prefix: &str, default: &str| {
        let names = labels
            .iter()
            .filter(|(_, it)| it.text() == "supported")
            .filter_map(|(name, _)| name.strip_prefix(prefix));
        let mut names: Vec<_> = names.map(str::to_owned).collect();
        if names.is_empty() {
            names.push(default.to_owned());
        }
        names
    };
    let architectures = of("arch.", "amd64");
    let systems = of("os.", "linux");
    let platforms = systems.iter().flat_map(|system| {
        let platform = |architecture: &String| (system.clone(), architecture.clone());
        architectures.iter().map(platform)
    });
    platforms.collect()
}

fn pods<'a>(input: &Input<'a>) -> impl Iterator<Item = Node<'a>> + use<'a> {
    let deployments = input.deployments();
    deployments.map(|deployment| deployment.at("spec.template.spec"))
}

fn with_affinity<'a>(
    input: &Input<'a>,
) -> impl Iterator<Item = (Node<'a>, BTreeSet<Platform>)> + use<'a> {
    let pods = pods(input).map(|pod| {
        let platforms = affinity(&pod);
        (pod, platforms)
    });
    pods.filter(|(_, platforms)| !platforms.is_empty())
}

/// The platforms of the nodes that a pod can be scheduled on, if it says so.
fn affinity(pod: &Node<'_>) -> BTreeSet<Platform> {
    let mut platforms = BTreeSet::new();
    for term in pod.at(TERMS).items() {
        let values = |key: &str| {
            let expressions = term.get("matchExpressions").items();
            let of_key = expressions.filter(|it| it.get("key").text() == key);
            let included = of_key.filter(|it| it.get("operator").text() == "In");
            let values = included.flat_map(|it| it.get("values").texts());
            values.map(str::to_owned).collect::<Vec<_>>()
        };
        let architectures = values("kubernetes.io/arch");
        for system in values("kubernetes.io/os") {
            for architecture in &architectures {
                platforms.insert((system.clone(), architecture.clone()));
            }
        }
    }
    platforms
}
