//! Converts objects to the version of a request.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::client_config::Call;
use super::convert::Converter;
use super::failure::Failure;
use super::resource::Resource;
use super::schema::Schema;
use super::state::State;
use super::target::api_version;

impl State {
    /// Converts an object to the version of the resource.
    ///
    /// # Errors
    /// If the conversion fails.
    pub(super) fn to<'a>(
        &self,
        resource: &Resource,
        object: &'a Value,
    ) -> Result<Cow<'a, Value>, Failure> {
        with(resource, object, self.call.as_ref())
    }

    /// Like [`to`](Self::to), for lists and watches.
    ///
    /// # Errors
    /// If the conversion fails: then nothing of the kind can be listed in this version.
    pub(super) fn to_listed<'a>(
        &self,
        resource: &Resource,
        object: &'a Value,
    ) -> Result<Cow<'a, Value>, Failure> {
        let Some(converter) = converter(resource, object, &resource.version) else {
            return Ok(named(resource, object));
        };
        let converted = converter.cached(object, &resource.version, self.call.as_ref())?;
        Ok(Cow::Owned(converted))
    }

    /// Converts an object to its storage version.
    ///
    /// # Errors
    /// If the conversion fails.
    pub(super) fn to_stored(&self, resource: &Resource, object: Value) -> Result<Value, Failure> {
        let stored = resource
            .converter
            .as_ref()
            .map_or(&*resource.version, |known| known.stored());
        match converter(resource, &object, stored) {
            Some(converter) => converter.convert(&object, stored, self.call.as_ref()),
            None => Ok(object),
        }
    }

    /// Converts an object to a version in managed fields, and returns the schema of that version. `None` if the version
    /// is unknown, or only differs by name.
    pub(super) fn to_managed(
        &self,
        resource: &Resource,
        object: &Value,
        to: &str,
    ) -> Option<(Value, Arc<Schema>)> {
        let (_, version) = to.split_once('/')?;
        let converter = resource.converter.as_ref()?;
        let schema = Arc::clone(converter.schema(version)?);
        if object["apiVersion"] == *to {
            return Some((object.clone(), schema));
        }
        let converted = converter.convert(object, version, self.call.as_ref());
        Some((converted.ok()?, schema))
    }
}

/// Like [`State::to`], with another function that calls webhooks.
///
/// # Errors
/// If the conversion fails.
pub(super) fn with<'a>(
    resource: &Resource,
    object: &'a Value,
    call: Option<&Call>,
) -> Result<Cow<'a, Value>, Failure> {
    let Some(converter) = converter(resource, object, &resource.version) else {
        return Ok(named(resource, object));
    };
    let converted = converter.convert(object, &resource.version, call)?;
    Ok(Cow::Owned(converted))
}

/// The converter of an object. `None` if it already has the version, or the versions only differ by name.
fn converter<'a>(resource: &'a Resource, object: &Value, to: &str) -> Option<&'a Arc<Converter>> {
    let converter = resource.converter.as_ref();
    converter.filter(|_| object["apiVersion"] != *api_version(&resource.group, to))
}

/// Sets the `apiVersion` of the resource in an object.
fn named<'a>(resource: &Resource, object: &'a Value) -> Cow<'a, Value> {
    let api_version = resource.api_version();
    let mut object = Cow::Borrowed(object);
    if object["apiVersion"] != *api_version {
        object.to_mut()["apiVersion"] = json!(api_version);
    }
    object
}

/// An object as an item of a list: without `apiVersion` and `kind` if its kind is built in.
pub(super) fn item(resource: &Resource, mut object: Value) -> Value {
    if resource.is_builtin
        && let Some(fields) = object.as_object_mut()
    {
        fields.remove("apiVersion");
        fields.remove("kind");
    }
    object
}
