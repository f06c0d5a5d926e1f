//! Names of objects in tests: `name` or `namespace/name`.

use kube::api::ObjectMeta;

/// Whether a test means this object by `name` or `namespace/name`.
pub(crate) fn is_called(meta: &ObjectMeta, expected: &str) -> bool {
    is(expected, meta.name.as_deref(), meta.namespace.as_deref())
}

pub(crate) fn is(expected: &str, name: Option<&str>, namespace: Option<&str>) -> bool {
    match expected.split_once('/') {
        None => name == Some(expected),
        Some((in_namespace, expected)) => name == Some(expected) && namespace == Some(in_namespace),
    }
}

/// Returns the object that a test means, which must be the only one.
pub(crate) fn only<T>(expected: &str, mut found: impl Iterator<Item = T>) -> Option<T> {
    let object = found.next();
    assert!(
        found.next().is_none(),
        "several namespaces have an object named {expected}: add the namespace, as in `shop/{expected}`"
    );
    object
}
