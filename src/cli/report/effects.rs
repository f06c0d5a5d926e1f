//! What is done to objects in a cluster.

use crate::cluster::{Action, Effect};
use crate::ui::{Mark, entry};

/// One line an object.
pub(in crate::cli) fn effects(effects: &[Effect]) -> String {
    let line = |effect: &Effect| {
        let (mark, word) = match effect.action {
            Action::Create => (Mark::New, "create"),
            Action::Update => (Mark::Changed, "update"),
            Action::Delete => (Mark::Lost, "delete"),
        };
        entry(mark, word, &effect.id.to_string())
    };
    effects.iter().map(line).collect()
}
