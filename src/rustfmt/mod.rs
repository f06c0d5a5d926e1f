//! What rustfmt does to the lines that templates leave to it: it may not be there, and starting it takes longer than
//! making a project.
//!
//! A template says everything on one line whose length is up to names. What it breaks itself stays broken.

mod expression;
mod function;
mod import;
mod item;
mod layout;
mod lines;
mod order;
mod statement;
#[cfg(test)]
mod tests;
mod token;

use lines::lines;
pub(crate) use order::order;

/// The widest line.
pub(crate) const WIDTH: usize = 100;

/// The widest arguments of a call on one line, and the widest items of an array.
pub(crate) const CALL_WIDTH: usize = 60;

/// The widest chain of calls on one line.
pub(crate) const CHAIN_WIDTH: usize = 60;

/// The widest fields of a struct on one line.
pub(crate) const STRUCT_WIDTH: usize = 18;

/// The widest arguments of an attribute on one line.
pub(crate) const ATTRIBUTE_WIDTH: usize = 70;

/// How far in a block is.
const INDENT: usize = 4;

/// Breaks the lines of a source that rustfmt would break. Nothing but blanks, line ends and commas at the end of a list
/// changes.
pub(crate) fn break_lines(text: &str) -> String {
    let mut broken = String::with_capacity(text.len() + text.len() / 16);
    // How far in the calls are of methods of a value that is broken: they get as far in as its end.
    let mut calls_at = None;
    for line in lines(text) {
        let mut code = line.text;
        let rest = code.trim_start_matches(' ');
        let indent = code.len() - rest.len();
        let is_call = line.is_code && rest.starts_with('.');
        calls_at = calls_at.filter(|at| is_call && *at == indent);
        if calls_at.is_some() {
            code = &code[INDENT..];
        }
        let statement = line.is_code.then(|| statement::broken(code)).flatten();
        if !is_call && statement.as_ref().is_some_and(|text| text.ends_with(')')) {
            calls_at = Some(indent + INDENT);
        }
        broken.push_str(statement.as_deref().unwrap_or(code));
        broken.push_str(line.end);
    }
    broken
}

/// How many columns a text takes.
fn width(text: &str) -> usize {
    text.chars().count()
}

/// Blanks at the start of a line.
fn blanks(columns: usize) -> String {
    " ".repeat(columns)
}
