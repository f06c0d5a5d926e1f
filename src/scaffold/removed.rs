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
    // What is found may be of anybody: it is checked beside what was found before.
    let mut with = project.clone();
    for path in manifest::orphans(view, listed)? {
        let text = view.read(&path)?.unwrap_or_default();
        let crd: Value = yaml::from_str(&text).context(|| format!("failed to read `{path}`"))?;
        let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
        let resources = versions.filter_map(|version| resource(project, &crd["spec"], version));
        let mut resources: Vec<Resource> = resources.collect();
        // The first one's sample is called after the kind alone.
        resources.sort_by_cached_key(|one| {
            let sample = view.read(&one.sample()).ok().flatten();
            let name = format!("name: {}-sample\n", one.kind.lower());
            !sample.is_some_and(|text| text.contains(&name))
        });
        for mut resource in resources {
            let is_beside = |one: &Resource| one.is_version_of(&resource);
            let is_first = !with.resources.own.iter().any(is_beside);
            resource.hub = resource.controller && !is_first;
            if let Some(made) = as_made(view, &with, listed, &resource)? {
                with.resources.own.push(made.clone());
                removed.push(made);
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
    // As a rule the hub has it.
    resource.controller = version["storage"] == true;
    resource.api = Some(Api::new(spec["scope"] == "Namespaced"));
    resource.plural = names["plural"].as_str()?.parse().ok()?;
    resource.short_names = labels("shortNames").collect();
    resource.categories = labels("categories").collect();
    Some(resource)
}

/// The kind with the template, and with or without the finalizer, that most of its files came from. None if rop
/// cannot have made it beside the kinds of `project`.
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
            if project.clone().add(resource.clone()).is_err() {
                continue;
            }
            // Of others its files say nothing.
            let mut alone = project.clone();
            alone.resources.core.clear();
            alone
                .resources
                .own
                .retain(|one| one.is_version_of(&resource));
            alone.resources.own.push(resource.clone());
            let mut untouched = 0;
            for file in made(view, &alone)?.files() {
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
