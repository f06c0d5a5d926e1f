//! Whether the examples of the `ClusterServiceVersion` can be read, and which are missing.

use crate::olm::read::Node;
use crate::olm::validate::examples::{Example, annotation, examples, malformed};
use crate::olm::validate::input::{Gvk, Input, described_gvk};
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Csv;

pub(super) const RULES: &[Rule] = &[
    Rule::warning(
        Csv,
        "examples-missing",
        "The CSV has examples",
        "add the annotation `alm-examples`",
        |input, found| {
            if let Some(annotations) = input.csv_annotations()
                && !annotations.is_empty()
                && annotation(input).is_none()
            {
                found.at(&annotations, "the CSV has no examples");
            }
        },
    ),
    Rule::warning(
        Csv,
        "examples-twice",
        "The examples are in `alm-examples` or in `olm.examples`",
        "remove `olm.examples`",
        |input, found| {
            if let Some(annotations) = input.csv_annotations() {
                let other = annotations.get("olm.examples");
                if !annotations.get("alm-examples").is_missing() && !other.is_missing() {
                    found.at(&other, "`olm.examples` is not read beside `alm-examples`");
                }
            }
        },
    ),
    Rule::error(
        Csv,
        "examples-malformed",
        "The examples are a list of objects in JSON",
        "write a list such as `[{\"apiVersion\": …, \"kind\": …}]`",
        malformed,
    ),
    Rule::error(
        Csv,
        "example-not-owned",
        "Each example is of a kind that the CSV owns",
        "remove the example, or correct its `apiVersion` and `kind`",
        not_owned,
    ),
    Rule::warning(
        Csv,
        "example-missing",
        "Each version of a kind that the CSV owns has an example",
        "add one to `alm-examples`",
        missing,
    ),
];

/// The kinds that the CSV provides, each with where it says so.
fn provided<'a>(input: &Input<'a>) -> Vec<(Gvk, Node<'a>)> {
    let owned = input
        .owned()
        .filter_map(|entry| Some((described_gvk(&entry)?, entry)));
    let services = input
        .csv_items("spec.apiservicedefinitions.owned")
        .map(|service| {
            let text = |name: &str| service.get(name).text().to_owned();
            let gvk = Gvk {
                group: text("group"),
                version: text("version"),
                kind: text("kind"),
            };
            (gvk, service)
        });
    owned.chain(services).collect()
}

fn not_owned(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotation) = annotation(input) else {
        return;
    };
    let provided = provided(input);
    for Example { gvk, line, .. } in examples(&annotation).unwrap_or_default() {
        if !provided.iter().any(|(it, _)| *it == gvk) {
            let message = format!("the CSV does not own the kind of the example, {gvk}");
            found.in_text(&annotation, line, message);
        }
    }
}

fn missing(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(examples) = annotation(input).and_then(|it| examples(&it)) else {
        return;
    };
    for (gvk, entry) in provided(input) {
        if !examples.iter().any(|example| example.gvk == gvk) {
            found.at(&entry, format!("{gvk} has no example"));
        }
    }
}
