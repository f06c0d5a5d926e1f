//! What is done to objects in a cluster.

use crate::cluster::{Action, Effect};
use crate::ui::{Entry, Mark};

/// One line an object.
pub(in crate::cli) fn effects(effects: &[Effect]) -> Vec<Entry> {
    let line = |effect: &Effect| {
        let (mark, word) = match effect.action {
            Action::Create => (Mark::New, "create"),
            Action::Update => (Mark::Changed, "update"),
            Action::Delete => (Mark::Lost, "delete"),
        };
        Entry {
            mark,
            word,
            what: effect.id.to_string(),
        }
    };
    effects.iter().map(line).collect()
}
