use crate::olm::read::Node;
use crate::olm::validate::{Example, Input, annotation, examples, malformed};

use super::{counted, csv};
use crate::olm::scorecard::verdict::Verdict;

/// The examples of the CSV, and the annotation that has them.
pub(super) struct Examples<'a> {
    pub(super) annotation: Node<'a>,
    pub(super) items: Vec<Example>,
}

impl Examples<'_> {
    /// The place of an example.
    pub(super) fn place(&self, example: &Example) -> Node<'_> {
        let mut place = self.annotation.clone();
        place.line = place.line_of_text(example.line);
        place
    }
}

/// Reads the examples. None, with a finding, if there are none or they cannot be read.
pub(super) fn read<'a>(input: &Input<'a>, verdict: &mut Verdict) -> Option<Examples<'a>> {
    let csv = csv(input, verdict)?;
    let missing = "add the annotation `alm-examples`: a list in JSON with an object of each kind";
    let Some(annotation) = annotation(input) else {
        let annotations = csv.at("metadata.annotations");
        verdict.warnings(missing).at(
            &annotations,
            "the CSV has no examples, so there is nothing to check",
        );
        return None;
    };
    let before = verdict.findings.len();
    let mut errors = verdict.errors("write a list such as `[{\"apiVersion\": …, \"kind\": …}]`");
    if annotation.value.is_string() {
        malformed(input, &mut errors);
    } else {
        errors.at(&annotation, "the examples are not a text with JSON");
    }
    if verdict.findings.len() > before {
        verdict.is_error = true;
        return None;
    }
    let items = examples(&annotation).unwrap_or_default();
    verdict
        .log
        .push(counted(items.len(), "example", "examples"));
    if items.is_empty() {
        verdict.warnings(missing).at(
            &annotation,
            "the CSV has no examples, so there is nothing to check",
        );
    }
    Some(Examples { annotation, items })
}

/// What messages call an example.
pub(super) fn title(example: &Example) -> String {
    let kind = &example.gvk;
    match example.value["metadata"]["name"].as_str() {
        None | Some("") => format!("the example of {kind}"),
        Some(name) => format!("the example `{name}` of {kind}"),
    }
}

pub(super) fn have_spec(input: &Input<'_>, verdict: &mut Verdict) {
    let found = read(input, verdict);
    // operator-sdk fails in this test alone.
    verdict.is_error = false;
    let Some(examples) = found else {
        return;
    };
    let without = examples
        .items
        .iter()
        .filter(|it| it.value["spec"].is_null());
    let mut warnings = verdict.warnings("add `spec`, unless the kind has none");
    for example in without {
        let message = format!("{} has no `spec`", title(example));
        warnings.at(&examples.place(example), message);
    }
}
