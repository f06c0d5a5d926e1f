//! The properties that a bundle adds to its own.

use crate::olm::read::Document;
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Format;

pub(super) const RULES: &[Rule] = &[Rule::error(
    Format,
    "properties",
    "`properties` is a list, and each has a type and a value",
    "write for example `- type: olm.maxOpenShiftVersion` and `value: \"4.20\"`",
    check,
)];

fn check(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(root) = input.bundle.properties.as_ref().map(Document::root) else {
        return;
    };
    let properties = root.get("properties");
    if !properties.value.is_array() {
        found.at(&properties, "`properties` is not a list");
    }
    for property in properties.items() {
        let (kind, value) = (property.get("type"), property.get("value"));
        if kind.text().trim().is_empty() {
            found.at(&kind, "`type` is not a string, or empty");
        }
        if value.is_missing() {
            found.at(&value, "`value` is missing");
        }
    }
}
