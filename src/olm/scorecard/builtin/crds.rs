use crate::olm::read::Node;
use crate::olm::validate::{Example, Gvk, Input, defined};

use super::examples::{read, title};
use super::{counted, csv};
use crate::olm::scorecard::verdict::Verdict;

/// The parts of an object that a schema describes.
const PARTS: [&str; 2] = ["spec", "status"];

pub(super) fn have_resources(input: &Input<'_>, verdict: &mut Verdict) {
    if csv(input, verdict).is_none() {
        return;
    }
    let mut errors = verdict.errors(
        "list the kinds that the operator creates for it, each with `kind`, `name` and `version`",
    );
    for entry in input.owned() {
        let resources = entry.get("resources");
        if resources.is_empty() {
            let kind = entry.get("kind").text();
            let version = entry.get("version").text();
            errors.at(&resources, format!("{version} {kind} lists no resources"));
        }
    }
}

pub(super) fn have_validation(input: &Input<'_>, verdict: &mut Verdict) {
    let Some(examples) = read(input, verdict) else {
        return;
    };
    let defined: Vec<_> = input
        .crds()
        .flat_map(|crd| {
            let versions = defined(&crd).into_iter();
            versions.map(move |(gvk, version)| (gvk, schema(&crd, &version)))
        })
        .collect();
    verdict
        .log
        .push(counted(defined.len(), "CRD version", "CRD versions"));
    for example in &examples.items {
        let Some((_, schema)) = defined.iter().find(|(gvk, _)| *gvk == example.gvk) else {
            let message = format!("no CRD of the bundle defines {}", title(example));
            verdict
                .warnings("correct `apiVersion` and `kind`, or add the CRD to the bundle")
                .at(&examples.place(example), message);
            continue;
        };
        check(example, &examples.place(example), schema, verdict);
    }
}

fn check(example: &Example, place: &Node<'_>, schema: &Node<'_>, verdict: &mut Verdict) {
    let Gvk { version, kind, .. } = &example.gvk;
    if schema.is_missing() {
        let message = format!("version {version} of {kind} has no schema");
        verdict
            .warnings("add `openAPIV3Schema`")
            .at(schema, message);
        return;
    }
    for part in PARTS {
        let found = &example.value[part];
        if !(found.is_null() || found.is_object()) {
            let message = format!("{} has a `{part}` that is not an object", title(example));
            verdict
                .errors("write an object in the example")
                .at(place, message);
        }
        let properties = schema.at(&format!("properties.{part}.properties"));
        let fields = found.as_object();
        for name in fields.into_iter().flatten().map(|(name, _)| name) {
            let field = properties.get(name);
            if field.is_missing() {
                let message = format!(
                    "the schema of version {version} does not define `{part}.{name}`, which {} has",
                    title(example)
                );
                verdict
                    .errors("define the field in the schema, or remove it from the example")
                    .at(&field, message);
            }
        }
    }
}

/// The schema of a version, which v1beta1 had for all versions too.
fn schema<'a>(crd: &Node<'a>, version: &Node<'a>) -> Node<'a> {
    let own = version.at("schema.openAPIV3Schema");
    let common = crd.at("spec.validation.openAPIV3Schema");
    if own.is_missing() && !common.is_missing() {
        common
    } else {
        own
    }
}
