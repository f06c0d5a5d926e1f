//! Samples, as consoles offer them.

use serde_json::Value;

use crate::objects::{ObjectId, Objects};

/// Samples of other kinds, of which a bundle has no examples.
pub(in crate::olm) fn others(samples: &Objects, objects: &Objects) -> Vec<String> {
    let others = samples.iter().filter(|sample| !objects.define(sample));
    others
        .map(|sample| ObjectId::of(sample).to_string())
        .collect()
}

/// The samples of kinds that the operator's own CRDs define, as JSON.
pub(super) fn text(samples: &Objects, objects: &Objects) -> String {
    let examples = samples.iter().filter(|sample| objects.define(sample));
    format!("{:#}", examples.cloned().collect::<Value>())
}
