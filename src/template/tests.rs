//! The data structs and the templates fit: what is declared is used.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::common::Common;
use super::engine;
use super::sets::{self, Set};
use crate::project::{DEPENDENCIES, Project, ProjectKind, Template};

/// A project that gives every set something to render.
fn project() -> Project {
    let mut project = Project::new(
        "app-operator".parse().expect("a name"),
        "example.com".parse().expect("a domain"),
    );
    for template in Template::all().iter().copied() {
        let name = format!("{template:?}");
        let mut kind = ProjectKind::own(
            project.domain.clone(),
            "app".parse().expect("a group"),
            "v1".parse().expect("a version"),
            name.parse().expect("a kind"),
        );
        kind.finalizer = true;
        kind.versions[0].template = template;
        project.add(kind).expect("a kind");
    }
    let (group, kind) = ("apps".parse(), "Deployment".parse());
    let (group, kind) = (group.expect("a group"), kind.expect("a kind"));
    let added = project.add_controller(group, None, &kind, None, false);
    added.expect("a kind of Kubernetes");
    project
}

/// Every field, with dots between the levels. A loop gives what is in a list any name it likes.
fn fields(data: &Value, prefix: &str, found: &mut BTreeSet<String>) {
    match data {
        Value::Object(object) => {
            for (key, value) in object {
                let path = [prefix, key].concat();
                fields(value, &format!("{path}."), found);
                if !value.is_object() {
                    found.insert(path);
                }
            }
        }
        Value::Array(items) => {
            for item in items.iter().filter(|item| item.is_object()) {
                fields(item, ".", found);
            }
        }
        _ => {}
    }
}

fn is_of_kinds(set: &dyn Set) -> bool {
    set.folder().starts_with("kind/")
}

#[test]
fn every_declared_field_is_used() {
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    for template in engine::templates() {
        texts
            .entry(template.path.set)
            .or_default()
            .push_str(template.text());
    }
    let all: String = texts.values().map(String::as_str).collect();
    let mut of_kinds = BTreeSet::new();
    for set in sets::all() {
        let project = project();
        for instance in set.instances(&Common::new(&project)).expect("data") {
            let mut declared = BTreeSet::new();
            fields(&instance.data, "", &mut declared);
            for field in declared {
                if field.starts_with("project.") {
                    // `project` is the same everywhere: one template that uses it is enough.
                    assert!(all.contains(&field), "no template uses {field}");
                } else if is_of_kinds(&*set) {
                    of_kinds.insert(field);
                } else {
                    assert!(
                        texts[&*set.folder()].contains(&field),
                        "{} declares {field} for nothing",
                        set.folder()
                    );
                }
            }
        }
    }
    for field in of_kinds {
        let is_used = sets::all()
            .iter()
            .filter(|set| is_of_kinds(&***set))
            .any(|set| texts[&*set.folder()].contains(&field));
        assert!(is_used, "no template of a kind uses {field}");
    }
}

/// A template that uses what is not declared fails to render.
#[test]
fn every_template_renders() {
    let tree = super::render(&project()).expect("a tree");
    assert!(tree.files().count() > engine::templates().count() / 2);
}

/// What kinds have in common is found once.
#[test]
fn many_kinds_are_rendered_in_one_go() {
    let mut project = project();
    for n in 0..150 {
        let kind = format!("Kind{n}").parse().expect("a kind");
        let group = "app".parse().expect("a group");
        let version = "v1".parse().expect("a version");
        let new = ProjectKind::own(project.domain.clone(), group, version, kind);
        project.add(new).expect("a kind");
    }
    super::render(&project).expect("files");
}

/// A crate of the user's choice must be none of them.
#[test]
fn the_dependencies_of_a_project_are_known() {
    let project = project();
    let tree = super::render(&project).expect("files");
    let mut found = BTreeSet::new();
    for path in ["Cargo.toml", "api/Cargo.toml"] {
        let text = tree.get(path).expect(path).text();
        let manifest: toml_edit::DocumentMut = text.parse().expect("TOML");
        for table in ["dependencies", "dev-dependencies"] {
            let table = manifest.get(table).and_then(|item| item.as_table_like());
            let names = table.into_iter().flat_map(toml_edit::TableLike::iter);
            found.extend(names.map(|(name, _)| name.to_owned()));
        }
    }
    found.remove(&project.project_name.api_package());
    found.retain(|name| {
        project
            .external_kinds()
            .all(|kind| kind.external_crate().is_none_or(|of| of.name() != name))
    });
    assert_eq!(found, DEPENDENCIES.map(str::to_owned).into());
}
