//! Patches objects: merges, JSON patches and server-side applies.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::decoded::{applied as applied_object, decoded, empty};
use super::failure::{Failure, FieldError};
use super::json_patch;
use super::managed::{Managed, Manager, Scope};
use super::request::ResourceRequest;
use super::resource::Resource;
use super::state::State;
use super::store::key;
use super::write::unmanaged;
use super::{metadata, strategy};

/// The kinds of patches.
const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";
const JSON: &str = "application/json-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

impl State {
    /// Patches an object. Returns whether it was created.
    pub(super) fn patch(&mut self, request: &ResourceRequest) -> Result<(bool, Value), Failure> {
        let resource = &request.resource;
        let kind = &*request.content_type;
        let is_known =
            matches!(kind, APPLY | MERGE | JSON) || (kind == STRATEGIC && resource.is_builtin);
        if !is_known {
            let accepted = if resource.is_builtin {
                "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml"
            } else {
                "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
            };
            let text = format!(
                "the body of the request was in an unknown format - accepted media types include: {accepted}"
            );
            return Err(Failure::new(415, "UnsupportedMediaType", text));
        }
        check_options(request)?;
        let live = self
            .store
            .get(&resource.storage(), &key(&request.namespace, &request.name))
            .cloned();
        if kind == APPLY {
            return self.apply(request, live.as_deref());
        }
        let live = live.ok_or_else(|| Failure::not_found(resource.id(), &request.name))?;
        let live = self.to(resource, &live)?;
        let current = match &*request.subresource {
            "scale" => Cow::Owned(super::scale::of(resource, &live)),
            _ => Cow::Borrowed(&*live),
        };
        let patch: Value = serde_json::from_slice(&request.body)
            .map_err(|error| Failure::bad_request(format!("error decoding patch: {error}")))?;
        let patched = match kind {
            JSON => json_patch::apply(&current, &patch)?,
            _ => merged(&current, &patch)?,
        };
        if request.subresource == "scale" {
            return self
                .set_scale(request, &patched)
                .map(|scale| (false, scale));
        }
        let text = patched.to_string();
        let invalid = |error: String| {
            let error = FieldError::invalid("patch", json!(text), error);
            Failure::invalid(("", ""), "", vec![error])
        };
        let decoded = decoded(resource, patched).map_err(invalid)?;
        if request.query.get("fieldValidation") == "Strict" {
            decoded.strictly().map_err(invalid)?;
        }
        let mut object = decoded.object;
        let mut managed = Managed::of_update(&live, &object, !request.subresource.is_empty());
        let reset = strategy::reset(resource, &request.subresource);
        self.manage(request, &mut managed, &current, &mut object, &reset);
        metadata::set_namespace(request, &mut object)?;
        metadata::check_name(request, &object)?;
        self.replace(request, &live, object)
            .map(|object| (false, object))
    }

    fn apply(
        &mut self,
        request: &ResourceRequest,
        live: Option<&Value>,
    ) -> Result<(bool, Value), Failure> {
        let resource = &request.resource;
        let applied: Value = parse(&request.body)
            .map_err(|error| Failure::bad_request(format!("error decoding YAML: {error}")))?;
        let api_version = resource.api_version();
        check_kind(request, &applied, &api_version)?;
        let current = match live {
            Some(live) => self.to(resource, live)?,
            None if request.subresource.is_empty() || strategy::creates_on_update(resource) => {
                Cow::Owned(empty(resource))
            }
            None => return Err(Failure::not_found(resource.id(), &request.name)),
        };
        let now = self.clock.seconds();
        let reset = strategy::reset(resource, &request.subresource);
        let scope = Scope {
            schema: &resource.schema,
            api_version: &api_version,
            now: &now,
            reset: &reset,
            versions: &|object, to| self.to_managed(resource, object, to),
        };
        let mut managed = Managed::of(&current).unwrap_or_default();
        let bare = unmanaged(&current);
        if managed.is_empty() && live.is_some() {
            let before =
                Manager::updating("before-first-apply", &api_version, &request.subresource);
            managed.update(&scope, &empty(resource), &bare, before);
        }
        let manager = Manager::applying(request.query.get("fieldManager"), &request.subresource);
        let force = request.query.is_set("force");
        let changed = managed.apply(&scope, &bare, &applied, manager, force)?;
        let as_stored = changed.as_ref().map(|object| object["metadata"].clone());
        let mut object = match changed {
            Some(object) => {
                let whose = format!("{}/{}", text(&applied, "namespace"), text(&applied, "name"));
                applied_object(resource, object)
                    .map_err(|error| Failure::internal(not_converted(resource, &whose, &error)))?
            }
            None => bare,
        };
        let is_settled = resource.is_builtin || as_stored.is_none_or(|it| it == object["metadata"]);
        managed.write(&mut object);
        metadata::set_namespace(request, &mut object)?;
        metadata::check_name(request, &object)?;
        let is_new = live.is_none();
        let object = if live.is_some() {
            self.replace(request, &current, object)?
        } else {
            metadata::has_no_uid(request, &object)?;
            self.may_create(request)?;
            self.insert(request, object)?
        };
        if !is_settled && !request.is_dry_run() {
            let place = (resource.storage(), key(&request.namespace, &request.name));
            self.unsettled.insert(place);
        }
        Ok((is_new, object))
    }
}

/// Parses an apply: JSON, which is valid YAML.
fn parse(body: &[u8]) -> Result<Value, String> {
    if let Ok(value) = serde_json::from_slice(body) {
        return Ok(value);
    }
    let text = std::str::from_utf8(body).map_err(|error| error.to_string())?;
    serde_saphyr::from_str(text).map_err(|error| error.to_string())
}

fn check_options(request: &ResourceRequest) -> Result<(), Failure> {
    let is_apply = request.content_type == APPLY;
    let error = if is_apply && request.query.get("fieldManager").is_empty() {
        FieldError::required("fieldManager", "is required for apply patch")
    } else if !is_apply && !request.query.get("force").is_empty() {
        FieldError::forbidden("force", "may not be specified for non-apply patch")
    } else {
        return Ok(());
    };
    Err(Failure::invalid(
        ("meta.k8s.io", "PatchOptions"),
        "",
        vec![error],
    ))
}

fn check_kind(
    request: &ResourceRequest,
    applied: &Value,
    api_version: &str,
) -> Result<(), Failure> {
    let text = |name: &str| applied[name].as_str().unwrap_or_default();
    if text("kind") == request.resource.kind && text("apiVersion") == api_version {
        let is_managed = !applied["metadata"]["managedFields"].is_null();
        return if is_managed {
            Err(Failure::bad_request("metadata.managedFields must be nil"))
        } else {
            Ok(())
        };
    }
    let of = match text("apiVersion") {
        "" => "/".to_owned(),
        version if version.contains('/') => version.to_owned(),
        version => format!("/{version}"),
    };
    Err(Failure::bad_request(format!(
        "invalid object type: {of}, Kind={}",
        text("kind")
    )))
}

/// A JSON merge patch.
fn merged(object: &Value, patch: &Value) -> Result<Value, Failure> {
    if !patch.is_object() {
        return Err(Failure::bad_request(
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ));
    }
    let mut object = object.clone();
    merge(&mut object, patch);
    Ok(object)
}

fn merge(into: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        into.clone_from(patch);
        return;
    };
    if !into.is_object() {
        *into = json!({});
    }
    let Value::Object(fields) = into else {
        return;
    };
    for (name, value) in patch {
        match fields.get_mut(name) {
            _ if value.is_null() => {
                fields.remove(name);
            }
            Some(known @ Value::Object(_)) if value.is_object() => merge(known, value),
            Some(known @ Value::Object(_)) => known.clone_from(value),
            _ => {
                fields.insert(name.clone(), without_nulls(value));
            }
        }
    }
}

/// The value without null fields in its objects.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            fields
                .map(|(name, value)| (name.clone(), without_nulls(value)))
                .collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        value => value.clone(),
    }
}

fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// The error of a merged object that does not match its kind.
fn not_converted(resource: &Resource, whose: &str, error: &str) -> String {
    let (group, version, kind) = (&resource.group, &resource.version, &resource.kind);
    let kind = format!("{group}/{version}, Kind={kind}");
    format!(
        "failed to convert new object ({whose}; {kind}) to proper version: unable to convert unstructured \
         object to {kind}: error decoding from json: {error}"
    )
}
