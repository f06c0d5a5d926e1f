//! Patterns of schemas, compiled.

use std::cell::RefCell;
use std::collections::HashMap;

use regex::Regex;

/// How many are kept: a schema asks for the same few again and again.
const KEPT: usize = 16;

thread_local! {
    static COMPILED: RefCell<HashMap<String, Option<Regex>>> = RefCell::default();
}

/// The expression of a pattern, unless it is none or too large. Large ones take long to compile.
pub(crate) fn expression(pattern: &str) -> Option<Regex> {
    COMPILED.with_borrow_mut(|compiled| {
        if let Some(found) = compiled.get(pattern) {
            return found.clone();
        }
        if compiled.len() == KEPT {
            compiled.clear();
        }
        let new = Regex::new(pattern).ok();
        compiled.insert(pattern.to_owned(), new.clone());
        new
    })
}
