//! Samples, as consoles offer them.

use serde_json::Value;

use crate::objects::{Objects, is_crd};

/// The samples of kinds that the operator's own CRDs define, as JSON.
pub(super) fn text(samples: &Objects, objects: &Objects) -> String {
    let examples = samples.iter().filter(|sample| is_owned(sample, objects));
    format!("{:#}", examples.cloned().collect::<Value>())
}

/// Whether a CRD among the manifests defines the kind of an object.
fn is_owned(object: &Value, objects: &Objects) -> bool {
    let version = object["apiVersion"].as_str().unwrap_or_default();
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    objects.iter().filter(|object| is_crd(object)).any(|crd| {
        let spec = &crd["spec"];
        let versions = spec["versions"].as_array();
        spec["group"] == group
            && spec["names"]["kind"] == object["kind"]
            && versions
                .into_iter()
                .flatten()
                .any(|served| served["name"] == version)
    })
}
