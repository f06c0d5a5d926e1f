//! The conversion between the versions of a CRD, which an operator in the cluster answers.

use serde_json::{Value, json};

use crate::error::Result;
use crate::kubectl::Kubectl;
use crate::objects::{self, ObjectId, Objects, is_crd};

use super::crd;

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
        let converted = objects::find(&live, &id).filter(|live| is_converted(live));
        let conversion = converted.map(conversion);
        if conversion.is_none() {
            unconverted.push(id.name);
        }
        // Without one, the API server changes the name of the version alone.
        object["spec"]["conversion"] = conversion.unwrap_or_else(|| json!({ "strategy": "None" }));
    });
    Ok(unconverted)
}

/// Puts conversions that end back into their CRDs, as the cluster's, `live`, have them, and gives the names of these.
/// As long as the authority stands in a CRD, which the operator put there under a field manager of its own, the API
/// server takes none without a conversion.
pub fn keep_ending_conversions(live: &[Value], objects: &mut Objects) -> Vec<String> {
    let mut ending = Vec::new();
    objects.change(|object| {
        if !is_crd(object) || is_converted(object) {
            return;
        }
        let id = ObjectId::of(object);
        if let Some(live) = objects::find(live, &id).filter(|live| is_converted(live)) {
            object["spec"]["conversion"] = conversion(live);
            ending.push(id.name);
        }
    });
    ending
}

/// Ends the conversion of a CRD in the cluster, with all that anybody put there.
///
/// # Errors
/// The API server refuses it.
pub fn end_conversion(kubectl: &Kubectl, crd: &str) -> Result<()> {
    let patch =
        json!({ "spec": { "conversion": { "strategy": "None", "webhook": null } } }).to_string();
    let arguments = ["patch", "crd", crd, "--type=merge", "-p", &patch];
    kubectl.text(&arguments, None).map(drop)
}

/// The conversion of a CRD in the cluster, without what is the operator's own.
fn conversion(live: &Value) -> Value {
    let mut conversion = live["spec"]["conversion"].clone();
    let client = conversion.pointer_mut("/webhook/clientConfig");
    if let Some(Value::Object(client)) = client {
        client.remove("caBundle");
    }
    conversion
}

fn is_converted(object: &Value) -> bool {
    is_crd(object) && object["spec"]["conversion"]["strategy"] == "Webhook"
}
