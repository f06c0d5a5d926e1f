//! Where a controller watches children of which types.

use std::collections::BTreeSet;

use super::Scope;

/// Where a controller watches children of which types.
#[derive(Debug, Default)]
pub(crate) struct Owned(BTreeSet<Scope>);

impl Owned {
    /// Adds a watch.
    pub(crate) fn add(&mut self, scope: Scope) {
        self.0.insert(scope);
    }

    /// Whether children of a type are watched, wherever that is.
    pub(crate) fn has(&self, kind: &str) -> bool {
        self.of(kind).next().is_some()
    }

    /// Whether children of a type are watched in a namespace.
    pub(crate) fn sees(&self, kind: &str, namespace: Option<&str>) -> bool {
        self.0.iter().any(|scope| scope.covers(kind, namespace))
    }

    /// The namespaces in which children of a type are watched, for messages.
    pub(crate) fn namespaces(&self, kind: &str) -> String {
        self.of(kind).flatten().collect::<Vec<_>>().join(", ")
    }

    fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = Option<&'a str>> {
        let scopes = self.0.iter().filter(move |scope| *scope.kind == *kind);
        scopes.map(|scope| scope.namespace.as_deref())
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
            owned.add(Scope {
                kind: kind.into(),
                namespace: namespace.map(str::to_owned),
            });
        }
        assert!(owned.sees("secrets", Some("c")) && owned.sees("services", Some("b")));
        assert!(!owned.sees("services", Some("c")) && !owned.sees("services", None));
        assert!(owned.has("services") && !owned.has("pods"));
        assert_eq!(owned.namespaces("services"), "a, b");
    }
}
