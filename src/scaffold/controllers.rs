//! Controllers that PROJECT lists no more.

use crate::disk::View;
use crate::error::Result;
use crate::project::layout::CONTROLLERS;
use crate::project::name::ControllerName;
use crate::project::{Controller, CoreKind, Project, Resource, add_controller};

use super::webhooks::is_rops;

/// What stands in the wiring for each controller, behind its module.
const STARTED: &str = "::register(";

/// A controller whose files are still there.
pub(super) struct Removed {
    kind: Kind,
    /// Its name, if it is not the first of its kind.
    name: Option<ControllerName>,
}

enum Kind {
    Own(Box<Resource>),
    Core(Box<CoreKind>),
}

/// The controllers that the wiring starts and PROJECT does not list, but for those that come from the templates of
/// the project's own kinds: what rop wrote of them says which they were.
pub(super) fn removed_controllers(view: &View, project: &Project) -> Result<Vec<Removed>> {
    let wiring = view.read(&format!("{CONTROLLERS}/mod.rs"))?;
    let wiring = wiring.filter(|text| is_rops(text)).unwrap_or_default();
    let mut removed = Vec::new();
    // What is found may be of anybody: it is checked beside what was found before.
    let mut with = project.clone();
    for line in wiring.lines() {
        let Some((module, _)) = line.trim_start().split_once(STARTED) else {
            continue;
        };
        let module: Vec<String> = module.split("::").map(str::to_owned).collect();
        let has_module = |one: &Controller<'_>| one.module == module;
        if with.controllers().iter().any(has_module) {
            continue;
        }
        if let Some(one) = Removed::read(view, &with, &module)? {
            let more = with.grown(|project| one.add_to(project));
            // What a user has renamed is theirs.
            if let Some(more) = more.filter(|more| more.controllers().iter().any(has_module)) {
                with = more;
                removed.push(one);
            }
        }
    }
    Ok(removed)
}

impl Removed {
    /// The controller in the files of a module.
    fn read(view: &View, project: &Project, module: &[String]) -> Result<Option<Self>> {
        let folder = format!("{CONTROLLERS}/{}", module.join("/"));
        let text = |file: &str| view.read(&format!("{folder}/{file}"));
        let (reconcile, registered) = (text("reconcile.rs")?, text("mod.rs")?);
        let (reconcile, registered) = (
            reconcile.unwrap_or_default(),
            registered.unwrap_or_default(),
        );
        let name = quoted(&registered, ".named(").map(|name| match module {
            [group, _] if project.multigroup => {
                let prefix = format!("{}-", group.trim_end_matches('_').replace('_', "-"));
                name.strip_prefix(&prefix).unwrap_or(name)
            }
            _ => name,
        });
        let name = name.and_then(|name| name.parse().ok());
        let Some((group, plural)) = controlled(&reconcile) else {
            return Ok(None);
        };
        let is_own = |one: &&Resource| {
            let of_group = one
                .api_group()
                .is_ok_and(|known| known.to_string() == group);
            of_group && one.plural.as_str() == plural
        };
        let own = project.resources.own.iter().find(is_own);
        let kind = match own.filter(|_| name.is_some()) {
            Some(own) => Some(Kind::Own(Box::new(own.clone()))),
            None => (project
                .resources
                .core
                .iter()
                .filter(|one| one.external)
                .cloned())
            .chain(CoreKind::all())
            .find(|one| {
                let is_it = one.api_group() == group && one.plural().as_str() == plural;
                is_it && reconcile.contains(&one.path)
            })
            .map(Box::new)
            .map(Kind::Core),
        };
        Ok(kind.map(|kind| Self { kind, name }))
    }

    /// Puts it back into a project that has its kind.
    pub(super) fn add_to(&self, project: &mut Project) {
        let (first, named) = match &self.kind {
            Kind::Own(own) => {
                let mut all = project.resources.own.iter_mut();
                let Some(own) = all.find(|one| one.is(own)) else {
                    return;
                };
                (&mut own.controller, &mut own.controllers)
            }
            Kind::Core(core) => {
                let core = project.resources.listed((**core).clone());
                (&mut core.controller, &mut core.controllers)
            }
        };
        add_controller(first, named, self.name.clone());
    }
}

/// Group and resource in the first marker of a controller.
fn controlled(text: &str) -> Option<(&str, &str)> {
    let mut markers = text
        .lines()
        .filter_map(|line| line.split_once("+kubebuilder:rbac:"));
    let (_, marker) = markers.next()?;
    let value = |key: &str| {
        let mut pairs = marker.split(',').filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| *name == key).map(|(_, value)| value)
    };
    Some((value("groups")?.trim_matches('"'), value("resources")?))
}

/// The string that is an argument of a call.
fn quoted<'a>(text: &'a str, call: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(call)?;
    rest.strip_prefix('"')?.split('"').next()
}
