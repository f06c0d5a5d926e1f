//! The conversion between the versions of a CRD, which an operator in the cluster answers.

use serde_json::{Value, json};

use crate::error::Result;

use super::object::{self, ObjectId};
use super::objects::is_crd;
use super::{Kubectl, Objects, crd};

/// Leaves the conversions of CRDs as the cluster has them: what the CRDs say by themselves leads to no operator. Gives
/// the names of those that are not converted there.
///
/// # Errors
/// The CRDs in the cluster cannot be read.
pub fn keep_conversions(kubectl: &Kubectl, crds: &mut Objects) -> Result<Vec<String>> {
    let mut unconverted = Vec::new();
    if !crds.iter().any(is_converted) {
        return Ok(unconverted);
    }
    let live = crd::live(kubectl, &crds.crds())?;
    crds.change(|object| {
        if !is_converted(object) {
            return;
        }
        let id = ObjectId::of(object);
        let there = object::find(&live, &id).filter(|live| is_converted(live));
        let mut conversion = there.map(|live| live["spec"]["conversion"].clone());
        // The operator's own.
        if let Some(Value::Object(client)) = conversion
            .as_mut()
            .and_then(|conversion| conversion.pointer_mut("/webhook/clientConfig"))
        {
            client.remove("caBundle");
        }
        if conversion.is_none() {
            unconverted.push(id.name);
        }
        // Without one, the API server changes the name of the version alone.
        object["spec"]["conversion"] = conversion.unwrap_or_else(|| json!({ "strategy": "None" }));
    });
    Ok(unconverted)
}

fn is_converted(object: &Value) -> bool {
    is_crd(object) && object["spec"]["conversion"]["strategy"] == "Webhook"
}
