//! `patches:` of a kustomization.

use regex::Regex;
use serde_json::Value;

use super::kustomization::Target;
use super::resource::{Name, Resource};
use super::{json_patch, merge, source};
use crate::yaml;

/// Applies a patch: a list of operations for what the target selects, or fields of objects.
pub(super) fn apply(resources: &mut [Resource], text: &str, target: Option<&Target>) -> Option<()> {
    let selected = |target: &Target| -> Option<Vec<usize>> {
        let selector = Selector::new(target)?;
        let all = resources.iter().enumerate();
        let selected = all.filter(|(_, resource)| selector.selects(resource));
        Some(selected.map(|(index, _)| index).collect())
    };
    if let Ok(Value::Array(operations)) = yaml::from_str::<Value>(text) {
        for index in selected(target?)? {
            let mut value = resources[index].value.clone();
            json_patch::apply(&mut value, &operations)?;
            resources[index].replace(value)?;
        }
        return Some(());
    }
    let patches = source::objects(text)?;
    if let Some(target) = target {
        let [patch] = &*patches else {
            return None;
        };
        for index in selected(target)? {
            merge_into(&mut resources[index], patch)?;
        }
        return Some(());
    }
    for patch in &patches {
        let patched = Resource::new(patch.clone())?;
        let mut found = resources.iter_mut().filter(|resource| {
            let mut names = resource.names();
            resource.kind() == patched.kind() && names.any(|name| name == patched.name())
        });
        let (Some(resource), None) = (found.next(), found.next()) else {
            return None;
        };
        merge_into(resource, patch)?;
    }
    Some(())
}

/// Merges a patch into an object, which keeps its kind, name and namespace.
fn merge_into(resource: &mut Resource, patch: &Value) -> Option<()> {
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
    merge::merge(&mut value, &patch, &resource.kind().kind)?;
    resource.replace(value)
}

/// What a target selects.
struct Selector<'a> {
    target: &'a Target,
    name: Option<Regex>,
    namespace: Option<Regex>,
}

impl<'a> Selector<'a> {
    fn new(target: &'a Target) -> Option<Self> {
        // A regular expression says nothing if there is none.
        let whole = |pattern: &Option<String>| match pattern.as_deref() {
            None | Some("") => Some(None),
            Some(pattern) => Regex::new(&format!("^(?:{pattern})$")).ok().map(Some),
        };
        Some(Self {
            target,
            name: whole(&target.name)?,
            namespace: whole(&target.namespace)?,
        })
    }

    fn selects(&self, resource: &Resource) -> bool {
        let kind = resource.kind();
        let is_kind = [
            (&self.target.group, &kind.group),
            (&self.target.version, &kind.version),
            (&self.target.kind, &kind.kind),
        ]
        .into_iter()
        .all(|(wanted, found)| {
            let wanted = wanted.as_deref().unwrap_or_default();
            wanted.is_empty() || wanted == found
        });
        is_kind && resource.names().any(|name| self.is_named(&name))
    }

    fn is_named(&self, name: &Name) -> bool {
        let matches = |pattern: &Option<Regex>, text: &str| {
            pattern
                .as_ref()
                .is_none_or(|pattern| pattern.is_match(text))
        };
        let namespace = name.namespace.as_deref().unwrap_or_default();
        matches(&self.name, &name.name) && matches(&self.namespace, namespace)
    }
}
