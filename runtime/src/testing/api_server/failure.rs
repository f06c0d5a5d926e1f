//! Errors of requests.

use std::borrow::Cow;

use serde_json::{Value, json};

/// The error of a request, as a Status.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failure {
    pub(super) code: u16,
    pub(super) reason: Cow<'static, str>,
    pub(super) message: String,
    details: Box<Value>,
}

impl Failure {
    pub(super) fn new(
        code: u16,
        reason: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            reason: reason.into(),
            message: message.into(),
            details: Box::default(),
        }
    }

    pub(super) fn with_details(mut self, details: Value) -> Self {
        self.details = Box::new(details);
        self
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    pub(super) fn internal(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(500, "", message)
    }

    /// The error of a request that depends on something that is missing.
    pub(super) fn missing_prerequisite(why: &str) -> Self {
        let message = format!("Internal error occurred: {why}");
        let details = json!({ "causes": [{ "message": why }] });
        Self::new(500, "InternalError", message).with_details(details)
    }

    /// The error of a webhook that denies a request, with its status: `ToStatusErr` of the API server.
    pub(super) fn denied(webhook: &str, status: &Value) -> Self {
        let text = |name: &str| status[name].as_str().unwrap_or_default();
        let code = status["code"]
            .as_u64()
            .and_then(|code| u16::try_from(code).ok());
        let by = format!("admission webhook {webhook:?} denied the request");
        let message = match (text("message"), text("reason")) {
            ("", "") => format!("{by} without explanation"),
            ("", reason) => format!("{by}: {reason}"),
            (message, _) => format!("{by}: {message}"),
        };
        let code = code.filter(|code| *code >= 400).unwrap_or(400);
        Self::new(code, text("reason").to_owned(), message).with_details(status["details"].clone())
    }

    /// An error about an object of a resource: `configmaps "a" not found`.
    pub(super) fn about(
        code: u16,
        reason: &'static str,
        (group, resource): (&str, &str),
        name: &str,
        text: &str,
    ) -> Self {
        let full = qualified(group, resource);
        let message = match code {
            409 if reason == "Conflict" => {
                format!("Operation cannot be fulfilled on {full} {name:?}: {text}")
            }
            _ => format!("{full} {name:?} {text}"),
        };
        let mut details = json!({ "name": name, "kind": resource });
        if !group.is_empty() {
            details["group"] = json!(group);
        }
        Self::new(code, reason, message).with_details(details)
    }

    pub(super) fn not_found(resource: (&str, &str), name: &str) -> Self {
        Self::about(404, "NotFound", resource, name, "not found")
    }

    pub(super) fn already_exists(resource: (&str, &str), name: &str) -> Self {
        Self::about(409, "AlreadyExists", resource, name, "already exists")
    }

    pub(super) fn conflict(resource: (&str, &str), name: &str, text: &str) -> Self {
        Self::about(409, "Conflict", resource, name, text)
    }

    /// The object was changed since it was read.
    pub(super) fn outdated(resource: (&str, &str), name: &str) -> Self {
        let text = "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(resource, name, text)
    }

    /// The error of an invalid object, with the error of each field.
    pub(super) fn invalid(
        (group, kind): (&str, &str),
        name: &str,
        errors: Vec<FieldError>,
    ) -> Self {
        let mut texts = errors.iter().map(FieldError::text).collect::<Vec<_>>();
        texts.dedup();
        let text = match &*texts {
            [only] => only.clone(),
            texts => format!("[{}]", texts.join(", ")),
        };
        let causes = errors.iter().map(|error| {
            json!({ "reason": error.kind.reason(), "message": error.body(), "field": error.field })
        });
        let mut details = json!({ "causes": causes.collect::<Vec<_>>() });
        if !kind.is_empty() {
            details["kind"] = json!(kind);
        }
        if !name.is_empty() {
            details["name"] = json!(name);
        }
        if !group.is_empty() {
            details["group"] = json!(group);
        }
        let message = format!("{} {name:?} is invalid: {text}", qualified(group, kind));
        Self::new(422, "Invalid", message).with_details(details)
    }

    pub(super) fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if !self.reason.is_empty() {
            status["reason"] = json!(self.reason);
        }
        if !self.details.is_null() {
            status["details"] = (*self.details).clone();
        }
        status
    }
}

/// A resource or kind with its group, as in messages.
fn qualified(group: &str, resource: &str) -> String {
    match group {
        "" => resource.to_owned(),
        group => format!("{resource}.{group}"),
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldError {
    pub(super) field: String,
    pub(super) kind: Wrong,
    pub(super) value: Value,
    pub(super) detail: String,
}

/// The type of an error of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    Required,
    Invalid,
    /// Invalid, but the value is too large for the message.
    OfObject,
    Type,
    NotSupported,
    Forbidden,
    Duplicate,
    TooLong,
    TooMany,
}

impl Wrong {
    fn reason(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Invalid | Self::OfObject => "FieldValueInvalid",
            Self::Type => "FieldValueTypeInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::Duplicate => "FieldValueDuplicate",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Invalid | Self::OfObject | Self::Type => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::Duplicate => "Duplicate value",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
        }
    }
}

impl FieldError {
    pub(super) fn new(kind: Wrong, field: &str, value: Value, detail: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            kind,
            value,
            detail: detail.into(),
        }
    }

    pub(super) fn required(field: &str, detail: &str) -> Self {
        Self::new(Wrong::Required, field, Value::Null, detail)
    }

    pub(super) fn forbidden(field: &str, detail: &str) -> Self {
        Self::new(Wrong::Forbidden, field, Value::Null, detail)
    }

    pub(super) fn invalid(field: &str, value: Value, detail: impl Into<String>) -> Self {
        Self::new(Wrong::Invalid, field, value, detail)
    }

    pub(super) fn text(&self) -> String {
        format!("{}: {}", self.field, self.body())
    }

    fn body(&self) -> String {
        let text = self.kind.text();
        let mut body = match self.kind {
            Wrong::Required | Wrong::Forbidden | Wrong::TooLong | Wrong::OfObject => {
                text.to_owned()
            }
            _ => format!("{text}: {}", self.shown()),
        };
        if !self.detail.is_empty() {
            body = format!("{body}: {}", self.detail);
        }
        body
    }

    /// The value in the message.
    fn shown(&self) -> String {
        match &self.value {
            Value::String(text) => format!("{text:?}"),
            value => value.to_string(),
        }
    }
}
