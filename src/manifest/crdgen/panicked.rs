//! What to do about a panic of the code that computes schemas.

/// Starts of panics of kube's, each with what the user can do.
const HINTS: [(&str, &str); 4] = [
    (
        "in another subschema",
        "variants of an enum that is tagged (`#[serde(tag = …)]`) or untagged share a field with different \
            schemas, which a CRD cannot have: remove the attribute, so that each variant is a field of its \
            own, or use a struct with a field for the tag",
    ),
    (
        "The instance type must be equal",
        "an enum has variants of different types, which a CRD cannot have: use a struct with a field for each, \
            or `IntOrString`",
    ),
    (
        "conflicting with existing type",
        "an untagged enum has variants of different types, which a CRD cannot have: use a struct with a field \
            for each, `IntOrString`, or `serde_json::Value` with \
            `#[schemars(extend(\"x-kubernetes-preserve-unknown-fields\" = true))]`",
    ),
    (
        "versions of one kind",
        "the types of all versions of a kind must have the same `group`, `kind`, `plural` and scope in their \
            `#[kube(…)]`",
    ),
];

pub(super) fn hint(message: &str) -> String {
    let known = HINTS.iter().find(|(part, _)| message.contains(part));
    known
        .map_or(
            "a type in `api/` has no valid schema: see the message above",
            |(_, hint)| hint,
        )
        .to_owned()
}
