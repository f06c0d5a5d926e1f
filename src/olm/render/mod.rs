//! What OLM makes of a bundle, as plain manifests: as its version 1 renders them, so that they can be read, compared and
//! applied without it.

mod permissions;
mod webhooks;

use serde_json::{Value, json};

use crate::error::{Code, Error, Result};
use crate::objects::{self, Objects};
use crate::olm::kinds::CSV;

use webhooks::Webhooks;

/// Kinds that are in no namespace.
const CLUSTER_SCOPED: [&str; 9] = [
    "ClusterRole",
    "ClusterRoleBinding",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "ConsoleQuickStart",
    "ConsoleYAMLSample",
    "CustomResourceDefinition",
    "PriorityClass",
];

/// Where a bundle is installed.
#[derive(Clone, Debug)]
pub struct Place {
    /// The namespace of the operator.
    pub namespace: String,
    /// The namespace that it watches. All, if there is none.
    pub watched: Option<String>,
}

/// The manifests of a bundle in a place.
///
/// # Errors
/// It has no `ClusterServiceVersion`, or the operator does not support the place.
pub fn render(manifests: &Objects, place: &Place) -> Result<Objects> {
    let csv = manifests
        .iter()
        .find(|object| object["kind"] == CSV)
        .ok_or_else(|| {
            Error::new(
                Code::MalformedFile,
                "the bundle has no ClusterServiceVersion",
            )
            .hint("write it with `rop bundle`")
        })?;
    check_mode(csv, place)?;
    let install = &csv["spec"]["install"]["spec"];
    let name = objects::name(csv);
    let webhooks = Webhooks::of(csv, place);
    let mut objects = vec![json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": place.namespace },
    })];
    for manifest in manifests.iter().filter(|object| object["kind"] != CSV) {
        let mut manifest = manifest.clone();
        let kind = manifest["kind"].as_str().unwrap_or_default();
        if !CLUSTER_SCOPED.contains(&kind) {
            manifest["metadata"]["namespace"] = place.namespace.clone().into();
        }
        webhooks.convert(&mut manifest);
        objects.push(manifest);
    }
    objects.extend(permissions::objects(install, name, place));
    for deployment in install["deployments"].as_array().into_iter().flatten() {
        objects.push(self::deployment(deployment, csv, place, &webhooks));
    }
    objects.extend(webhooks.objects());
    Ok(objects.into_iter().collect())
}

/// Checks that the operator can watch what it is to watch.
fn check_mode(csv: &Value, place: &Place) -> Result<()> {
    let mode = match &place.watched {
        None => "AllNamespaces",
        Some(watched) if *watched == place.namespace => "OwnNamespace",
        Some(_) => "SingleNamespace",
    };
    let mut modes = csv["spec"]["installModes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|mode| mode["supported"] == true);
    let all: Vec<_> = modes
        .by_ref()
        .filter_map(|mode| mode["type"].as_str())
        .collect();
    if all.contains(&mode) {
        return Ok(());
    }
    Err(Error::new(
        Code::InvalidName,
        format!(
            "the operator does not support the install mode {mode}: it supports {}",
            all.join(", ")
        ),
    )
    .hint(match mode {
        "AllNamespaces" => "pass `--watch-namespace` with the namespace that it watches",
        _ => "leave out `--watch-namespace`",
    }))
}

fn deployment(one: &Value, csv: &Value, place: &Place, webhooks: &Webhooks<'_>) -> Value {
    let mut spec = one["spec"].clone();
    spec["revisionHistoryLimit"] = 1.into();
    let template = &mut spec["template"];
    if !template["metadata"].is_object() {
        template["metadata"] = json!({});
    }
    let own = template["metadata"]["annotations"].as_object().cloned();
    let mut annotations = csv["metadata"]["annotations"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    annotations.extend(own.unwrap_or_default());
    let watched = place.watched.clone().unwrap_or_default();
    annotations.insert("olm.targetNamespaces".to_owned(), watched.into());
    template["metadata"]["annotations"] = annotations.into();
    webhooks.mount(&one["name"], template);
    let mut metadata = json!({ "name": one["name"], "namespace": place.namespace });
    if one["label"].is_object() {
        metadata["labels"] = one["label"].clone();
    }
    json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec })
}
