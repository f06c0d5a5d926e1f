//! What an object of a kind looks like: of a built-in kind from a table, of a custom one from its CRD.

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
    /// Whatever there is.
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
    /// Not at all: the list is one value.
    #[default]
    Atomic,
    /// By their value.
    Set,
    /// By these fields.
    Map(Vec<String>),
}

/// When a field of a built-in kind is in the JSON of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Presence {
    /// If it was given.
    #[default]
    Given,
    /// If it is not the zero value of its type.
    NotZero,
    /// Always, at least with the zero value of its type.
    Always,
    /// Always, with null if it was not given.
    Null,
}

/// A schema.
#[derive(Clone, Debug, Default)]
pub(super) struct Schema {
    pub(super) name: String,
    pub(super) type_: Type,
    pub(super) fields: BTreeMap<String, Field>,
    /// What a map holds under keys that are no fields.
    pub(super) values: Option<Arc<Schema>>,
    pub(super) items: Option<Arc<Schema>>,
    pub(super) list: ListType,
    /// A map or a value of any type that is one value to server-side apply.
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

/// What only schemas of CRDs say.
#[derive(Clone, Debug, Default)]
pub(super) struct Custom {
    /// The schema as it is in the CRD.
    pub(super) source: Value,
    pub(super) keeps_unknown: bool,
    pub(super) is_nullable: bool,
    pub(super) is_embedded: bool,
}

/// The schema of what has none.
pub(super) static ANY: LazyLock<Arc<Schema>> = LazyLock::new(|| Arc::new(Schema::default()));

impl Schema {
    /// The schema of what is in a field or under a key: `None` if there is no such field.
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

    /// Whether it accepts fields that it does not name.
    pub(super) fn keeps_unknown(&self) -> bool {
        self.type_ == Type::Any
            || self
                .custom
                .as_ref()
                .is_some_and(|custom| custom.keeps_unknown)
    }
}
