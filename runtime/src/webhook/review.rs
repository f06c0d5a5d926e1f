//! The result of a validating webhook.

use std::fmt;

use serde::Serialize;

use super::Cause;
use super::cause::shown;

/// The result of a validating webhook: the request is allowed unless an error is added. All errors
/// are returned together, like those of the API server for built-in kinds.
///
/// ```
/// use rop_runtime::webhook::Review;
///
/// let mut review = Review::new();
/// assert!(review.is_allowed());
/// review.required("spec.image", "");
/// review.not_supported("spec.mode", "fats", ["fast", "slow"]);
/// assert!(!review.is_allowed());
/// assert_eq!(
///     review.to_string(),
///     "[spec.image: Required value, \
///      spec.mode: Unsupported value: \"fats\": supported values: \"fast\", \"slow\"]",
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "a review does nothing unless it is returned"]
pub struct Review {
    causes: Vec<Cause>,
    denial: Option<String>,
    warnings: Vec<String>,
}

impl Review {
    /// Creates a review without errors.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// assert!(Review::new().is_allowed());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an error for an invalid value.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// let mut review = Review::new();
    /// review.invalid("spec.name", "a b", "no blanks");
    /// assert_eq!(review.to_string(), "spec.name: Invalid value: \"a b\": no blanks");
    /// ```
    pub fn invalid(&mut self, field: &str, value: impl Serialize, message: &str) {
        let message = format!("Invalid value: {}{}", shown(value), after(message));
        self.add(field, "FieldValueInvalid", message);
    }

    /// Adds an error for a missing required field.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// let mut review = Review::new();
    /// review.required("spec.image", "there is no default");
    /// assert_eq!(review.to_string(), "spec.image: Required value: there is no default");
    /// ```
    pub fn required(&mut self, field: &str, message: &str) {
        let message = format!("Required value{}", after(message));
        self.add(field, "FieldValueRequired", message);
    }

    /// Adds an error for a field that must not be set or changed.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// let mut review = Review::new();
    /// review.forbidden("spec.volume", "it cannot be changed");
    /// assert_eq!(review.to_string(), "spec.volume: Forbidden: it cannot be changed");
    /// ```
    pub fn forbidden(&mut self, field: &str, message: &str) {
        let message = format!("Forbidden{}", after(message));
        self.add(field, "FieldValueForbidden", message);
    }

    /// Adds an error for an unsupported value.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// let mut review = Review::new();
    /// review.not_supported("spec.mode", "fats", ["fast"]);
    /// let said = "spec.mode: Unsupported value: \"fats\": supported values: \"fast\"";
    /// assert_eq!(review.to_string(), said);
    /// ```
    pub fn not_supported<'a>(
        &mut self,
        field: &str,
        value: impl Serialize,
        supported: impl IntoIterator<Item = &'a str>,
    ) {
        let supported = supported
            .into_iter()
            .map(shown)
            .collect::<Vec<_>>()
            .join(", ");
        let value = shown(value);
        let message = format!("Unsupported value: {value}: supported values: {supported}");
        self.add(field, "FieldValueNotSupported", message);
    }

    /// Adds an error for a duplicate value.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// let mut review = Review::new();
    /// review.duplicate("spec.ports[1].name", "http");
    /// assert_eq!(review.to_string(), "spec.ports[1].name: Duplicate value: \"http\"");
    /// ```
    pub fn duplicate(&mut self, field: &str, value: impl Serialize) {
        let message = format!("Duplicate value: {}", shown(value));
        self.add(field, "FieldValueDuplicate", message);
    }

    /// Adds an error for a reference to an object that does not exist.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// let mut review = Review::new();
    /// review.not_found("spec.region", "mars");
    /// assert_eq!(review.to_string(), "spec.region: Not found: \"mars\"");
    /// ```
    pub fn not_found(&mut self, field: &str, value: impl Serialize) {
        let message = format!("Not found: {}", shown(value));
        self.add(field, "FieldValueNotFound", message);
    }

    /// Denies the request regardless of its fields, for example for this user or at this time.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// let mut review = Review::new();
    /// review.deny("no deployments on Fridays");
    /// assert!(!review.is_allowed());
    /// ```
    pub fn deny(&mut self, message: impl Into<String>) {
        self.denial = Some(message.into());
    }

    /// Adds a warning, whether the request is allowed or not. kubectl prints it. Keep it to one
    /// line.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// let mut review = Review::new();
    /// review.warn("spec.mode is deprecated: use spec.strategy");
    /// assert!(review.is_allowed());
    /// ```
    pub fn warn(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }

    /// Returns whether there are no errors.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// assert!(Review::new().is_allowed());
    /// ```
    pub fn is_allowed(&self) -> bool {
        self.causes.is_empty() && self.denial.is_none()
    }

    /// Returns the errors of fields.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// assert!(Review::new().causes().is_empty());
    /// ```
    pub fn causes(&self) -> &[Cause] {
        &self.causes
    }

    /// Returns the warnings.
    ///
    /// ```
    /// # use rop_runtime::webhook::Review;
    /// assert!(Review::new().warnings().is_empty());
    /// ```
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Why the request is denied, regardless of fields.
    pub(super) fn denial(&self) -> Option<&str> {
        self.denial.as_deref()
    }

    fn add(&mut self, field: &str, reason: &'static str, message: String) {
        self.causes.push(Cause::new(field, reason, message));
    }
}

/// Formats the errors like the API server. Empty if the request is allowed.
impl fmt::Display for Review {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(denial) = &self.denial {
            return f.write_str(denial);
        }
        match &*self.causes {
            [] => Ok(()),
            [cause] => cause.fmt(f),
            causes => {
                let causes: Vec<_> = causes.iter().map(Cause::to_string).collect();
                write!(f, "[{}]", causes.join(", "))
            }
        }
    }
}

/// The message after a colon, or nothing if it is empty.
fn after(message: &str) -> String {
    match message {
        "" => String::new(),
        message => format!(": {message}"),
    }
}
