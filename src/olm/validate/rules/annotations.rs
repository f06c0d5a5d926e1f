//! The annotations of the `ClusterServiceVersion`, and of groups of operators.

use crate::olm::range;
use crate::olm::read::Node;
use crate::olm::validate::input::CSV;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Csv;

/// What OLM reads only in this case.
const EXACT: [&str; 5] = [
    "olm.operatorGroup",
    "olm.operatorNamespace",
    "olm.targetNamespaces",
    "olm.providedAPIs",
    "olm.skipRange",
];

pub(super) const RULES: &[Rule] = &[
    Rule::warning(
        Csv,
        "annotations-empty",
        "The CSV has annotations",
        "add at least `alm-examples` and `capabilities`",
        |input, found| {
            if let Some(annotations) = input.csv_annotations()
                && annotations.is_empty()
            {
                found.at(&annotations, "the CSV has no annotations");
            }
        },
    ),
    Rule::error(
        Csv,
        "annotation-case",
        "Annotations of OLM are written in their exact case",
        "write the annotation as OLM reads it",
        |input, found| {
            for csv in input.bundle.of_kind(CSV) {
                cases(&csv.root(), found);
            }
        },
    ),
    Rule::error(
        Csv,
        "operator-group-annotation",
        "Annotations of an OperatorGroup are written in their exact case",
        "write the annotation as OLM reads it",
        |input, found| {
            for group in input.bundle.of_kind("OperatorGroup") {
                cases(&group.root(), found);
            }
        },
    ),
    Rule::warning(
        Csv,
        "olm-properties",
        "Properties are in `metadata/properties.yaml`, not in an annotation",
        "move them to `metadata/properties.yaml`",
        |input, found| {
            let properties = input.csv_annotations().map(|it| it.get("olm.properties"));
            if let Some(properties) = properties.filter(|it| !it.is_missing()) {
                found.at(&properties, "the annotation `olm.properties` is set");
            }
        },
    ),
    Rule::error(
        Csv,
        "skip-range",
        "`olm.skipRange` is a range of versions",
        "write for example `>=1.0.0 <1.2.0`",
        |input, found| {
            let range = input.csv_annotations().map(|it| it.get("olm.skipRange"));
            if let Some(range) = range.filter(|it| !it.is_missing())
                && range::check(range.text()).is_err()
            {
                found.at(&range, format!("`{}` is not a range", range.text()));
            }
        },
    ),
];

fn cases(object: &Node<'_>, found: &mut Findings<'_>) {
    for (name, annotation) in object.at("metadata.annotations").fields() {
        let exact = EXACT.iter().find(|exact| exact.eq_ignore_ascii_case(name));
        if let Some(exact) = exact.filter(|exact| **exact != name) {
            found.at_with(
                &annotation,
                format!("OLM does not read the annotation `{name}`"),
                format!("write `{exact}`"),
            );
        }
    }
}
