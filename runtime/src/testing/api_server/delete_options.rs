//! The options of a deletion.

use serde_json::{Value, json};

use super::failure::{Failure, FieldError, Wrong};
use super::request::ResourceRequest;
use super::resource::Resource;

/// Reads the options of a deletion from the body and the query.
pub(super) fn options(request: &ResourceRequest) -> Result<Value, Failure> {
    let mut options = match &*request.body {
        [] => json!({}),
        body => {
            serde_json::from_slice(body).map_err(|error| Failure::bad_request(error.to_string()))?
        }
    };
    let query = &request.query;
    if !query.get("propagationPolicy").is_empty() {
        options["propagationPolicy"] = json!(query.get("propagationPolicy"));
    }
    if let Ok(seconds) = query.get("gracePeriodSeconds").parse::<i64>() {
        options["gracePeriodSeconds"] = json!(seconds);
    }
    if request.is_dry_run() {
        options["dryRun"] = json!(["All"]);
    }
    let policy = &options["propagationPolicy"];
    if let Some(unknown) = policy
        .as_str()
        .filter(|policy| !matches!(*policy, "Background" | "Foreground" | "Orphan"))
    {
        let detail = "supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"";
        let error = FieldError::new(
            Wrong::NotSupported,
            "propagationPolicy",
            json!(unknown),
            detail,
        );
        return Err(Failure::invalid(
            ("meta.k8s.io", "DeleteOptions"),
            "",
            vec![error],
        ));
    }
    Ok(options)
}

/// Fails if the object does not match the preconditions of the deletion.
pub(super) fn check_preconditions(
    resource: &Resource,
    live: &Value,
    options: &Value,
) -> Result<(), Failure> {
    let metadata = &live["metadata"];
    let name = metadata["name"].as_str().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let preconditions = &options["preconditions"];
    let kind = (&*resource.group, &*resource.kind);
    if preconditions["uid"].is_string() && preconditions["uid"] != metadata["uid"] {
        let text = format!(
            "the UID in the precondition ({}) does not match the UID in record ({}). The object might have been deleted and then recreated",
            text(&preconditions["uid"]),
            text(&metadata["uid"])
        );
        return Err(Failure::conflict(kind, name, &text));
    }
    if preconditions["resourceVersion"].is_string()
        && preconditions["resourceVersion"] != metadata["resourceVersion"]
    {
        let text = format!(
            "the ResourceVersion in the precondition ({}) does not match the ResourceVersion in record ({}). The object might have been modified",
            text(&preconditions["resourceVersion"]),
            text(&metadata["resourceVersion"])
        );
        return Err(Failure::conflict(kind, name, &text));
    }
    Ok(())
}

/// If the deletion itself removes the last finalizer, the API server no longer knows the revision of the precondition,
/// and rejects any.
pub(super) fn check_last(
    resource: &Resource,
    key: &str,
    live: &Value,
    options: &Value,
) -> Result<(), Failure> {
    if !options["preconditions"]["resourceVersion"].is_string() {
        return Ok(());
    }
    let metadata = &live["metadata"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let folder = super::metadata::folder(resource);
    let message = format!(
        "StorageError: invalid object, Code: 4, Key: /registry/{folder}/{key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: {}",
        text(&metadata["resourceVersion"])
    );
    Err(Failure::conflict(
        resource.id(),
        &text(&metadata["name"]),
        &message,
    ))
}
