//! The `ClusterServiceVersion`: fields that must be there, and their types.

use serde_json::Value;

use crate::olm::fields::{self, Fault};
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

fn types(input: &Input<'_>, found: &mut Findings<'_>) {
    if let Some(csv) = input.csv() {
        mistyped(fields::of_csv(&csv), found);
    }
}

/// Reports the fields of another type.
pub(super) fn mistyped(faults: Vec<(Node<'_>, Fault)>, found: &mut Findings<'_>) {
    for (node, fault) in faults {
        if let Fault::Type(expected) = fault {
            found.at(&node, format!("`{}` is not {expected}", node.field));
        }
    }
}
