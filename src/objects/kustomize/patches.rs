//! `patches:` of a kustomization.

use serde_json::Value;

use super::budget::Budget;
use super::resource::Resource;
use super::select::Selector;
use super::target::Target;
use super::{json_patch, merge, source};
use crate::yaml;

/// Applies a patch: a list of operations for what the target selects, or fields of objects.
pub(super) fn apply(
    resources: &mut Vec<Resource>,
    text: &str,
    target: Option<&Target>,
    budget: &Budget,
) -> Option<()> {
    let selected = |target: &Target| -> Option<Vec<usize>> {
        let selector = Selector::new(target)?;
        let all = resources.iter().enumerate();
        let selected = all.filter(|(_, resource)| selector.selects(resource));
        Some(selected.map(|(index, _)| index).collect())
    };
    if let Ok(Value::Array(operations)) = yaml::from_str::<Value>(text) {
        for index in selected(target?)? {
            budget.spend_on(&resources[index].value)?;
            let mut value = resources[index].value.clone();
            json_patch::apply(&mut value, &operations, budget)?;
            resources[index].replace_and_rename(value)?;
        }
        return Some(());
    }
    let patches = source::objects(text).filter(|patches| !patches.is_empty())?;
    if let Some(target) = target {
        let [patch] = &*patches else {
            return None;
        };
        // From the last to the first: an object that is deleted moves those behind it.
        for index in selected(target)?.into_iter().rev() {
            merge_into(resources, index, patch, budget)?;
        }
        return Some(());
    }
    for patch in &patches {
        budget.spend(resources.len())?;
        let patched = Resource::new(patch.clone())?;
        let mut found = resources.iter().enumerate().filter(|(_, resource)| {
            let mut names = resource.names();
            resource.kind() == patched.kind() && names.any(|name| name == patched.name())
        });
        let (Some((index, _)), None) = (found.next(), found.next()) else {
            return None;
        };
        merge_into(resources, index, patch, budget)?;
    }
    Some(())
}

/// Merges a patch into an object, which keeps its kind, name and namespace, or deletes it.
fn merge_into(
    resources: &mut Vec<Resource>,
    index: usize,
    patch: &Value,
    budget: &Budget,
) -> Option<()> {
    if patch.get("$patch").is_some_and(|order| order == "delete") {
        resources.remove(index);
        return Some(());
    }
    let resource = &mut resources[index];
    budget.spend_on(&resource.value)?;
    budget.spend_on(patch)?;
    let mut patch = patch.clone();
    let fields = patch.as_object_mut()?;
    for field in ["apiVersion", "kind"] {
        fields.remove(field);
    }
    if let Some(metadata) = fields.get_mut("metadata") {
        let metadata = metadata.as_object_mut()?;
        for field in ["name", "namespace"] {
            metadata.remove(field);
        }
        if metadata.is_empty() {
            fields.remove("metadata");
        }
    }
    let mut value = resource.value.clone();
    merge::merge(&mut value, &patch, &resource.kind().kind, budget)?;
    resource.replace(value)
}
