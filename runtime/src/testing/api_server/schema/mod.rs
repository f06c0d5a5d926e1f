//! The schemas of kinds: from a table for built-in kinds, from the CRD for custom ones.

pub(super) mod builtin;
mod bytes;
pub(super) mod crd;
pub(super) mod decode;
pub(super) mod defaults;
pub(super) mod prune;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::Value;

/// The type of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Type {
    /// Any type.
    #[default]
    Any,
    Object,
    List,
    String,
    Bytes,
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    Bool,
    Int32,
    Int64,
    Number,
}

/// How the items of a list are identified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum ListType {
    /// Not identified: the list is one value.
    #[default]
    Atomic,
    /// By their value.
    Set,
    /// By these fields.
    Map(Vec<String>),
}

/// When a field of a built-in kind is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Presence {
    /// If it was set.
    #[default]
    Given,
    /// Unless it is the zero value of its type.
    NotZero,
    /// Always, by default with the zero value of its type.
    Always,
    /// Always, by default with null.
    Null,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Schema {
    pub(super) name: String,
    pub(super) type_: Type,
    pub(super) fields: BTreeMap<String, Field>,
    /// The schema of map values, and of fields that are not listed.
    pub(super) values: Option<Arc<Schema>>,
    pub(super) items: Option<Arc<Schema>>,
    pub(super) list: ListType,
    /// Whether server-side apply treats the map, or the value of any type, as one value.
    pub(super) is_atomic: bool,
    pub(super) custom: Option<Box<Custom>>,
}

/// A field of an object.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) schema: Arc<Schema>,
    pub(super) presence: Presence,
    pub(super) default: Option<Value>,
}

/// The parts that only schemas of CRDs have.
#[derive(Clone, Debug, Default)]
pub(super) struct Custom {
    /// The schema as it is in the CRD.
    pub(super) source: Value,
    pub(super) keeps_unknown: bool,
    pub(super) is_nullable: bool,
    pub(super) is_embedded: bool,
}

/// The schema of untyped values.
pub(super) static ANY: LazyLock<Arc<Schema>> = LazyLock::new(|| Arc::new(Schema::default()));

impl Schema {
    /// The schema of a field or map value. `None` if there is no such field.
    pub(super) fn child(&self, key: &str) -> Option<&Arc<Schema>> {
        match self.fields.get(key) {
            Some(field) => Some(&field.schema),
            None => self.values.as_ref(),
        }
    }

    /// The schema of the items of a list.
    pub(super) fn item(&self) -> &Arc<Schema> {
        self.items.as_ref().unwrap_or(&ANY)
    }

    /// Whether it keeps unknown fields.
    pub(super) fn keeps_unknown(&self) -> bool {
        self.type_ == Type::Any
            || self
                .custom
                .as_ref()
                .is_some_and(|custom| custom.keeps_unknown)
    }
}
