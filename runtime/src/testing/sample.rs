//! Test objects from files.

use kube::Resource;
use kube::core::ObjectMeta;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::scope::ChildScope;

/// Returns the object in a YAML document, such as a sample of `config/samples`, with another name.
/// If the kind is namespaced and the document has no namespace, the namespace is `shop`.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: sample\ndata:\n  key: value\n";
/// let object: ConfigMap = rop_runtime::testing::sample(yaml, "web");
/// assert_eq!(object.metadata.name.as_deref(), Some("web"));
/// assert_eq!(object.metadata.namespace.as_deref(), Some("shop"));
/// ```
///
/// # Panics
/// Panics if the document is not a valid object of the kind.
#[must_use]
pub fn sample<K>(yaml: &str, name: &str) -> K
where
    K: DeserializeOwned + Resource<Scope: ChildScope>,
{
    let mut object: K = from_yaml(yaml);
    let meta = object.meta_mut();
    meta.name = Some(name.to_owned());
    let namespace = meta.namespace.take();
    meta.namespace = K::Scope::NAMESPACED.then(|| namespace.unwrap_or_else(|| "shop".to_owned()));
    object
}

/// Returns the object in a YAML document, such as a sample of `config/samples`, without its name
/// and namespace. The API server generates a unique name with `generateName`.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: sample\ndata:\n  key: value\n";
/// let object: ConfigMap = rop_runtime::testing::unnamed(yaml);
/// assert_eq!(object.metadata.name, None);
/// assert_eq!(object.metadata.generate_name.as_deref(), Some("test-"));
/// ```
///
/// # Panics
/// Panics if the document is not a valid object of the kind.
#[must_use]
pub fn unnamed<K>(yaml: &str) -> K
where
    K: DeserializeOwned + Resource,
{
    let mut object: K = from_yaml(yaml);
    let meta = object.meta_mut();
    *meta = ObjectMeta {
        annotations: meta.annotations.take(),
        generate_name: Some("test-".to_owned()),
        labels: meta.labels.take(),
        ..ObjectMeta::default()
    };
    object
}

/// Returns the object in a YAML document.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: sample\n";
/// let object: ConfigMap = rop_runtime::testing::from_yaml(yaml);
/// assert_eq!(object.metadata.name.as_deref(), Some("sample"));
/// ```
///
/// # Panics
/// Panics if the document is not a valid object of the kind.
#[must_use]
pub fn from_yaml<K: DeserializeOwned>(yaml: &str) -> K {
    let object: Value = match serde_saphyr::from_str(yaml) {
        Ok(object) => object,
        Err(error) => panic!("the sample is not YAML: {error}"),
    };
    // Through JSON, as the API server gets it from kubectl.
    match serde_json::from_value(object) {
        Ok(object) => object,
        Err(error) => panic!("the sample does not match its type: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::sample;

    #[test]
    fn the_namespace_that_it_names_stays() {
        let map: ConfigMap = sample("metadata: { name: a, namespace: vault }", "web");
        assert_eq!(map.metadata.namespace.as_deref(), Some("vault"));
    }
}
