//! Objects as the cluster has them, by the full names of their kinds: others have kinds of the same short names.

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::ui::one_line;

/// An object, or null.
pub(super) fn get(
    kubectl: &Kubectl,
    kind: &str,
    namespace: Option<&str>,
    name: &str,
) -> Result<Value> {
    let mut arguments = vec!["get", kind, "--ignore-not-found", "-o", "json"];
    arguments.extend(
        namespace
            .into_iter()
            .flat_map(|namespace| ["-n", namespace]),
    );
    arguments.extend(["--", name]);
    kubectl.json(&arguments, None)
}

/// The objects of a kind in a namespace.
pub(super) fn list(kubectl: &Kubectl, kind: &str, namespace: &str) -> Result<Vec<Value>> {
    kubectl.objects(&["get", kind, "-o", "json", "-n", namespace], None)
}

/// The objects of kinds in a namespace that a selector selects.
pub(super) fn select(
    kubectl: &Kubectl,
    kinds: &str,
    namespace: &str,
    selector: &str,
) -> Result<Vec<Value>> {
    let arguments = ["get", kinds, "-o", "json", "-n", namespace, "-l", selector];
    kubectl.objects(&arguments, None)
}

/// The objects of a kind in the cluster that a selector selects; all, if it is empty.
pub(super) fn everywhere(kubectl: &Kubectl, kind: &str, selector: &str) -> Result<Vec<Value>> {
    let arguments = [
        "get",
        kind,
        "-o",
        "json",
        "--all-namespaces",
        "-l",
        selector,
    ];
    kubectl.objects(&arguments, None)
}

/// An error that repeats what objects of the cluster say: no line of them may look like one of rop's.
pub(super) fn error(code: Code, message: &str) -> Error {
    Error::new(code, one_line(message))
}

/// The text at a JSON pointer; empty if there is none.
pub(super) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    let value = object.pointer(pointer).and_then(Value::as_str);
    value.unwrap_or_default()
}

/// The members of a list at a JSON pointer.
pub(super) fn items<'a>(object: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    let items = object.pointer(pointer).and_then(Value::as_array);
    items.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_forged() {
        let error = error(Code::OlmConflict, "`a\nhint: b\u{1b}` exists");
        assert_eq!(
            error.chain().next().as_deref(),
            Some("`a\\nhint: b\\u{1b}` exists")
        );
    }
}
