// Owned by rop: its commands rewrite this file, so make changes elsewhere [741602a546de]
//! What an API server checks, without one.

use k8s_openapi::serde::Serialize;
use kube::CustomResourceExt;
use kube_cel::Validator;
use serde_json::json;

/// Checks an object against the rules of its CRD, which its type declares with
/// `validation = Rule::new(…)`. `old` is the object before a change, for rules that compare the two.
///
/// The bounds of single fields, such as the length of a string, are checked only by an API server:
/// see `tests/cluster/`.
///
/// # Errors
/// The rules that the object breaks.
pub fn check<K>(object: &K, old: Option<&K>) -> Result<(), String>
where
    K: CustomResourceExt + Serialize,
{
    let version = K::api_resource().version;
    let mut versions = K::crd().spec.versions.into_iter();
    let schema = versions.find(|known| known.name == version);
    let schema = schema.and_then(|version| version.schema);
    let schema = json!(schema.and_then(|schema| schema.open_api_v3_schema));
    let old = old.map(|old| json!(old));
    Validator::new()
        .validate_with_defaults(&schema, &json!(object), old.as_ref())
        .map_err(|errors| errors.to_string())
}
