//! What a rule found in a catalog.

use std::fmt;

use super::blob::{self, Blob};
use super::rule::Rule;

/// A place in a catalog that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) file: String,
    /// The line, from 1; 0 for the file as a whole.
    pub(crate) line: usize,
    /// The field, such as `entries[0].name`; empty for the document or the file.
    pub(crate) field: String,
    pub(crate) rule: Rule,
    pub(crate) message: String,
}

impl Finding {
    /// A finding in a field of a blob.
    pub(super) fn in_blob(
        rule: Rule,
        blob: &Blob,
        pointer: &str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            file: blob.file.clone(),
            line: blob.place(pointer).line,
            field: blob::field(pointer),
            rule,
            message: message.into(),
        }
    }

    pub(super) fn in_file(rule: Rule, file: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            field: String::new(),
            rule,
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            field,
            rule,
            message,
        } = self;
        write!(formatter, "{file}")?;
        if *line > 0 {
            write!(formatter, ":{line}")?;
        }
        write!(formatter, ": {message} [{}]", rule.id())?;
        if !field.is_empty() {
            write!(formatter, "\n    field: {field}")?;
        }
        write!(formatter, "\n    hint: {}", rule.hint())
    }
}
