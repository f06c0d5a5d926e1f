//! Differences of older releases of Kubernetes in these requests. `book/src/deploy/cluster.md` has a table of them.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use crate::twin::Step;

/// Whether a watch can start with all existing objects: by default since 1.34.
pub(crate) fn streams_lists(minor: u32) -> bool {
    minor >= 34
}

/// Removes metadata from a request for the status of a custom resource, which does not store it. Before 1.36, the
/// sender became the manager of these fields anyway, which changed the responses to later requests.
pub(crate) fn leave_out(minor: u32, step: &mut Step) {
    let is_status = step.path.contains("/gadgets/") && step.path.ends_with("/status");
    if minor < 36
        && is_status
        && let Some(Value::Object(metadata)) = step.body.get_mut("metadata")
    {
        metadata.retain(|name, _| ["name", "resourceVersion", "uid"].contains(&&**name));
    }
}

/// Converts a response of this minor release to one of the newest.
pub(crate) fn renew(minor: u32, answer: &mut Value) {
    if minor < 37 {
        say_once(answer);
    }
    if minor < 36 {
        texts(answer);
        if answer.get("message").is_some() {
            not_found(answer);
        }
    }
}

/// An error of a built-in kind may be duplicated.
fn say_once(answer: &mut Value) {
    if answer.pointer("/details/group") == Some(&json!("shop.example.com")) {
        return;
    }
    if let Some(Value::Array(causes)) = answer.pointer_mut("/details/causes") {
        for cause in std::mem::take(causes) {
            if !causes.contains(&cause) {
                causes.push(cause);
            }
        }
    }
}

/// An update of a missing object conflicts if it has a uid. For kinds that an update can create, it still does.
fn not_found(answer: &mut Value) {
    let is_gone = |text: &str| text.contains("StorageError") && text.ends_with("object meta: ");
    if !answer["message"].as_str().is_some_and(is_gone) {
        return;
    }
    if ["leases", "services"]
        .iter()
        .any(|kind| answer["details"]["kind"] == *kind)
    {
        return;
    }
    let part = |name: &str| answer["details"][name].as_str().unwrap_or_default();
    let resource = format!("{}.{}", part("kind"), part("group"));
    let message = format!(
        "{} {:?} not found",
        resource.trim_end_matches('.'),
        part("name")
    );
    answer["code"] = json!(404);
    answer["reason"] = json!("NotFound");
    answer["message"] = json!(message);
}

/// How a value other than a string was shown: in Go's format, and an object by its type.
const SHOWN: [(&str, &str); 5] = [
    // The names of Services had their own rule.
    (
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
         character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation \
         is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end \
         with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
         '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ),
    ("Invalid value: \"null\": ", "Invalid value: null: "),
    (
        "Invalid value: map[string]string(nil): ",
        "Invalid value: null: ",
    ),
    ("Invalid value: \"object\": ", "Invalid value: "),
    ("Invalid value: 0x0: ", "Invalid value: 0: "),
];

/// Messages show values in another form, and a template has an empty `creationTimestamp`.
fn texts(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("creationTimestamp") == Some(&Value::Null) {
                fields.remove("creationTimestamp");
            }
            fields.values_mut().for_each(texts);
        }
        Value::Array(items) => items.iter_mut().for_each(texts),
        Value::String(text) => {
            static MAP: LazyLock<Regex> = LazyLock::new(|| {
                Regex::new(r"value: map\[string\](string|interface \{\})\{").expect("a pattern")
            });
            *text = MAP.replace_all(text, "value: {").into_owned();
            for (then, now) in SHOWN {
                *text = text.replace(then, now);
            }
        }
        _ => {}
    }
}
