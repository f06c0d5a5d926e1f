//! What a project's library has for generated code to call.

use crate::disk::View;

/// The root of the library.
const LIBRARY: &str = "src/lib.rs";
/// The state that every reconcile reads.
const STATE: &str = "src/state.rs";

/// Functions in files that are the user's, and that generated code calls. Projects from before rop wrote them lack
/// them: what is generated there does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// Whether it has `register`, which adds everything to the manager. Otherwise `main.rs` and the simulation
    /// do so themselves.
    pub has_register: bool,
    /// Whether it has `State::for_tests`. Otherwise tests call `State::default`.
    pub has_state_for_tests: bool,
}

impl Default for Library {
    fn default() -> Self {
        Self {
            has_register: true,
            has_state_for_tests: true,
        }
    }
}

impl Library {
    /// What the files of a project say. One that is absent is made as it is made today.
    pub(super) fn read(view: &View) -> Self {
        // What cannot be read is reported where it is written.
        let text = |path: &str| view.read(path).ok().flatten();
        let has_register = text(LIBRARY).is_none_or(|text| registers(&text));
        Self {
            has_register,
            has_state_for_tests: text(STATE).map_or(has_register, |text| has_state(&text)),
        }
    }

    /// The same once this release is merged into the files: what `given`, the texts that a former release gave, lack
    /// comes with it. What they had and the user removed does not come back.
    pub(crate) fn updated(self, given: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            has_register: self.has_register || given(LIBRARY).is_none_or(|text| !registers(&text)),
            has_state_for_tests: self.has_state_for_tests
                || given(STATE).is_none_or(|text| !has_state(&text)),
        }
    }
}

fn registers(library: &str) -> bool {
    has_word(library, "register")
}

fn has_state(state: &str) -> bool {
    has_word(state, "for_tests") || !has_word(state, "Default")
}

fn has_word(text: &str, word: &str) -> bool {
    let is_end = |c: char| !c.is_alphanumeric() && c != '_';
    text.split(is_end).any(|found| found == word)
}
