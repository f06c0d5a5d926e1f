//! The recommended labels of Kubernetes.

use std::collections::BTreeMap;

use kube::{Resource, ResourceExt};

/// Maximum length of a label value.
const LONGEST: usize = 63;

const NAME: &str = "app.kubernetes.io/name";
const INSTANCE: &str = "app.kubernetes.io/instance";
const COMPONENT: &str = "app.kubernetes.io/component";

/// The label with the operator that manages an object. [`Context::apply`](crate::Context::apply)
/// sets it, and watches of children select by it.
///
/// ```
/// use rop_runtime::labels::MANAGED_BY;
///
/// let command = format!("kubectl get deployments --selector {MANAGED_BY}=app-operator");
/// # assert!(command.ends_with("app.kubernetes.io/managed-by=app-operator"));
/// ```
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// Returns the labels that select the pods of one component of an object. Never change them: a
/// Deployment's selector is immutable. `component` distinguishes several workloads of one object,
/// such as `web` and `worker`. A name that is too long for a label value is truncated and ends with
/// a hash.
///
/// ```
/// use k8s_openapi::api::core::v1::Namespace;
/// use rop_runtime::labels;
///
/// let mut shop = Namespace::default();
/// shop.metadata.name = Some("shop".to_owned());
/// let selector = labels::selector(&shop, "web");
/// assert_eq!(selector["app.kubernetes.io/instance"], "shop");
/// assert_eq!(selector["app.kubernetes.io/component"], "web");
/// ```
#[must_use]
pub fn selector<K>(object: &K, component: &str) -> BTreeMap<String, String>
where
    K: Resource<DynamicType = ()>,
{
    BTreeMap::from([
        (NAME.to_owned(), K::kind(&()).to_lowercase()),
        (INSTANCE.to_owned(), value(object.name_any())),
        (COMPONENT.to_owned(), component.to_owned()),
    ])
}

/// Returns a name as a label value. The truncation of long names must never change, because the
/// selectors of Deployments are immutable.
fn value(name: String) -> String {
    if name.len() <= LONGEST {
        return name;
    }
    // FNV-1a of 64 bits.
    let sum = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let sum = format!("-{sum:016x}");
    let mut start = LONGEST - sum.len();
    while !name.is_char_boundary(start) {
        start -= 1;
    }
    format!("{}{sum}", &name[..start])
}

/// Formats labels as a label selector, such as `a=b,c=d`.
///
/// ```
/// use std::collections::BTreeMap;
/// use rop_runtime::labels;
///
/// let labels = BTreeMap::from([("a", "b"), ("c", "d")].map(|(k, v)| (k.to_owned(), v.to_owned())));
/// assert_eq!(labels::to_text(&labels), "a=b,c=d");
/// ```
#[must_use]
pub fn to_text(labels: &BTreeMap<String, String>) -> String {
    let pairs: Vec<_> = labels
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    pairs.join(",")
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    fn instance(name: &str) -> String {
        let mut object = ConfigMap::default();
        object.metadata.name = Some(name.to_owned());
        selector(&object, "web").remove(INSTANCE).unwrap()
    }

    #[test]
    fn a_long_name_is_cut_and_stays_distinct() {
        assert_eq!(instance(&"a".repeat(63)), "a".repeat(63));
        let long = instance(&"a".repeat(80));
        // A literal, because it must be the same in all releases.
        assert_eq!(long, format!("{}-6ca09e4c8c57aa35", "a".repeat(46)));
        assert_eq!(long.len(), LONGEST);
        assert_ne!(instance(&format!("{}b", "a".repeat(79))), long);
    }
}
