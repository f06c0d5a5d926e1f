//! Samples, as consoles offer them.

use serde_json::Value;

use crate::objects::Objects;

/// The samples of kinds that the operator's own CRDs define, as JSON.
pub(super) fn text(samples: &Objects, objects: &Objects) -> String {
    let examples = samples.iter().filter(|sample| objects.define(sample));
    format!("{:#}", examples.cloned().collect::<Value>())
}
