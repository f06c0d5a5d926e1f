//! The `ClusterServiceVersion`: fields that OLM does not know.

use crate::olm::fields::{self, Fault};
use crate::olm::read::Node;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Csv;

pub(super) const RULES: &[Rule] = &[UNKNOWN_FIELD];

pub(in crate::olm::validate) const UNKNOWN_FIELD: Rule = Rule::warning(
    Csv,
    "csv-unknown-field",
    "The CSV has no unknown fields, which OLM drops",
    "correct the name of the field, or remove it",
    |input, found| {
        if let Some(csv) = input.csv() {
            unknown_fields(&csv, found);
        }
    },
);

/// Finds the unknown fields of a `ClusterServiceVersion`.
pub(in crate::olm::validate) fn unknown_fields(csv: &Node<'_>, found: &mut Findings<'_>) {
    for (node, fault) in fields::of_csv(csv) {
        let Fault::Unknown(nearest) = fault else {
            continue;
        };
        let message = format!("unknown field `{}`: OLM drops it", node.field);
        match nearest {
            Some(near) => found.at_with(&node, message, format!("did you mean `{near}`?")),
            None => found.at(&node, message),
        }
    }
}
