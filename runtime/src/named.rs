//! Names of objects in tests: `name` or `namespace/name`.

use kube::api::ObjectMeta;

/// Whether a test means this object by `name` or `namespace/name`.
pub(crate) fn is_called(meta: &ObjectMeta, wanted: &str) -> bool {
    is(wanted, meta.name.as_deref(), meta.namespace.as_deref())
}

pub(crate) fn is(wanted: &str, name: Option<&str>, namespace: Option<&str>) -> bool {
    match wanted.split_once('/') {
        None => name == Some(wanted),
        Some((in_namespace, wanted)) => name == Some(wanted) && namespace == Some(in_namespace),
    }
}

/// Returns the object that a test means, which must be the only one.
pub(crate) fn only<T>(wanted: &str, mut found: impl Iterator<Item = T>) -> Option<T> {
    let object = found.next();
    assert!(
        found.next().is_none(),
        "several namespaces have an object named {wanted}: add the namespace, as in `shop/{wanted}`"
    );
    object
}
