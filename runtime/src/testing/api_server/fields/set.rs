//! A set of paths to fields.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::schema::Schema;

/// A set of paths, whose elements are written as in `fieldsV1`: `f:name`, `k:{"name":"a"}`, `v:"value"`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set {
    members: BTreeSet<String>,
    children: BTreeMap<String, Set>,
}

impl Set {
    /// A set with one path of field names.
    pub(crate) fn of(path: &[&str]) -> Self {
        let mut set = Self::default();
        let path = path.iter().map(|name| format!("f:{name}"));
        set.insert(&path.collect::<Vec<_>>());
        set
    }

    /// Parses `fieldsV1`. `None` if it is malformed.
    pub(crate) fn parse(fields: &Value) -> Option<Self> {
        let mut set = Self::default();
        for (element, below) in fields.as_object()? {
            let below = below.as_object()?;
            if element == "." {
                continue;
            }
            if element.as_bytes().get(1) != Some(&b':') {
                return None;
            }
            if below.is_empty() || below.contains_key(".") {
                set.members.insert(element.clone());
            }
            if below.keys().any(|key| key != ".") {
                let child = Self::parse(&Value::Object(below.clone()))?;
                set.children.insert(element.clone(), child);
            }
        }
        Some(set)
    }

    /// The set as `fieldsV1`.
    pub(crate) fn to_json(&self) -> Value {
        let mut fields = Map::new();
        for element in self.elements() {
            let mut below = match self.children.get(element) {
                Some(child) => child.to_json(),
                None => Value::Object(Map::new()),
            };
            let has_both = self.members.contains(element) && self.children.contains_key(element);
            if has_both && let Value::Object(below) = &mut below {
                below.insert(".".to_owned(), Value::Object(Map::new()));
            }
            fields.insert(element.clone(), below);
        }
        Value::Object(fields)
    }

    fn elements(&self) -> BTreeSet<&String> {
        self.members.iter().chain(self.children.keys()).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.values().all(Self::is_empty)
    }

    pub(crate) fn insert(&mut self, path: &[String]) {
        match path {
            [] => {}
            [last] => {
                self.members.insert(last.clone());
            }
            [first, rest @ ..] => self.children.entry(first.clone()).or_default().insert(rest),
        }
    }

    /// Whether the set has an element itself.
    pub(crate) fn has(&self, element: &str) -> bool {
        self.members.contains(element)
    }

    /// The subset below an element.
    pub(crate) fn below(&self, element: &str) -> Option<&Self> {
        self.children.get(element).filter(|child| !child.is_empty())
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut result = self.clone();
        result.members.extend(other.members.iter().cloned());
        for (element, child) in &other.children {
            let known = result.children.entry(element.clone()).or_default();
            *known = known.union(child);
        }
        result
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let members = self.members.intersection(&other.members).cloned();
        let children = self.children.iter().filter_map(|(element, child)| {
            let common = child.intersection(other.children.get(element)?);
            (!common.is_empty()).then(|| (element.clone(), common))
        });
        Self {
            members: members.collect(),
            children: children.collect(),
        }
    }

    pub(crate) fn difference(&self, other: &Self) -> Self {
        self.without(other, false)
    }

    /// The set without the paths of another set and everything below them.
    pub(crate) fn without_below(&self, other: &Self) -> Self {
        self.without(other, true)
    }

    fn without(&self, other: &Self, and_below: bool) -> Self {
        let members = self.members.difference(&other.members).cloned();
        let children = self.children.iter().filter_map(|(element, child)| {
            if and_below && other.members.contains(element) {
                return None;
            }
            let rest = match other.children.get(element) {
                Some(known) => child.without(known, and_below),
                None => child.clone(),
            };
            (!rest.is_empty()).then(|| (element.clone(), rest))
        });
        Self {
            members: members.collect(),
            children: children.collect(),
        }
    }

    /// Adds each named field that has fields below it.
    pub(crate) fn with_named_fields(&self, schema: &Schema) -> Self {
        let mut result = self.clone();
        for (element, child) in &mut result.children {
            let name = element.strip_prefix("f:");
            if name.is_some_and(|name| schema.fields.contains_key(name)) {
                result.members.insert(element.clone());
            }
            let below = match name {
                Some(name) => schema.child(name),
                None => schema.items.as_ref(),
            };
            if let Some(below) = below {
                *child = child.with_named_fields(below);
            }
        }
        result
    }

    /// All paths, as in the message of a conflict.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.walk("", &mut paths);
        paths
    }

    fn walk(&self, prefix: &str, paths: &mut Vec<String>) {
        let own = self.members.iter().map(|element| (element, None));
        let below = self.children.iter();
        let mut parts = own.collect::<Vec<_>>();
        parts.extend(below.map(|(element, child)| (element, Some(child))));
        for (element, child) in parts {
            let path = format!("{prefix}{}", readable(element));
            match child {
                None => paths.push(path),
                Some(child) => child.walk(&path, paths),
            }
        }
    }
}

/// An element in messages: `.name`, `[name="a"]`, `[="value"]`.
pub(crate) fn readable(element: &str) -> String {
    let Some((kind, text)) = element.split_once(':') else {
        return element.to_owned();
    };
    match kind {
        "f" => format!(".{text}"),
        "k" => {
            let fields = serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
            let mut keys = fields.iter().collect::<Vec<_>>();
            keys.sort_by_key(|(name, _)| *name);
            let texts = keys
                .into_iter()
                .map(|(name, value)| format!("{name}={value}"));
            format!("[{}]", texts.collect::<Vec<_>>().join(","))
        }
        _ => format!("[={text}]"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_set_is_read_as_it_is_written() {
        let fields = json!({
            "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
            "f:spec": {"f:ports": {"k:{\"port\":1}": {".": {}, "f:port": {}}}},
        });
        let set = Set::parse(&fields).expect("a set");
        assert_eq!(set.to_json(), fields);
        assert!(set.difference(&set).is_empty());
        assert_eq!(set.intersection(&set), set);
        let without = set.without_below(&Set::of(&["spec"]));
        assert_eq!(
            without.to_json(),
            json!({"f:metadata": {"f:labels": {".": {}, "f:a": {}}}})
        );
        assert_eq!(
            set.paths(),
            [
                ".metadata.labels",
                ".metadata.labels.a",
                ".spec.ports[port=1]",
                ".spec.ports[port=1].port"
            ]
        );
    }
}
