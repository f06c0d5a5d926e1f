//! The types of children that a controller watches, and in which namespaces.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::breakage::{Breakage, broken};
use crate::selector::{Requirement, parse_labels};

/// The types of children that a controller watches, and in which namespaces.
#[derive(Debug, Default)]
pub(crate) struct Owned(BTreeMap<Arc<str>, Kind>);

/// A type of child, and where it is watched.
#[derive(Debug)]
struct Kind {
    /// `None` means all namespaces.
    namespaces: Vec<Option<String>>,
    labels: Option<Selector>,
}

/// The label selector of the children.
#[derive(Debug)]
struct Selector {
    text: String,
    requirements: Vec<Requirement>,
}

impl Kind {
    fn covers(&self, namespace: Option<&str>) -> bool {
        let mut namespaces = self.namespaces.iter().map(Option::as_deref);
        broken(Breakage::ElsewhereUnwatched)
            || namespaces.any(|own| own.is_none() || own == namespace)
    }
}

impl Owned {
    /// Adds a type, with the label selector of its children if there is one.
    pub(crate) fn add(
        &mut self,
        kind: &Arc<str>,
        namespaces: &[Option<String>],
        labels: Option<String>,
    ) {
        // The API server rejects a selector that cannot be parsed.
        let labels = labels.and_then(|text| {
            let requirements = parse_labels(&text).ok()?;
            Some(Selector { text, requirements })
        });
        let namespaces = namespaces.to_vec();
        self.0.insert(Arc::clone(kind), Kind { namespaces, labels });
    }

    /// Whether children of a type are watched in any namespace.
    pub(crate) fn has(&self, kind: &str) -> bool {
        self.0.contains_key(kind)
    }

    /// Whether children of a type are watched in a namespace.
    pub(crate) fn sees(&self, kind: &str, namespace: Option<&str>) -> bool {
        self.0.get(kind).is_some_and(|kind| kind.covers(namespace))
    }

    /// The label selector of a type of child, if these labels do not match it.
    pub(crate) fn misses(&self, kind: &str, labels: &BTreeMap<String, String>) -> Option<&str> {
        let Selector { text, requirements } = self.0.get(kind)?.labels.as_ref()?;
        let value = |key: &str| labels.get(key).map(String::as_str);
        let is_selected = requirements
            .iter()
            .all(|requirement| requirement.holds(value));
        (!is_selected).then_some(text)
    }

    /// The namespaces in which children of a type are watched, for messages.
    pub(crate) fn namespaces(&self, kind: &str) -> String {
        let found = self.0.get(kind).into_iter();
        let namespaces = found.flat_map(|kind| kind.namespaces.iter().flatten());
        namespaces.cloned().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(
        kinds: impl IntoIterator<Item = (&'static str, &'static [&'static str], &'static str)>,
    ) -> Owned {
        let mut owned = Owned::default();
        for (kind, namespaces, labels) in kinds {
            let everywhere = namespaces.is_empty().then_some(None);
            let namespaces: Vec<_> = namespaces
                .iter()
                .map(|&name| Some(name.to_owned()))
                .chain(everywhere)
                .collect();
            let labels = (!labels.is_empty()).then(|| labels.to_owned());
            owned.add(&kind.into(), &namespaces, labels);
        }
        owned
    }

    #[test]
    fn a_child_is_seen_where_its_type_is_watched() {
        let owned = owned([("secrets", &[][..], ""), ("services", &["a", "b"], "")]);
        assert!(owned.sees("secrets", Some("c")) && owned.sees("services", Some("b")));
        assert!(!owned.sees("services", Some("c")) && !owned.sees("services", None));
        assert!(owned.has("services") && !owned.has("pods"));
        assert_eq!(owned.namespaces("services"), "a, b");
    }

    #[test]
    fn a_child_needs_the_labels_by_which_its_type_is_watched() {
        let owned = owned([
            ("pods", &[][..], "tier in (web,db),!old"),
            ("secrets", &[], ""),
        ]);
        let misses = |kind, given: &[(&str, &str)]| {
            let labels = given
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            owned.misses(kind, &labels.collect())
        };
        assert_eq!(misses("pods", &[("tier", "db")]), None);
        let text = Some("tier in (web,db),!old");
        assert_eq!(misses("pods", &[("tier", "x")]), text);
        assert_eq!(misses("pods", &[("tier", "db"), ("old", "")]), text);
        assert_eq!(misses("pods", &[]), text);
        assert_eq!(misses("secrets", &[]), None);
        assert_eq!(misses("services", &[]), None);
    }
}
