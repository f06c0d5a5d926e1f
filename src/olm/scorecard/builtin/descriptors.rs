use serde_json::Value;

use crate::olm::read::Node;
use crate::olm::validate::{Example, Input, described_gvk};

use super::examples::{Examples, read, title};
use crate::olm::scorecard::verdict::Verdict;

pub(super) fn of_spec(input: &Input<'_>, verdict: &mut Verdict) {
    let Some(examples) = read(input, verdict) else {
        return;
    };
    for example in &examples.items {
        let place = examples.place(example);
        let fields = match &example.value["spec"] {
            Value::Object(fields) => fields,
            found => {
                let problem = if found.is_null() {
                    "has no `spec`"
                } else {
                    "has a `spec` that is not an object"
                };
                let message = format!("{} {problem}", title(example));
                verdict
                    .errors("add an object `spec` to the example")
                    .at(&place, message);
                continue;
            }
        };
        let Some(entry) = owned(input, &examples, example, verdict) else {
            continue;
        };
        let descriptors = entry.get("specDescriptors");
        let paths: Vec<_> = descriptors.items().map(|item| item.get("path")).collect();
        for name in fields.keys() {
            if !paths.iter().any(|path| path.text() == name) {
                let message = format!("`spec.{name}` of {} has no descriptor", title(example));
                let hint =
                    format!("add an entry with `path: {name}`, `displayName` and `description`");
                verdict.errors("").at_with(&descriptors, message, hint);
            }
        }
    }
}

pub(super) fn of_status(input: &Input<'_>, verdict: &mut Verdict) {
    let Some(examples) = read(input, verdict) else {
        return;
    };
    for example in &examples.items {
        let Some(entry) = owned(input, &examples, example, verdict) else {
            continue;
        };
        let status = &example.value["status"];
        let is_empty = match status {
            Value::Null => true,
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        let descriptors = entry.get("statusDescriptors");
        if is_empty {
            // An operator that reports nothing would have no descriptors either.
            if descriptors.is_empty() {
                let message = format!(
                    "{} has no `status`, and the CSV has no status descriptors for its kind",
                    title(example)
                );
                verdict
                    .warnings("add `status` to the kind, and descriptors of its fields")
                    .at(&descriptors, message);
            }
        } else if !status.is_object() {
            let message = format!("{} has a `status` that is not an object", title(example));
            verdict
                .errors("write an object, or remove `status` from the example")
                .at(&examples.place(example), message);
        } else if descriptors.is_empty() {
            let message = format!(
                "{} has a `status`, but the CSV has no status descriptors for its kind",
                title(example)
            );
            verdict
                .errors("add an entry for each field, with `path`, `displayName` and `description`")
                .at(&descriptors, message);
        }
    }
}

/// The entry of the CSV for an example's kind.
fn owned<'a>(
    input: &Input<'a>,
    examples: &Examples<'_>,
    example: &Example,
    verdict: &mut Verdict,
) -> Option<Node<'a>> {
    let entry = input
        .owned()
        .find(|entry| described_gvk(entry).as_ref() == Some(&example.gvk));
    if entry.is_none() {
        let message = format!("the CSV does not own the kind of {}", title(example));
        verdict
            .errors("add the kind to `spec.customresourcedefinitions.owned`, or remove the example")
            .at(&examples.place(example), message);
    }
    entry
}
