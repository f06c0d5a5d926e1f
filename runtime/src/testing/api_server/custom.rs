//! The rules of a CRD for the objects of one version, without a server.

use std::sync::Arc;

use serde_json::{Value, json};

use super::failure::FieldError;
use super::resource::{Resource, Resources};
use super::schema::{ListType, Schema, defaults, prune};
use super::{structural, valid_custom};

/// The objects of a version of a custom kind.
pub(crate) struct Custom(Arc<Resource>);

impl Custom {
    /// A version of a CRD, served or not. `None` if the CRD does not have it.
    pub(crate) fn of(crd: &Value, version: &str) -> Option<Self> {
        let mut crd = crd.clone();
        let versions = crd["spec"]["versions"].as_array_mut()?;
        for version in versions {
            version["served"] = json!(true);
        }
        let mut resources = Resources::default();
        resources.add_crd(&crd);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (group, plural) = (
            text(&crd["spec"]["group"]),
            text(&crd["spec"]["names"]["plural"]),
        );
        resources.find(&group, version, &plural).map(Self)
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.0.is_namespaced
    }

    /// Its schema, as it is in the CRD.
    pub(crate) fn schema(&self) -> &Value {
        let custom = self.0.schema.custom.as_ref();
        custom.map_or(&Value::Null, |custom| &custom.source)
    }

    /// Sets the defaults.
    pub(crate) fn fill(&self, object: &mut Value) {
        defaults::fill(&self.0.schema, object);
    }

    /// The paths of the fields of an object that its schema does not have.
    pub(crate) fn unknown(&self, object: &Value) -> Vec<String> {
        prune::prune(&self.0.schema, &mut object.clone())
    }

    /// The violations of the schema and of the rules in it.
    pub(crate) fn invalid(&self, object: &Value) -> Vec<String> {
        let errors = valid_custom::check(&self.0, object, None);
        errors.iter().map(FieldError::text).collect()
    }

    /// The violations of the schema, without those of the rules in it.
    pub(crate) fn misshapen(&self, object: &Value) -> Vec<String> {
        let errors = structural::check(&self.0.schema, object, None);
        errors.iter().map(FieldError::text).collect()
    }
}

/// The fields that identify an item of a list. `None` if items need not be unique.
pub(crate) fn unique_by(schema: &Value) -> Option<Vec<String>> {
    let Schema { list, .. } = super::schema::crd::plain(schema);
    match list {
        ListType::Atomic => None,
        ListType::Set => Some(Vec::new()),
        ListType::Map(keys) => Some(keys),
    }
}
