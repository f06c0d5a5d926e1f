// Owned by rop: its commands rewrite this file, so make changes elsewhere [f73b21201900]
//! For the tests of the types: what an API server checks, without one.

use kube::CustomResourceExt;
use kube_cel::Validator;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Reads an object as one of the kind `K`, and checks it against the rules of its CRD: what the type
/// says with `validation = Rule::new(…)`. `old` is the object before a change, for rules that compare
/// the two.
///
/// The bounds of single fields, such as the length of a text, are checked by an API server alone.
///
/// # Errors
/// Which rules the object breaks, or why it is none of the kind.
pub fn check<K>(object: &Value, old: Option<&Value>) -> Result<K, String>
where
    K: CustomResourceExt + DeserializeOwned,
{
    let parsed = K::deserialize(object).map_err(|error| error.to_string())?;
    let version = K::api_resource().version;
    let versions = K::crd().spec.versions;
    let version = versions.into_iter().find(|known| known.name == version);
    let schema = version.and_then(|version| version.schema);
    let schema = json!(schema.and_then(|schema| schema.open_api_v3_schema));
    let result = Validator::new().validate_with_defaults(&schema, object, old);
    result.map(|()| parsed).map_err(|errors| errors.to_string())
}
