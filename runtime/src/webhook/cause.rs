//! Errors of fields, in the format of Kubernetes (`k8s.io/apimachinery/pkg/util/validation/field`).

use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

/// An error of a field. Displayed like the errors of the API server for built-in kinds.
///
/// ```
/// use rop_runtime::webhook::Review;
///
/// let mut review = Review::new();
/// review.invalid("spec.replicas", 60, "at most 50");
/// let cause = &review.causes()[0];
/// assert_eq!(cause.to_string(), "spec.replicas: Invalid value: 60: at most 50");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Cause {
    field: String,
    reason: &'static str,
    message: String,
}

impl Cause {
    pub(super) fn new(field: &str, reason: &'static str, message: String) -> Self {
        Self {
            field: field.to_owned(),
            reason,
            message,
        }
    }

    /// Returns the path of the field, such as `spec.ports[0].name`.
    ///
    /// ```
    /// # use rop_runtime::webhook::Cause;
    /// fn is_of_spec(cause: &Cause) -> bool {
    ///     cause.field().starts_with("spec")
    /// }
    /// ```
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns the reason, such as `FieldValueInvalid`.
    ///
    /// ```
    /// # use rop_runtime::webhook::Cause;
    /// fn is_missing(cause: &Cause) -> bool {
    ///     cause.reason() == "FieldValueRequired"
    /// }
    /// ```
    pub fn reason(&self) -> &str {
        self.reason
    }

    /// The cause in the details of a status.
    pub(super) fn to_json(&self) -> Value {
        json!({ "reason": self.reason, "message": self.message, "field": self.field })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// A value as shown to the user.
pub(super) fn shown(value: impl Serialize) -> String {
    serde_json::to_string(&value).unwrap_or_else(|_| "<unknown>".to_owned())
}
