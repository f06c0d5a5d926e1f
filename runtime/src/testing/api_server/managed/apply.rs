//! What a server-side apply does to an object and to who manages its fields.

use serde_json::{Value, json};

use super::{Entry, Managed, Manager, Scope, UNMANAGED};
use crate::testing::api_server::failure::Failure;
use crate::testing::api_server::fields::{Set, collect, compare, merge, remove, validate};
use crate::testing::api_server::schema::Schema;

impl Managed {
    /// Applies what a manager wants to a live object. Neither has managed fields. Returns the new object, or
    /// `None` if nothing changes.
    ///
    /// # Errors
    /// What is applied does not fit the schema, or another manager has a field that it sets.
    pub(crate) fn apply(
        &mut self,
        scope: &Scope,
        live: &Value,
        applied: &Value,
        manager: Manager,
        force: bool,
    ) -> Result<Option<Value>, Failure> {
        let schema = scope.schema;
        if let Some(error) = validate(schema, applied) {
            let name = applied["metadata"]["name"].as_str().unwrap_or_default();
            let namespace = applied["metadata"]["namespace"]
                .as_str()
                .unwrap_or_default();
            let kind = applied["kind"].as_str().unwrap_or_default();
            let of = match scope.api_version.contains('/') {
                true => scope.api_version.to_owned(),
                false => format!("/{}", scope.api_version),
            };
            let message = format!(
                "failed to create typed patch object ({namespace}/{name}; {of}, Kind={kind}): {error}"
            );
            return Err(Failure::internal(message));
        }
        let merged = merge(schema, live, applied);
        let set = collect(schema, applied).without_below(scope.reset);
        let last = self.0.get(&manager).map(|entry| entry.set.clone());
        let entry = Entry {
            set,
            api_version: scope.api_version.to_owned(),
            time: Value::Null,
        };
        let time = self
            .0
            .insert(manager.clone(), entry)
            .map_or(Value::Null, |entry| entry.time);
        let new = match last {
            Some(last) if !last.is_empty() => self.prune(schema, merged, &last),
            _ => merged,
        };
        self.yield_to(scope, live, &new, &manager, force)?;
        let is_changed = new != *live;
        if let Some(entry) = self.0.get_mut(&manager) {
            entry.set = entry.set.difference(&UNMANAGED);
            entry.time = if is_changed { json!(scope.now) } else { time };
        }
        self.0.retain(|_, entry| !entry.set.is_empty());
        Ok(is_changed.then_some(new))
    }

    /// Takes out what the manager applied last time and nobody names now.
    fn prune(&self, schema: &Schema, merged: Value, last: &Set) -> Value {
        let named = |set: &Set| set.with_named_fields(schema);
        let owned = self
            .0
            .values()
            .fold(Set::default(), |all, entry| all.union(&entry.set));
        let last = named(last);
        let of_merged = named(&collect(schema, &merged));
        let pruned = remove(schema, &merged, &last);
        let of_pruned = named(&collect(schema, &pruned));
        let gone = of_merged.difference(&of_pruned.union(&named(&owned)));
        let pruned = remove(schema, &merged, &gone);
        let of_pruned = named(&collect(schema, &pruned));
        let gone = of_merged.difference(&of_pruned).intersection(&last);
        remove(schema, &merged, &gone)
    }

    /// Takes from other managers what changes.
    fn yield_to(
        &mut self,
        scope: &Scope,
        live: &Value,
        new: &Value,
        manager: &Manager,
        force: bool,
    ) -> Result<(), Failure> {
        let comparison = compare(scope.schema, live, new).without(scope.reset);
        let changed = comparison.changed();
        let others = self.0.iter().filter(|(other, _)| *other != manager);
        let conflicts =
            others.map(|(other, entry)| (other.clone(), entry.set.intersection(&changed)));
        let mut conflicts = conflicts
            .filter(|(_, set)| !set.is_empty())
            .collect::<Vec<_>>();
        if !force && !conflicts.is_empty() {
            conflicts.sort_by_key(|(other, _)| other.key());
            return Err(conflict(&conflicts));
        }
        for (_, entry) in self.0.iter_mut().filter(|(other, _)| *other != manager) {
            entry.set = entry.set.difference(&changed);
        }
        for (_, entry) in self.0.iter_mut().filter(|(other, _)| *other != manager) {
            entry.set = entry.set.difference(&comparison.removed);
        }
        self.0.retain(|_, entry| !entry.set.is_empty());
        Ok(())
    }
}

fn conflict(conflicts: &[(Manager, Set)]) -> Failure {
    let all = conflicts
        .iter()
        .flat_map(|(manager, set)| set.paths().into_iter().map(move |path| (manager, path)));
    let all = all.collect::<Vec<_>>();
    let causes = all.iter().map(|(manager, path)| {
        json!({
            "reason": "FieldManagerConflict",
            "message": format!("conflict with {}", manager.readable()),
            "field": path,
        })
    });
    let causes = causes.collect::<Vec<_>>();
    let message = match &*all {
        [(manager, path)] => {
            format!(
                "Apply failed with 1 conflict: conflict with {}: {path}",
                manager.readable()
            )
        }
        all => {
            let mut lines = Vec::new();
            for (manager, set) in conflicts {
                lines.push(format!("conflicts with {}:", manager.readable()));
                lines.extend(set.paths().iter().map(|path| format!("- {path}")));
            }
            format!(
                "Apply failed with {} conflicts: {}",
                all.len(),
                lines.join("\n")
            )
        }
    };
    Failure::new(409, "Conflict", message).with_details(json!({ "causes": causes }))
}
