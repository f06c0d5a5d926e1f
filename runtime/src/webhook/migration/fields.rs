//! The field managers of an object in versions that will be removed.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry};
use serde_json::Value;

/// Replaces these versions in the entries with another one. `None` if no entry has one of them. Paths that the other
/// version does not have are harmless.
pub(super) fn moved(
    managed: &[ManagedFieldsEntry],
    from: &[String],
    to: &str,
) -> Option<Vec<ManagedFieldsEntry>> {
    let is_retired = |entry: &ManagedFieldsEntry| {
        let version = entry.api_version.as_ref();
        version.is_some_and(|version| from.contains(version))
    };
    if !managed.iter().any(is_retired) {
        return None;
    }
    let (retired, mut kept): (Vec<_>, Vec<_>) = managed.iter().cloned().partition(is_retired);
    for mut entry in retired {
        entry.api_version = Some(to.to_owned());
        // An object has one entry for each manager, version and operation.
        match kept.iter_mut().find(|kept| key(kept) == key(&entry)) {
            Some(kept) => join(kept, entry),
            None => kept.push(entry),
        }
    }
    Some(kept)
}

/// The key of an entry, unique within an object.
fn key(entry: &ManagedFieldsEntry) -> [Option<&String>; 4] {
    let ManagedFieldsEntry {
        manager,
        operation,
        api_version,
        subresource,
        ..
    } = entry;
    [manager, operation, api_version, subresource].map(Option::as_ref)
}

fn join(kept: &mut ManagedFieldsEntry, other: ManagedFieldsEntry) {
    match (&mut kept.fields_v1, other.fields_v1) {
        (Some(FieldsV1(kept)), Some(FieldsV1(other))) => merge(kept, other),
        (none @ None, other) => *none = other,
        (Some(_), None) => {}
    }
}

/// Merges one tree of paths into another.
fn merge(into: &mut Value, from: Value) {
    let (Value::Object(into), Value::Object(from)) = (into, from) else {
        return;
    };
    for (name, below) in from {
        merge(
            into.entry(name)
                .or_insert(Value::Object(serde_json::Map::default())),
            below,
        );
    }
}
