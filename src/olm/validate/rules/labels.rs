//! The labels of the image that a bundle is in.

use crate::olm::kinds::BUNDLE_PREFIX;
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Format;

pub(super) const RULES: &[Rule] = &[Rule::error(
    Format,
    "image-labels",
    "The image has the annotations of the bundle as labels, by which catalogs know it",
    "build the image again: `rop bundle build`",
    check,
)];

fn check(input: &Input<'_>, found: &mut Findings<'_>) {
    let (Some(labels), Some(annotations)) = (&input.options.labels, input.annotations()) else {
        return;
    };
    for (name, annotation) in annotations.fields() {
        if !name.starts_with(BUNDLE_PREFIX) || !annotation.value.is_string() {
            continue;
        }
        match labels.get(name) {
            None => found.at(&annotation, format!("the image has no label `{name}`")),
            Some(label) if label != annotation.text() => {
                let message = format!("the image has `{label}` as its label `{name}`");
                found.at(&annotation, message);
            }
            Some(_) => {}
        }
    }
    for name in labels.keys().filter(|name| name.starts_with(BUNDLE_PREFIX)) {
        if annotations.get(name).is_missing() {
            let message = format!("the image has a label that is no annotation: `{name}`");
            found.at(&annotations, message);
        }
    }
}
