//! A failure as JSON, for programs that asked for it.

use serde_json::{Value, json};

use crate::error::Error;

/// The error with its causes, outermost first, what to do about it, and the exit code.
pub(in crate::cli) fn of_error(error: &Error) -> Value {
    let causes: Vec<String> = error.chain().collect();
    text(&causes, error.hints(), error.kind().exit_code())
}

/// As [`of_error`], for an error that is in parts.
pub(in crate::cli) fn text(causes: &[String], hints: &[String], code: u8) -> Value {
    json!({"error": causes, "hints": hints, "exitCode": code})
}
