//! The kinds of objects that the operator makes, known from what it may create.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::project::ProjectKind;

/// What an operator makes for itself, and nobody looks for beside its objects.
const OWN: &str = "Lease";

/// The kinds of Kubernetes that rules allow to create or apply.
pub(super) fn of<'a>(rules: impl IntoIterator<Item = &'a Value>) -> Vec<Value> {
    let built_in: Vec<_> = ProjectKind::all_built_in().collect();
    let mut made = BTreeSet::new();
    for rule in rules {
        let texts = |field: &str| {
            let items = rule[field].as_array().into_iter().flatten();
            items.filter_map(Value::as_str).collect::<Vec<_>>()
        };
        let verbs = texts("verbs");
        if !["create", "patch", "*"]
            .iter()
            .any(|verb| verbs.contains(verb))
        {
            continue;
        }
        let (groups, resources) = (texts("apiGroups"), texts("resources"));
        let mut known = BTreeSet::new();
        for kind in &built_in {
            let is_made = groups.contains(&kind.api_group().as_str())
                && resources.contains(&kind.plural.as_str());
            // The preferred version of a kind comes first.
            let is_new = known.insert((kind.api_group(), kind.name.to_string()));
            if is_made && is_new && kind.name.as_str() != OWN {
                made.insert((kind.name.to_string(), kind.hub.to_string()));
            }
        }
    }
    let made = made.into_iter();
    made.map(|(kind, version)| json!({ "kind": kind, "name": "", "version": version }))
        .collect()
}
