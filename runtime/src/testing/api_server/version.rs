//! An object in the version of the resource that is asked for.

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
    /// The object in the version of the resource.
    ///
    /// # Errors
    /// It cannot be converted.
    pub(super) fn to<'a>(
        &self,
        resource: &Resource,
        object: &'a Value,
    ) -> Result<Cow<'a, Value>, Failure> {
        with(resource, object, self.call.as_ref())
    }

    /// The same for lists and watches.
    ///
    /// # Errors
    /// It cannot be converted: then nothing of the kind can be listed in this version.
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

    /// The object as it is stored.
    ///
    /// # Errors
    /// It cannot be converted.
    pub(super) fn to_stored(&self, resource: &Resource, object: Value) -> Result<Value, Failure> {
        let stored = resource.converter.as_ref().map(|known| known.stored());
        let stored = stored.unwrap_or(&resource.version);
        match converter(resource, &object, stored) {
            Some(converter) => converter.convert(&object, stored, self.call.as_ref()),
            None => Ok(object),
        }
    }

    /// The object in a version that managed fields name, with its schema: `None` if nothing is known of that, or
    /// the version differs by its name alone.
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

/// The object in the version of the resource, with what calls webhooks.
///
/// # Errors
/// It cannot be converted.
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

/// What converts an object to a version, if it has another and they do not differ by their names alone.
fn converter<'a>(resource: &'a Resource, object: &Value, to: &str) -> Option<&'a Arc<Converter>> {
    let converter = resource.converter.as_ref();
    converter.filter(|_| object["apiVersion"] != *api_version(&resource.group, to))
}

/// The object with the name of the resource's version.
fn named<'a>(resource: &Resource, object: &'a Value) -> Cow<'a, Value> {
    let api_version = resource.api_version();
    let mut object = Cow::Borrowed(object);
    if object["apiVersion"] != *api_version {
        object.to_mut()["apiVersion"] = json!(api_version);
    }
    object
}

/// An object as an item of a list: one of a built-in kind does not say what it is.
pub(super) fn item(resource: &Resource, mut object: Value) -> Value {
    if resource.is_builtin
        && let Some(fields) = object.as_object_mut()
    {
        fields.remove("apiVersion");
        fields.remove("kind");
    }
    object
}
