//! `transformers:` of a kustomization: steps that come after all others.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::kustomization::Patch;
use super::replacement::ListedReplacement;
use super::source::{self, Source, has_words, objects};

/// A step.
pub(super) enum Transformer {
    Patch(Patch),
    Replacements(Vec<ListedReplacement>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Replacements {
    replacements: Vec<ListedReplacement>,
}

/// The steps that are listed: in files, in folders, or as text.
pub(super) fn read(
    source: &Source<'_>,
    folder: &str,
    entries: &[String],
) -> Option<Vec<Transformer>> {
    let mut documents = Vec::new();
    for entry in entries {
        if entry.contains('\n') {
            let found = objects(entry).filter(|found| !found.is_empty() && !has_words(entry));
            documents.extend(found?);
            continue;
        }
        let path = source::path(folder, entry)?;
        if source.is_file(&path) {
            documents.extend(objects(&source.settings(&source::file(folder, entry)?)?)?);
            continue;
        }
        let kustomization = source.kustomization(&path)?;
        if !kustomization.only_lists() {
            return None;
        }
        for file in kustomization.resources.iter().chain(&kustomization.bases) {
            documents.extend(objects(&source.settings(&source::file(&path, file)?)?)?);
        }
    }
    let mut ids = BTreeSet::new();
    let is_new = |document: &Value| {
        ids.insert((
            document["kind"].to_string(),
            document["metadata"]["name"].to_string(),
        ))
    };
    let are_new = documents.iter().all(is_new);
    are_new.then(|| documents.into_iter().map(transformer).collect())?
}

fn transformer(mut value: Value) -> Option<Transformer> {
    let fields = value.as_object_mut()?;
    let mut take = |field| fields.remove(field);
    if take("apiVersion")? != "builtin" || take("metadata")?.get("name")?.as_str()?.is_empty() {
        return None;
    }
    match take("kind")?.as_str()? {
        "PatchTransformer" => serde_json::from_value(value).ok().map(Transformer::Patch),
        "ReplacementTransformer" => {
            let transformer: Replacements = serde_json::from_value(value).ok()?;
            Some(Transformer::Replacements(transformer.replacements))
        }
        _ => None,
    }
}
