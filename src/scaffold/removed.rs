//! Kinds that PROJECT lists no more.

use serde_json::Value;

use crate::disk::View;
use crate::error::{Context, Result};
use crate::manifest;
use crate::plan::{Ownership, Tree};
use crate::project::{Api, Project, Resource, Template};
use crate::yaml;

use super::made;

/// The kinds that PROJECT listed once: their CRDs, which rop wrote, are still there. `listed` is what is made of
/// those that it lists.
pub(super) fn removed(view: &View, project: &Project, listed: &Tree) -> Result<Vec<Resource>> {
    let mut removed = Vec::new();
    for path in manifest::orphans(view, listed)? {
        let text = view.read(&path)?.unwrap_or_default();
        let crd: Value = yaml::from_str(&text).context(|| format!("failed to read `{path}`"))?;
        for version in crd["spec"]["versions"].as_array().into_iter().flatten() {
            if let Some(resource) = resource(project, &crd["spec"], version) {
                removed.extend(as_made(view, project, listed, &resource)?);
            }
        }
    }
    Ok(removed)
}

/// The kind of a CRD, unless PROJECT lists it: then it has another plural now.
fn resource(project: &Project, spec: &Value, version: &Value) -> Option<Resource> {
    let names = &spec["names"];
    let whole = spec["group"].as_str()?;
    let (group, domain) = project.split_group(whole.parse().ok()?).ok()?;
    let kind = names["kind"].as_str()?.parse().ok()?;
    let mut resource = Resource::new(domain, group, version["name"].as_str()?.parse().ok()?, kind);
    let is_listed = |one: &Resource| {
        one.kind == resource.kind && one.group == resource.group && one.domain == resource.domain
    };
    if project.resources.own.iter().any(is_listed)
        || resource.api_group().ok()?.to_string() != whole
    {
        return None;
    }
    let labels = |field: &str| {
        let labels = names[field].as_array().into_iter().flatten();
        labels.filter_map(|label| label.as_str()?.parse().ok())
    };
    resource.api = Some(Api::new(spec["scope"] == "Namespaced"));
    resource.plural = names["plural"].as_str()?.parse().ok()?;
    resource.short_names = labels("shortNames").collect();
    resource.categories = labels("categories").collect();
    Some(resource)
}

/// The kind with the template, and with or without the finalizer, that most of its files came from. None if rop
/// cannot have made it.
fn as_made(
    view: &View,
    project: &Project,
    listed: &Tree,
    resource: &Resource,
) -> Result<Option<Resource>> {
    let mut best = None;
    for template in Template::all() {
        for finalizer in [false, true] {
            let resource = Resource {
                template: *template,
                finalizer,
                ..resource.clone()
            };
            let mut project = project.clone();
            if project.add(resource.clone()).is_err() {
                continue;
            }
            let mut untouched = 0;
            for file in made(view, &project)?.files() {
                let is_its =
                    file.ownership() == Ownership::Seeded && listed.get(file.path()).is_none();
                if is_its && view.read(file.path())?.as_deref() == Some(file.text()) {
                    untouched += 1;
                }
            }
            if best.as_ref().is_none_or(|(most, _)| untouched > *most) {
                best = Some((untouched, resource));
            }
        }
    }
    Ok(best.map(|(_, resource)| resource))
}
