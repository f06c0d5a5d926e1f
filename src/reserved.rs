//! Names that are taken in generated Rust: nothing of a project is called so.

/// Words that name nothing in Rust, and those that are kept for later.
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// What Rust has in every module.
const PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Hash",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Vec",
];

/// What the types of kinds of other operators import, by modules.
pub(crate) const IMPORTS: &[(&str, &[&str])] = &[
    ("std::collections", &["BTreeMap"]),
    (
        "k8s_openapi::api::core::v1",
        &["ObjectReference", "Toleration"],
    ),
    (
        "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1",
        &["CustomResourceDefinition"],
    ),
    (
        "k8s_openapi::apimachinery::pkg::apis::meta::v1",
        &["LabelSelector", "ObjectMeta"],
    ),
    ("kube", &["CustomResourceExt"]),
    ("kube::core", &["ApiResource"]),
    ("schemars", &["JsonSchema", "Schema", "SchemaGenerator"]),
    ("serde::ser", &["SerializeMap"]),
    ("serde", &["Deserialize", "Serialize", "Serializer"]),
    ("serde_json", &["Number", "Value", "json"]),
    (
        "crate::external",
        &["Condition", "DateTime", "IntOrString", "schema"],
    ),
];

/// Traits that the types of kinds of other operators have by their paths: who reads on knows them by these names.
const TRAITS: &[&str] = &["Metadata", "Resource"];

/// Whether it is a word that names nothing.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// The names that the types of kinds of other operators use.
pub(crate) fn of_external_types() -> impl Iterator<Item = &'static str> {
    let imported = IMPORTS.iter().flat_map(|(_, names)| *names);
    imported.chain(PRELUDE).chain(TRAITS).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(KEYWORDS.is_sorted());
        assert!(PRELUDE.is_sorted());
    }
}
