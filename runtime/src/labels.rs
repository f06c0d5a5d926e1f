//! The recommended labels, on everything that an operator creates.

use std::collections::BTreeMap;

use kube::{Resource, ResourceExt};

/// The longest value of a label.
const LONGEST: usize = 63;

const NAME: &str = "app.kubernetes.io/name";
const INSTANCE: &str = "app.kubernetes.io/instance";
const COMPONENT: &str = "app.kubernetes.io/component";

/// The label that says which operator made an object. [`Context::apply`](crate::Context::apply) sets it, and
/// children are watched by it.
///
/// ```
/// use rop_runtime::labels::MANAGED_BY;
///
/// let command = format!("kubectl get deployments --selector {MANAGED_BY}=app-operator");
/// # assert!(command.ends_with("app.kubernetes.io/managed-by=app-operator"));
/// ```
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// The labels that tell the pods of one component of an object from all others. They must never change: a
/// Deployment's selector cannot. `component` is what tells two workloads of one object apart, such as `web`
/// and `worker`. A name that is longer than a label's value can be is cut, and ends with a sum of all of it.
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

/// A name as the value of a label. How a long one is cut must never change, as the selectors of Deployments cannot.
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

/// Labels in the form that a label selector is written in, as in `a=b,c=d`.
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
        // Written down: it must be the same in all releases.
        assert_eq!(long, format!("{}-6ca09e4c8c57aa35", "a".repeat(46)));
        assert_eq!(long.len(), LONGEST);
        assert_ne!(instance(&format!("{}b", "a".repeat(79))), long);
    }
}
