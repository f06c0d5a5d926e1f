//! What the tests say while they run.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Says something once, however many tests have to: past the harness, which hides what passing tests print.
pub(crate) fn say(line: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.insert(line.to_owned()) {
        let _ = writeln!(io::stderr(), "{line}");
    }
}
