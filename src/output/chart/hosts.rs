//! Names that texts have, such as the host of a Service in an argument: kustomize does not change them, and neither does
//! Helm.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::objects::is_crd;

use super::components::{Component, Components};
use super::node::{NAMESPACE, Node, PREFIX, has_mark};
use super::place;
use super::rendered::Object;

/// More places of a file are not listed.
const MOST_PLACES: usize = 3;

/// The names of the project's objects as texts may have them.
pub(super) struct Texts {
    /// The hosts of the Services, each with the marks in its place.
    hosts: Vec<(String, String)>,
    /// What the names of objects start with, and the namespace.
    names: BTreeSet<String>,
}

impl Texts {
    /// Those of the objects of `config/default`.
    pub(super) fn new(objects: &[Object], components: &Components) -> Self {
        let namespace = components.namespace().unwrap_or_default();
        let prefix = components.prefix().trim_end_matches('-');
        let name = |object: &Object| {
            let marked = object.value["metadata"]["name"].as_str()?;
            let name = marked.replace(PREFIX, prefix);
            (!is_crd(&object.value)).then(|| (name, marked.to_owned()))
        };
        let services = objects.iter().filter(|object| object.kind() == "Service");
        let host = |(name, marked): (String, String)| {
            (
                format!("{name}.{namespace}.svc"),
                format!("{marked}.{NAMESPACE}.svc"),
            )
        };
        let is_known = !namespace.is_empty();
        let hosts = services.filter_map(name).map(host).filter(|_| is_known);
        let names = objects.iter().filter_map(name);
        let names = names
            .filter(|(name, marked)| name != marked)
            .map(|(name, _)| name);
        // A word such as `default` means something else in most texts.
        let namespace = Some(namespace.to_owned()).filter(|name| name.contains('-'));
        Self {
            hosts: hosts.collect(),
            names: names.chain(namespace).collect(),
        }
    }

    /// Lets the hosts in the texts of an object follow the release. Descriptions of fields are for people.
    pub(super) fn apply(&self, object: &mut Object) {
        if is_crd(&object.value) {
            return;
        }
        self.replace(&mut object.value);
        self.replace(&mut object.default);
        self.replace_in(&mut object.node);
    }

    fn replace_in(&self, node: &mut Node) {
        match node {
            Node::Map(children) | Node::List(children) => {
                let nodes = children.iter_mut().map(|child| &mut child.node);
                nodes.for_each(|node| self.replace_in(node));
            }
            Node::Literal(value) => {
                self.replace(value);
                *node = Node::of(value);
            }
            _ => {}
        }
    }

    fn replace(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                for (host, marked) in &self.hosts {
                    while let Some(at) = find(text, host) {
                        text.replace_range(at..at + host.len(), marked);
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.replace(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// What is to be said of texts of an object that keep a name of `config/`, whatever the release is called.
    pub(super) fn note(&self, object: &Object, components: &[Component]) -> Option<String> {
        let mut found = Vec::new();
        if !is_crd(&object.value) {
            self.find(&object.value, "", &mut found);
        }
        let (_, name) = found.first()?.clone();
        let places: Vec<_> = found
            .iter()
            .take(MOST_PLACES)
            .map(|(place, _)| format!("`{}`", place.escape_debug()))
            .collect();
        let more = found.len() - places.len();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        Some(format!(
            "`templates/{}` has names such as `{}` as text in {}{more}: they stay the same if the release or its \
             namespace has another name",
            place::file(object, components),
            name.escape_debug(),
            places.join(", ")
        ))
    }

    fn find(&self, value: &Value, place: &str, found: &mut Vec<(String, String)>) {
        match value {
            Value::String(text) if !has_mark(value) || text.contains(char::is_whitespace) => {
                let name = self.names.iter().find(|name| find(text, name).is_some());
                found.extend(name.map(|name| (place.to_owned(), name.clone())));
            }
            Value::Array(items) => {
                for (number, item) in items.iter().enumerate() {
                    self.find(item, &format!("{place}[{number}]"), found);
                }
            }
            Value::Object(fields) => {
                for (key, field) in fields {
                    let dot = if place.is_empty() { "" } else { "." };
                    self.find(field, &format!("{place}{dot}{key}"), found);
                }
            }
            _ => {}
        }
    }
}

/// Where a text has a name that is no part of a longer one.
fn find(text: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || "-_".contains(c);
    let mut found = text.match_indices(name).map(|(at, _)| at);
    found.find(|at| {
        let (before, after) = (&text[..*at], &text[at + name.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}
