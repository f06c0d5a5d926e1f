//! A blob of a catalog: a document with a `schema`.

use serde_json::Value;

use crate::yaml::{Located, Place};

pub(in crate::olm::catalog) const PACKAGE: &str = "olm.package";
pub(in crate::olm::catalog) const CHANNEL: &str = "olm.channel";
pub(in crate::olm::catalog) const BUNDLE: &str = "olm.bundle";
pub(in crate::olm::catalog) const DEPRECATIONS: &str = "olm.deprecations";

/// A document of a file of the catalog.
#[derive(Clone, Debug)]
pub(in crate::olm::catalog) struct Blob {
    /// The file that it is in.
    pub(in crate::olm::catalog) file: String,
    document: Located,
}

impl Blob {
    pub(in crate::olm::catalog) fn new(file: &str, document: Located) -> Self {
        Self {
            file: file.to_owned(),
            document,
        }
    }

    pub(in crate::olm::catalog) fn value(&self) -> &Value {
        &self.document.value
    }

    pub(in crate::olm::catalog) fn schema(&self) -> &str {
        self.text("/schema")
    }

    /// The string at a JSON pointer; empty if missing, as in Go.
    pub(in crate::olm::catalog) fn text(&self, pointer: &str) -> &str {
        let value = self.value().pointer(pointer);
        value.and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether there is no value, null or an empty string at a pointer.
    pub(in crate::olm::catalog) fn lacks(&self, pointer: &str) -> bool {
        match self.value().pointer(pointer) {
            None | Some(Value::Null) => true,
            Some(value) => value == "",
        }
    }

    /// The members of a list at a pointer.
    pub(in crate::olm::catalog) fn items(&self, pointer: &str) -> &[Value] {
        let value = self.value().pointer(pointer).and_then(Value::as_array);
        value.map(Vec::as_slice).unwrap_or_default()
    }

    /// Where a part is, or what is closest around it.
    pub(in crate::olm::catalog) fn place(&self, pointer: &str) -> &Place {
        self.document.place.find(pointer)
    }

    /// Where exactly this part is.
    pub(in crate::olm::catalog) fn exact_place(&self, pointer: &str) -> Option<&Place> {
        self.document.place.get(pointer)
    }

    pub(in crate::olm::catalog) fn name(&self) -> &str {
        self.text("/name")
    }

    /// The package that it belongs to.
    pub(in crate::olm::catalog) fn package(&self) -> &str {
        match self.schema() {
            PACKAGE => self.name(),
            _ => self.text("/package"),
        }
    }
}

/// The text of a field of an object, as Go reads it.
pub(in crate::olm::catalog) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// The name of a field for people: `entries[0].name` for `/entries/0/name`.
pub(in crate::olm::catalog) fn field(pointer: &str) -> String {
    let mut field = String::new();
    for part in pointer.split('/').skip(1) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            field.extend(["[", part, "]"]);
        } else if field.is_empty() {
            field.push_str(part);
        } else {
            field.extend([".", part]);
        }
    }
    field
}
