//! Metadata rules of all objects.

use serde_json::{Value, json};

use super::failure::Failure;
use super::request::ResourceRequest;
use super::resource::Resource;

/// Sets the namespace of the request in an object.
///
/// # Errors
/// If the object has another namespace.
pub(super) fn set_namespace(request: &ResourceRequest, object: &mut Value) -> Result<(), Failure> {
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    let given = object["metadata"]["namespace"].as_str().unwrap_or_default();
    match (given, &*request.namespace) {
        (given, expected) if given == expected => {}
        ("", expected) => object["metadata"]["namespace"] = json!(expected),
        (_, "") => {
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove("namespace");
            }
        }
        _ => {
            let text = "the namespace of the provided object does not match the namespace sent on the request";
            return Err(Failure::bad_request(text));
        }
    }
    Ok(())
}

/// Fails if the object has another name than the request.
pub(super) fn check_name(request: &ResourceRequest, object: &Value) -> Result<(), Failure> {
    let (name, expected) = (
        object["metadata"]["name"].as_str().unwrap_or_default(),
        &request.name,
    );
    if name.is_empty() {
        let text = format!(
            "name must be provided: the name of the object ({name} based on URL) was undeterminable: name must be provided"
        );
        return Err(Failure::bad_request(text.replace(
            &format!("name must be provided: the name of the object ({name} based"),
            &format!("the name of the object ({expected} based"),
        )));
    }
    if name != expected {
        let text = format!(
            "the name of the object ({name}) does not match the name on the URL ({expected})"
        );
        return Err(Failure::bad_request(text));
    }
    Ok(())
}

/// Fails if an object to create has a uid, as after its deletion.
pub(super) fn has_no_uid(request: &ResourceRequest, object: &Value) -> Result<(), Failure> {
    let Some(uid) = object["metadata"]["uid"].as_str() else {
        return Ok(());
    };
    let text = format!(
        "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
    );
    Err(Failure::conflict(
        request.resource.id(),
        &request.name,
        &text,
    ))
}

/// Fails if an object has another uid than the live one.
pub(super) fn check_uid(
    request: &ResourceRequest,
    live: &Value,
    object: &Value,
) -> Result<(), Failure> {
    let (uid, of_live) = (&object["metadata"]["uid"], &live["metadata"]["uid"]);
    if uid.is_null() || uid == of_live {
        return Ok(());
    }
    let text = precondition(request, uid, of_live);
    Err(Failure::conflict(
        request.resource.id(),
        &request.name,
        &text,
    ))
}

/// The message for a uid that does not match.
pub(super) fn precondition(request: &ResourceRequest, expected: &Value, of_live: &Value) -> String {
    let text = |uid: &Value| uid.as_str().unwrap_or_default().to_owned();
    let resource = &request.resource;
    let folder = folder(resource);
    let key = super::store::key(&request.namespace, &request.name);
    format!(
        "StorageError: invalid object, Code: 4, Key: /registry/{folder}/{key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in object meta: {}",
        text(expected),
        text(of_live)
    )
}

/// The key prefix of these objects in etcd.
pub(super) fn folder(resource: &Resource) -> String {
    match (&*resource.group, &*resource.plural) {
        ("", "services") => "services/specs".to_owned(),
        ("", "endpoints") => "services/endpoints".to_owned(),
        (group, plural) if !resource.is_builtin => format!("{group}/{plural}"),
        (_, plural) => plural.to_owned(),
    }
}

/// Copies the immutable fields from the old object.
pub(super) fn keep(old: &Value, object: &mut Value) {
    let (old, new) = (&old["metadata"], &mut object["metadata"]);
    for (field, always) in [
        ("generation", true),
        ("uid", false),
        ("creationTimestamp", true),
        ("deletionTimestamp", true),
        ("deletionGracePeriodSeconds", false),
    ] {
        let known = old.get(field);
        let is_given = new.get(field).is_some();
        match known {
            Some(known) if always || !is_given => new[field] = known.clone(),
            None if field == "generation" => {
                if let Some(new) = new.as_object_mut() {
                    new.remove(field);
                }
            }
            _ => {}
        }
    }
}

/// Whether an object is being deleted and has no finalizers left.
pub(super) fn is_finished(object: &Value) -> bool {
    let metadata = &object["metadata"];
    let is_held = metadata["finalizers"]
        .as_array()
        .is_some_and(|list| !list.is_empty());
    let is_graceful = metadata["deletionGracePeriodSeconds"]
        .as_i64()
        .is_some_and(|left| left > 0);
    !metadata["deletionTimestamp"].is_null() && !is_held && !is_graceful
}

pub(super) fn finalizers(object: &Value) -> Vec<&str> {
    let list = object["metadata"]["finalizers"].as_array();
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}
