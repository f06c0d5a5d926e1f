//! The `ClusterServiceVersion`: fields that must be there, and their types.

use serde_json::Value;

use crate::olm::read::Node;
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Csv;

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Csv,
        "csv-required-field",
        "The CSV has metadata, a display name and an install strategy with deployments",
        "set the field",
        required,
    ),
    Rule::error(
        Csv,
        "install-spec-empty",
        "The install strategy says what to install",
        "add the Deployment of the operator to `spec.install.spec.deployments`",
        install,
    ),
    Rule::error(
        Csv,
        "install-strategy",
        "The install strategy is `deployment`, the only one that OLM has",
        "write `strategy: deployment`",
        strategy,
    ),
    Rule::error(
        Csv,
        "csv-field-type",
        "The fields of the CSV have the types that OLM reads",
        "write a value of that type; numbers such as `1.0` are strings only in quotes",
        types,
    ),
];

/// Fields that must be there, each with those that must be there before it is looked at.
const REQUIRED: [(&str, &str); 6] = [
    ("", "metadata"),
    ("", "spec"),
    ("spec", "spec.displayName"),
    ("spec", "spec.install"),
    ("spec.install", "spec.install.strategy"),
    ("spec.install", "spec.install.spec"),
];

fn required(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(csv) = input.csv() else {
        return;
    };
    for (around, path) in REQUIRED {
        let is_known = around.is_empty() || !csv.at(around).is_missing();
        let node = csv.at(path);
        let is_absent = match node.value {
            Value::String(_) => node.is_empty(),
            value => value.is_null(),
        };
        if is_known && is_absent {
            found.at(&node, format!("`{path}` is required"));
        }
    }
}

fn install(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(spec) = input.csv_at("spec.install.spec") else {
        return;
    };
    let deployments = spec.get("deployments");
    if spec.value.is_object() && deployments.is_empty() {
        found.at(&deployments, "the install strategy has no deployments");
    }
}

fn strategy(input: &Input<'_>, found: &mut Findings<'_>) {
    if let Some(strategy) = input.csv_at("spec.install.strategy")
        && !strategy.is_empty()
        && strategy.text() != "deployment"
    {
        let message = format!("unknown install strategy `{}`", strategy.text());
        found.at(&strategy, message);
    }
}

/// A type, by its name in messages.
#[derive(Clone, Copy)]
enum Type {
    Text,
    Flag,
    Object,
    List,
    /// An object whose values are strings.
    Texts,
}

use Type::{Flag, List, Object, Text, Texts};

/// The types of fields; `[]` stands for each item of a list. A path comes behind what it is in.
const TYPES: &[(&str, Type)] = &[
    ("metadata", Object),
    ("metadata.name", Text),
    ("metadata.annotations", Texts),
    ("metadata.labels", Texts),
    ("spec", Object),
    ("spec.displayName", Text),
    ("spec.description", Text),
    ("spec.version", Text),
    ("spec.minKubeVersion", Text),
    ("spec.maturity", Text),
    ("spec.replaces", Text),
    ("spec.skips", List),
    ("spec.skips[]", Text),
    ("spec.keywords", List),
    ("spec.keywords[]", Text),
    ("spec.maintainers", List),
    ("spec.maintainers[]", Object),
    ("spec.maintainers[].name", Text),
    ("spec.maintainers[].email", Text),
    ("spec.provider", Object),
    ("spec.provider.name", Text),
    ("spec.provider.url", Text),
    ("spec.links", List),
    ("spec.links[]", Object),
    ("spec.links[].name", Text),
    ("spec.links[].url", Text),
    ("spec.icon", List),
    ("spec.icon[]", Object),
    ("spec.icon[].base64data", Text),
    ("spec.icon[].mediatype", Text),
    ("spec.installModes", List),
    ("spec.installModes[]", Object),
    ("spec.installModes[].type", Text),
    ("spec.installModes[].supported", Flag),
    ("spec.install", Object),
    ("spec.install.strategy", Text),
    ("spec.install.spec", Object),
    ("spec.install.spec.deployments", List),
    ("spec.install.spec.deployments[]", Object),
    ("spec.install.spec.deployments[].name", Text),
    ("spec.install.spec.deployments[].spec", Object),
    ("spec.install.spec.permissions", List),
    ("spec.install.spec.permissions[]", Object),
    ("spec.install.spec.permissions[].serviceAccountName", Text),
    ("spec.install.spec.permissions[].rules", List),
    ("spec.install.spec.permissions[].rules[]", Object),
    ("spec.install.spec.clusterPermissions", List),
    ("spec.install.spec.clusterPermissions[]", Object),
    (
        "spec.install.spec.clusterPermissions[].serviceAccountName",
        Text,
    ),
    ("spec.install.spec.clusterPermissions[].rules", List),
    ("spec.install.spec.clusterPermissions[].rules[]", Object),
    ("spec.customresourcedefinitions", Object),
    ("spec.customresourcedefinitions.owned", List),
    ("spec.customresourcedefinitions.owned[]", Object),
    ("spec.customresourcedefinitions.owned[].name", Text),
    ("spec.customresourcedefinitions.owned[].version", Text),
    ("spec.customresourcedefinitions.owned[].kind", Text),
    ("spec.customresourcedefinitions.owned[].description", Text),
    ("spec.customresourcedefinitions.owned[].resources", List),
    (
        "spec.customresourcedefinitions.owned[].specDescriptors",
        List,
    ),
    (
        "spec.customresourcedefinitions.owned[].statusDescriptors",
        List,
    ),
    ("spec.customresourcedefinitions.required", List),
    ("spec.customresourcedefinitions.required[]", Object),
    ("spec.customresourcedefinitions.required[].name", Text),
    ("spec.customresourcedefinitions.required[].version", Text),
    ("spec.customresourcedefinitions.required[].kind", Text),
    ("spec.apiservicedefinitions", Object),
    ("spec.apiservicedefinitions.owned", List),
    ("spec.apiservicedefinitions.required", List),
    ("spec.webhookdefinitions", List),
    ("spec.webhookdefinitions[]", Object),
    ("spec.webhookdefinitions[].generateName", Text),
    ("spec.webhookdefinitions[].deploymentName", Text),
    ("spec.webhookdefinitions[].conversionCRDs", List),
    ("spec.webhookdefinitions[].rules", List),
    ("spec.relatedImages", List),
    ("spec.relatedImages[]", Object),
    ("spec.relatedImages[].name", Text),
    ("spec.relatedImages[].image", Text),
    ("spec.nativeAPIs", List),
];

fn types(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(csv) = input.csv() else {
        return;
    };
    for (path, kind) in TYPES {
        for node in each(&csv, path) {
            let expected = match kind {
                Text if !node.value.is_string() => "a string",
                Flag if !node.value.is_boolean() => "a boolean",
                Object | Texts if !node.value.is_object() => "an object",
                List if !node.value.is_array() => "a list",
                Texts => {
                    let values = node.fields().map(|(_, value)| value);
                    for value in values.filter(|it| !it.is_missing() && !it.value.is_string()) {
                        let message = format!("`{}` is not a string", value.field);
                        found.at(&value, message);
                    }
                    continue;
                }
                _ => continue,
            };
            found.at(&node, format!("`{}` is not {expected}", node.field));
        }
    }
}

/// The values at a path in which `[]` stands for each item of a list, without those that are missing.
fn each<'a>(root: &Node<'a>, path: &str) -> Vec<Node<'a>> {
    let mut nodes = vec![root.clone()];
    for part in path.split('.') {
        let (name, is_list) = match part.strip_suffix("[]") {
            Some(name) => (name, true),
            None => (part, false),
        };
        nodes = nodes.iter().map(|node| node.get(name)).collect();
        if is_list {
            nodes = nodes.iter().flat_map(Node::items).collect();
        }
        nodes.retain(|node| !node.is_missing());
    }
    nodes
}
