//! The response of a webhook, as the API server interprets it.

use serde_json::Value;

use crate::testing::api_server::json_patch::operations;

/// The result of a webhook call.
pub(super) enum Verdict {
    /// Allowed, with the operations of a patch.
    Allowed(Vec<Value>),
    /// Denied, with a status.
    Denied(Value),
    /// No response, or an invalid one.
    Failed(String),
}

impl Verdict {
    /// Interprets the response to the review with this uid.
    pub(super) fn read(uid: &str, answer: Result<Value, String>) -> Self {
        match answer.and_then(|answer| checked(uid, answer)) {
            Ok(mut response) if response["allowed"] != true => {
                Self::Denied(response["status"].take())
            }
            Ok(response) => match patch(&response) {
                Ok(patch) => Self::Allowed(patch),
                Err(why) => Self::Failed(why),
            },
            Err(why) => Self::Failed(why),
        }
    }
}

/// The `response` of a review, which must have the uid of the request.
fn checked(uid: &str, mut answer: Value) -> Result<Value, String> {
    let text = |name: &str| answer[name].as_str().unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    if (version, kind) != ("admission.k8s.io/v1", "AdmissionReview") {
        return Err(format!(
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {version}, Kind={kind}"
        ));
    }
    let response = answer["response"].take();
    if response.is_null() {
        return Err("webhook response was absent".to_owned());
    }
    match response["uid"].as_str().unwrap_or_default() {
        got if got == uid => Ok(response),
        got => Err(format!("expected response.uid={uid:?}, got {got:?}")),
    }
}

/// The operations of the patch in a response.
fn patch(response: &Value) -> Result<Vec<Value>, String> {
    let (patch, sort) = (&response["patch"], &response["patchType"]);
    if patch.is_null() && sort.is_null() {
        return Ok(Vec::new());
    }
    if sort != "JSONPatch" {
        return Err(format!(
            "invalid value of webhook response.patchType of {sort}"
        ));
    }
    operations(patch)
}
