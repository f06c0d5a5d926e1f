//! Errors as JSON.

use serde_json::{Value, json};

use crate::error::{Code, Error};

/// The error with its code, its causes, outermost first, what to do about it, and the exit code.
pub(in crate::cli) fn of_error(error: &Error) -> Value {
    let causes: Vec<String> = error.chain().collect();
    text(error.code(), &causes, error.hints())
}

/// As [`of_error`], for an error that is in parts.
pub(in crate::cli) fn text(code: Code, causes: &[String], hints: &[String]) -> Value {
    json!({
        "code": code.name(),
        "error": causes,
        "hints": hints,
        "exitCode": code.kind().exit_code(),
    })
}
