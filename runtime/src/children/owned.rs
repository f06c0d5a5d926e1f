//! Where a controller watches children of which types.

use std::collections::{BTreeMap, BTreeSet};

use super::Scope;
use crate::selector::{Requirement, parse_labels};

/// Where a controller watches children of which types.
#[derive(Debug, Default)]
pub(crate) struct Owned(BTreeSet<(Scope, Option<Selector>)>);

/// The labels that the children of a watch have.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Selector {
    text: String,
    requirements: Vec<Requirement>,
}

impl Owned {
    /// Adds a watch, maybe of the children with some labels.
    pub(crate) fn add(&mut self, scope: Scope, labels: Option<String>) {
        // What cannot be read, the API server refuses.
        let selector = labels.and_then(|text| {
            let requirements = parse_labels(&text).ok()?;
            Some(Selector { text, requirements })
        });
        self.0.insert((scope, selector));
    }

    /// Whether children of a type are watched, wherever that is.
    pub(crate) fn has(&self, kind: &str) -> bool {
        self.of(kind).next().is_some()
    }

    /// Whether children of a type are watched in a namespace.
    pub(crate) fn sees(&self, kind: &str, namespace: Option<&str>) -> bool {
        self.0
            .iter()
            .any(|(scope, _)| scope.covers(kind, namespace))
    }

    /// The selector of labels by which children of a type are watched in a namespace, if it misses these labels
    /// and no other watch has them.
    pub(crate) fn misses(
        &self,
        kind: &str,
        namespace: Option<&str>,
        labels: &BTreeMap<String, String>,
    ) -> Option<&str> {
        let scopes = self
            .0
            .iter()
            .filter(|(scope, _)| scope.covers(kind, namespace));
        let mut missed = None;
        for (_, selector) in scopes {
            let Selector { text, requirements } = selector.as_ref()?;
            let value = |key: &str| labels.get(key).map(String::as_str);
            if requirements.iter().all(|wanted| wanted.holds(value)) {
                return None;
            }
            missed = Some(&**text);
        }
        missed
    }

    /// The namespaces in which children of a type are watched, for messages.
    pub(crate) fn namespaces(&self, kind: &str) -> String {
        self.of(kind).flatten().collect::<Vec<_>>().join(", ")
    }

    fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = Option<&'a str>> {
        let scopes = self.0.iter().filter(move |(scope, _)| *scope.kind == *kind);
        scopes.map(|(scope, _)| scope.namespace.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_seen_where_its_type_is_watched() {
        let mut owned = Owned::default();
        for (kind, namespace) in [
            ("secrets", None),
            ("services", Some("a")),
            ("services", Some("b")),
        ] {
            owned.add(scope(kind, namespace), None);
        }
        assert!(owned.sees("secrets", Some("c")) && owned.sees("services", Some("b")));
        assert!(!owned.sees("services", Some("c")) && !owned.sees("services", None));
        assert!(owned.has("services") && !owned.has("pods"));
        assert_eq!(owned.namespaces("services"), "a, b");
    }

    fn scope(kind: &str, namespace: Option<&str>) -> Scope {
        Scope {
            kind: kind.into(),
            namespace: namespace.map(str::to_owned),
        }
    }

    #[test]
    fn a_child_needs_the_labels_of_one_watch_of_its_type() {
        let mut owned = Owned::default();
        for selector in ["tier=web", "tier in (db),!old"] {
            owned.add(scope("pods", None), Some(selector.to_owned()));
        }
        owned.add(scope("secrets", None), Some("tier=web".to_owned()));
        owned.add(scope("secrets", Some("shop")), None);
        let labels = |tier: &str| BTreeMap::from([("tier".to_owned(), tier.to_owned())]);
        let misses = |kind, namespace, labels| owned.misses(kind, Some(namespace), &labels);
        assert_eq!(misses("pods", "shop", labels("web")), None);
        assert_eq!(misses("pods", "shop", labels("db")), None);
        assert!(misses("pods", "shop", labels("x")).is_some());
        assert!(misses("pods", "shop", BTreeMap::new()).is_some());
        assert_eq!(misses("secrets", "shop", BTreeMap::new()), None);
        assert_eq!(
            misses("secrets", "other", BTreeMap::new()),
            Some("tier=web")
        );
        assert_eq!(misses("services", "shop", BTreeMap::new()), None);
    }
}
