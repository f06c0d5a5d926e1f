//! `namePrefix:` and `nameSuffix:` of a kustomization, and what refers to objects by their names.

use serde_json::Value;

use super::field::Field;
use super::kustomization::Kustomization;
use super::references::{BUILT_IN, NameReference};
use super::resource::{Gvk, Name, Resource};

/// Puts a prefix and a suffix to the names of objects.
pub(super) fn affix(resources: &mut [Resource], kustomization: &Kustomization) {
    rename(resources, &kustomization.name_prefix, "");
    rename(resources, "", &kustomization.name_suffix);
}

fn rename(resources: &mut [Resource], prefix: &str, suffix: &str) {
    if prefix.is_empty() && suffix.is_empty() {
        return;
    }
    for resource in resources {
        // The name of a CRD says what it is, and that of the namespace is set.
        if matches!(
            &*resource.kind().kind,
            "CustomResourceDefinition" | "Namespace"
        ) {
            continue;
        }
        resource.remember();
        let name = resource.name().name;
        resource.value["metadata"]["name"] = format!("{prefix}{name}{suffix}").into();
    }
}

/// Updates references to objects that have another name or namespace now.
pub(super) fn update_references(resources: &mut [Resource], more: &[NameReference]) -> Option<()> {
    let objects: Vec<Candidate> = resources.iter().map(Candidate::of).collect();
    let more = more.iter().flat_map(NameReference::referrals);
    for referral in BUILT_IN.into_iter().chain(more) {
        let candidates: Vec<&Candidate> = objects
            .iter()
            .filter(|object| referral.is_to(&object.kind))
            .collect();
        if candidates.is_empty() {
            continue;
        }
        for resource in resources.iter_mut() {
            let kind = resource.kind().clone();
            if !referral.field.is_of(&kind) {
                continue;
            }
            let referrer = Referrer {
                namespace: if kind.is_cluster_scoped() {
                    None
                } else {
                    resource.name().namespace
                },
                role: role_of(&resource.value, &referral.field),
                candidates: &candidates,
            };
            let mut set = |value: &mut Value| referrer.set(value);
            referral.field.visit(&mut resource.value, &mut set)?;
        }
    }
    Some(())
}

/// An object that others can refer to.
struct Candidate {
    kind: Gvk,
    name: Name,
    /// Its name before each change.
    earlier: Vec<Name>,
}

impl Candidate {
    fn of(resource: &Resource) -> Self {
        Self {
            kind: resource.kind().clone(),
            name: resource.name(),
            earlier: resource.earlier().to_vec(),
        }
    }
}

/// The kind of role that a binding names.
fn role_of(binding: &Value, field: &Field<'_>) -> Option<String> {
    if field.path != "roleRef/name" {
        return None;
    }
    let kind = binding.get("roleRef")?.get("kind")?.as_str()?;
    Some(kind.to_owned())
}

/// An object that refers to others of a kind.
struct Referrer<'a> {
    /// Nothing if it may refer to objects in any namespace.
    namespace: Option<String>,
    /// The kind that it says, if it does.
    role: Option<String>,
    candidates: &'a [&'a Candidate],
}

impl Referrer<'_> {
    /// Sets a name, or a name and a namespace, or a list of them.
    fn set(&self, value: &mut Value) -> Option<()> {
        match value {
            Value::String(name) => {
                if let Some(new) = self.find(name, None)? {
                    *name = new.name;
                }
            }
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.set(item))?,
            Value::Object(fields) => {
                let name = fields.get("name")?.as_str()?;
                let namespace = match fields.get("namespace") {
                    Some(namespace) => Some(namespace.as_str()?),
                    None => None,
                };
                if let Some(new) = self.find(name, namespace)? {
                    fields.insert("name".to_owned(), new.name.into());
                    if let Some(namespace) = new.namespace {
                        fields.insert("namespace".to_owned(), namespace.into());
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// What an object is called that had a name. None if that could be several.
    #[allow(clippy::option_option)]
    fn find(&self, name: &str, namespace: Option<&str>) -> Option<Option<Name>> {
        let mut found = self.candidates.iter().filter(|candidate| {
            let mut earlier = candidate.earlier.iter();
            let is_named = earlier.any(|earlier| earlier.name == name);
            is_named && self.can_refer_to(candidate) && is_in(candidate, namespace)
        });
        let first = found.next().map(|candidate| candidate.name.clone());
        match found.next() {
            Some(_) => None,
            None => Some(first),
        }
    }

    fn can_refer_to(&self, candidate: &Candidate) -> bool {
        let kind = &candidate.kind;
        if self.role.as_ref().is_some_and(|role| *role != kind.kind) {
            return false;
        }
        // An account acts in other namespaces too.
        kind.is_cluster_scoped()
            || kind.kind == "ServiceAccount"
            || self.namespace.is_none()
            || self.namespace == candidate.name.namespace
    }
}

/// Whether an object is in a namespace, or was when its file was read.
fn is_in(candidate: &Candidate, namespace: Option<&str>) -> bool {
    let Some(namespace) = namespace else {
        return true;
    };
    let current = &candidate.name;
    let original = candidate.earlier.first().unwrap_or(current);
    [original, current]
        .map(|name| name.namespace.as_deref())
        .contains(&Some(namespace))
}
