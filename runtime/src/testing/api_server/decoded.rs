//! Decodes an object from a request: prunes it and sets defaults.

use serde_json::{Map, Value, json};

use super::builtin_defaults;
use super::failure::Failure;
use super::resource::Resource;
use super::schema::decode::{Findings, decode, fill};
use super::schema::{builtin, defaults, prune};

/// An object, and its unknown fields.
pub(super) struct Decoded {
    pub(super) object: Value,
    pub(super) unknown: Vec<String>,
}

impl Decoded {
    /// The error of strict validation if there are unknown fields.
    pub(super) fn strictly(&self) -> Result<(), String> {
        if self.unknown.is_empty() {
            return Ok(());
        }
        let unknown: Vec<_> = self
            .unknown
            .iter()
            .map(|path| format!("unknown field {path:?}"))
            .collect();
        Err(format!("strict decoding error: {}", unknown.join(", ")))
    }
}

/// Decodes an object.
///
/// # Errors
/// If a value does not have the type of its field.
pub(super) fn decoded(resource: &Resource, given: Value) -> Result<Decoded, String> {
    let mut found = Findings::default();
    let mut object = if resource.is_builtin {
        decode(&resource.schema, given, &mut found)?
    } else {
        custom(resource, given, &mut found)?
    };
    object["apiVersion"] = json!(resource.api_version());
    object["kind"] = json!(resource.kind);
    defaults::fill(&resource.schema, &mut object);
    if resource.is_builtin {
        builtin_defaults::fill(resource, &mut object);
    }
    Ok(Decoded {
        object,
        unknown: found.unknown,
    })
}

/// Decodes an object again after an apply was merged into it.
///
/// # Errors
/// If a value does not have the type of its field.
pub(super) fn applied(resource: &Resource, mut object: Value) -> Result<Value, String> {
    if resource.is_builtin {
        return Ok(decoded(resource, object)?.object);
    }
    let schema = builtin::named("ObjectMeta");
    let metadata = object["metadata"].take();
    object["metadata"] = decode(&schema, metadata, &mut Findings::default())?;
    defaults::fill_applied(&resource.schema, &mut object);
    Ok(object)
}

/// Removes unknown fields that a webhook has added, as when the object is read again. Returns whether there were any.
pub(super) fn prune_admitted(resource: &Resource, object: &mut Value) -> bool {
    !resource.is_builtin && !prune::prune(&resource.schema, object).is_empty()
}

/// Decodes an object that a webhook has changed. Its unknown fields are only pruned when it is stored.
///
/// # Errors
/// If a value does not have the type of its field.
pub(super) fn admitted(resource: &Resource, mut object: Value) -> Result<Value, String> {
    if resource.is_builtin {
        return Ok(decoded(resource, object)?.object);
    }
    defaults::fill_applied(&resource.schema, &mut object);
    Ok(object)
}

fn custom(resource: &Resource, mut given: Value, found: &mut Findings) -> Result<Value, String> {
    let schema = builtin::named("ObjectMeta");
    let mut of_metadata = Findings::default();
    let metadata = match given["metadata"].take() {
        Value::Null => json!({}),
        metadata => decode(&schema, metadata, &mut of_metadata)?,
    };
    let unknown = of_metadata.unknown.into_iter();
    found
        .unknown
        .extend(unknown.map(|path| format!("metadata.{path}")));
    given["metadata"] = metadata;
    found
        .unknown
        .extend(prune::prune(&resource.schema, &mut given));
    Ok(given)
}

/// An empty object of the kind.
pub(super) fn empty(resource: &Resource) -> Value {
    let mut fields = Map::new();
    if resource.is_builtin {
        fill(&resource.schema, &mut fields);
    }
    fields.insert("apiVersion".to_owned(), json!(resource.api_version()));
    fields.insert("kind".to_owned(), json!(resource.kind));
    Value::Object(fields)
}

/// A bookmark of a built-in kind, with the fields that its objects always have.
pub(super) fn bookmark(resource: &Resource, object: Value) -> Value {
    let mut fields = empty(resource);
    fields["metadata"] = object["metadata"].clone();
    if matches!(
        &*resource.plural,
        "deployments" | "replicasets" | "statefulsets"
    ) {
        fields["spec"]["replicas"] = json!(0);
    }
    fields
}

/// Parses the body of a request as an object of a resource.
///
/// # Errors
/// If it is not JSON, is of another kind, or does not match its kind.
pub(super) fn body(resource: &Resource, bytes: &[u8], validation: &str) -> Result<Value, Failure> {
    let kind = &resource.kind;
    let given: Value = serde_json::from_slice(bytes).map_err(|error| {
        Failure::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; json parse error: {error}"
        ))
    })?;
    let (api_version, version) = (resource.api_version(), &resource.version);
    let text = |name: &str| given[name].as_str().unwrap_or_default().to_owned();
    let (of_version, of_kind) = (text("apiVersion"), text("kind"));
    if !of_version.is_empty() && of_version != api_version {
        return Err(Failure::bad_request(format!(
            "the API version in the data ({of_version}) does not match the expected API version ({api_version})"
        )));
    }
    if !of_kind.is_empty() && of_kind != *kind {
        return Err(Failure::bad_request(format!(
            "{of_kind} in version {version:?} cannot be handled as a {kind}: converting ({of_version}.{of_kind}) to ({api_version}.{kind}): unknown conversion"
        )));
    }
    if of_kind.is_empty() && !resource.is_builtin {
        let body = String::from_utf8_lossy(bytes);
        let start = match bytes.len() {
            0..=30 => body.to_string(),
            _ => format!("{} ...", String::from_utf8_lossy(&bytes[..30])),
        };
        if validation == "Ignore" {
            return Err(Failure::bad_request(format!(
                "{kind} in version {version:?} cannot be handled as a {kind}: Object 'Kind' is missing in '{body}'"
            )));
        }
        return Err(Failure::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): Object 'Kind' is missing in '{body}' ({start})"
        )));
    }
    let cannot = |error: &str| {
        Failure::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {kind}: {error}"
        ))
    };
    let decoded = decoded(resource, given).map_err(|error| cannot(&error))?;
    if validation == "Strict" {
        decoded.strictly().map_err(|error| cannot(&error))?;
    }
    Ok(decoded.object)
}
