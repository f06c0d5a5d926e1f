//! Label and field selectors.

use serde_json::Value;

use super::failure::Failure;
use super::resource::{Resource, at};
use crate::selector::{Requirement, parse_labels};

/// The label and field selectors of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct Selector {
    labels: Vec<Requirement>,
    /// The path of a field, its value, and whether it must be equal.
    fields: Vec<(String, String, bool)>,
}

impl Selector {
    /// Parses both selectors of a request.
    ///
    /// # Errors
    /// If one is malformed, or has a field that these objects cannot be selected by.
    pub(super) fn parse(resource: &Resource, labels: &str, fields: &str) -> Result<Self, Failure> {
        let mut selector = Self {
            labels: parse_labels(labels).map_err(Failure::bad_request)?,
            fields: Vec::new(),
        };
        for term in fields.split(',').filter(|term| !term.is_empty()) {
            let parts = (term
                .split_once("!=")
                .map(|(path, value)| (path, value, false)))
            .or_else(|| {
                term.split_once("==")
                    .map(|(path, value)| (path, value, true))
            })
            .or_else(|| {
                term.split_once('=')
                    .map(|(path, value)| (path, value, true))
            });
            let Some((path, value, is)) = parts else {
                let text = format!("invalid selector: '{term}'; can't understand '{term}'");
                return Err(Failure::bad_request(text));
            };
            let path_of = match path {
                "metadata.name" => ".metadata.name",
                "metadata.namespace" if resource.is_namespaced || resource.is_builtin => {
                    ".metadata.namespace"
                }
                path => match resource.selectable.get(path) {
                    Some(path) => path,
                    None => return Err(Failure::bad_request(unsupported(resource, path))),
                },
            };
            selector
                .fields
                .push((path_of.to_owned(), value.to_owned(), is));
        }
        Ok(selector)
    }

    /// Parses a `LabelSelector`. An empty one selects everything.
    pub(super) fn of(selector: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let labels = selector["matchLabels"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| Requirement::In(key.clone(), vec![text(value)]));
        let expressions = selector["matchExpressions"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|expression| {
                let values = expression["values"].as_array().into_iter().flatten();
                let (key, values) = (text(&expression["key"]), values.map(text).collect());
                match expression["operator"].as_str() {
                    Some("In") => Requirement::In(key, values),
                    Some("NotIn") => Requirement::NotIn(key, values),
                    Some("DoesNotExist") => Requirement::DoesNotExist(key),
                    _ => Requirement::Exists(key),
                }
            });
        Self {
            labels: labels.chain(expressions).collect(),
            fields: Vec::new(),
        }
    }

    pub(super) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether it selects an object.
    pub(super) fn matches(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        let value = |key: &str| labels[key].as_str();
        let is = |(path, expected, is): &(String, String, bool)| {
            let text = match at(object, path) {
                Value::String(text) => text.clone(),
                Value::Null if path.ends_with("unschedulable") => "false".to_owned(),
                Value::Null => String::new(),
                value => value.to_string(),
            };
            (text == *expected) == *is
        };
        self.labels.iter().all(|it| it.holds(value)) && self.fields.iter().all(is)
    }
}

fn unsupported(resource: &Resource, path: &str) -> String {
    if resource.is_builtin && !resource.group.is_empty() {
        return format!(
            "{path:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        );
    }
    if resource.is_builtin {
        return match &*resource.plural {
            "configmaps" | "serviceaccounts" | "endpoints" | "persistentvolumeclaims" => {
                format!(
                    "{path:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                )
            }
            _ => format!("field label not supported: {path}"),
        };
    }
    format!("field label not supported: {path}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_are_selected() {
        let object = json!({"metadata": {"labels": {"app": "web", "tier": "front"}}});
        for (selector, expected) in [
            ("app=web", true),
            ("app==web,tier!=back", true),
            ("app in (web, db),tier", true),
            ("app notin (web)", false),
            ("!app", false),
            ("!other,other!=x", true),
            ("", true),
        ] {
            let labels = parse_labels(selector).expect(selector);
            let selector_of = Selector {
                labels,
                fields: Vec::new(),
            };
            assert_eq!(selector_of.matches(&object), expected, "{selector}");
        }
        assert!(parse_labels("a b").is_err());
    }

    #[test]
    fn a_label_selector_asks_for_all_that_it_names() {
        let object = json!({"metadata": {"labels": {"app": "web"}}});
        let expression = |operator: &str, values: &[&str]| json!({"matchExpressions": [{"key": "app", "operator": operator, "values": values}]});
        for (selector, expected) in [
            (Value::Null, true),
            (json!({}), true),
            (json!({"matchLabels": {"app": "web"}}), true),
            (
                json!({"matchLabels": {"app": "web", "tier": "back"}}),
                false,
            ),
            (expression("In", &["db", "web"]), true),
            (expression("NotIn", &["web"]), false),
            (expression("Exists", &[]), true),
            (expression("DoesNotExist", &[]), false),
        ] {
            assert_eq!(
                Selector::of(&selector).matches(&object),
                expected,
                "{selector}"
            );
        }
    }
}
