//! Kinds of other operators: their types, from the CRDs that the project keeps.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::external::{self, Definition, Named, Sample};
use crate::plan::{File, Ownership, Tree, without_header};
use crate::project::{Admission, Controller, Project, ProjectKind};
use crate::yaml;

/// Puts the types, their CRDs, and the objects that tests of their kinds start from into a tree.
pub(super) fn add(
    view: &View,
    project: &Project,
    must_be_there: bool,
    tree: &mut Tree,
) -> Result<()> {
    let tested = Tested::new(project);
    for kind in project.external_kinds() {
        let definition = match definition(view, kind) {
            Ok(definition) => definition,
            Err(error) if must_be_there => return Err(error),
            // Nothing can be made of what is not there.
            Err(_) => continue,
        };
        add_types(kind, &definition, tree)?;
        for file in fixtures(&tested, kind, &definition)? {
            // The template knows no CRD.
            tree.replace(file);
        }
    }
    Ok(())
}

/// What has tests that start from an object of a kind.
struct Tested<'a> {
    project: &'a Project,
    controllers: Vec<Controller<'a>>,
    webhooks: Vec<Admission<'a>>,
    policies: Vec<Admission<'a>>,
}

impl<'a> Tested<'a> {
    fn new(project: &'a Project) -> Self {
        Self {
            project,
            controllers: project.controllers(),
            webhooks: project.webhook_kinds(),
            policies: project.policy_kinds(),
        }
    }
}

/// The types and the CRDs that they are made of, as they should be.
///
/// # Errors
/// A CRD is not there or cannot be read.
pub(crate) fn external_types(view: &View, project: &Project) -> Result<Tree> {
    let mut tree = Tree::default();
    for kind in project.external_kinds() {
        add_types(kind, &definition(view, kind)?, &mut tree)?;
    }
    Ok(tree)
}

fn add_types(kind: &ProjectKind, definition: &Definition, tree: &mut Tree) -> Result<()> {
    if kind.has_generated_types() {
        let types = external::types(definition, &kind.type_name())?;
        tree.insert(File::owned(kind.hub().types_file(), types.text));
    }
    // Several versions have one.
    tree.replace(File::owned(
        kind.crd(),
        yaml::to_string(&definition.manifest)?,
    ));
    Ok(())
}

/// A kind as the CRD has it that the project keeps.
fn definition(view: &View, kind: &ProjectKind) -> Result<Definition> {
    let path = kind.crd();
    let text = view.read(&path)?.ok_or_else(|| missing_crd(kind))?;
    Definition::read(without_header(&text), &path, &named(kind)).map_err(|error| {
        error.hint(format!(
            "revert the change in it, or replace the CRD: `{} --force`",
            kind.create("FILE")
        ))
    })
}

/// The objects that the tests of the controllers, webhooks and policies of a kind start from.
fn fixtures(tested: &Tested<'_>, kind: &ProjectKind, definition: &Definition) -> Result<Vec<File>> {
    let Tested { project, .. } = tested;
    let label = format!("{}/{}", project.domain, project.project_name);
    let controllers = tested
        .controllers
        .iter()
        .filter(|controller| controller.of.is(kind.hub()))
        .map(|controller| {
            let name = format!("{}-sample", controller.runtime_name());
            let name = definition.name(&name).unwrap_or(name);
            let labels = BTreeMap::from([(&label, "enabled")]);
            let metadata = json!({ "labels": labels, "name": name });
            (controller.source(), metadata)
        });
    let is_of_kind = |admission: &&Admission<'_>| admission.kind.hub().is(kind.hub());
    let webhooks = tested.webhooks.iter().filter(is_of_kind);
    let policies = tested.policies.iter().filter(is_of_kind);
    let admission = webhooks
        .map(Admission::folder)
        .chain(policies.map(Admission::policy_test_folder))
        .map(|folder| {
            let metadata = match definition.name("test-a") {
                Some(name) => json!({ "name": name }),
                None => json!({ "generateName": "test-" }),
            };
            (folder, metadata)
        });
    let files = controllers.chain(admission).map(|(folder, metadata)| {
        let mut object = json!({
            "apiVersion": kind.hub().api_version(),
            "kind": kind.name.as_str(),
            "metadata": metadata,
        });
        if let Value::Object(fields) = &mut object {
            fields.extend(definition.sample().fields);
        }
        Ok(File::new(
            format!("{folder}/fixture.yaml"),
            Ownership::Seeded,
            yaml::to_string(&object)?,
        ))
    });
    files.collect()
}

/// The objects that tests start from and that a user has to complete or to check, by their files.
pub(crate) fn unsure_fixtures(view: &View, project: &Project) -> Result<Vec<(String, Sample)>> {
    let mut found = Vec::new();
    let tested = Tested::new(project);
    for kind in project.external_kinds() {
        let definition = definition(view, kind)?;
        let sample = definition.sample();
        if !sample.faults.is_empty() || !sample.rules.is_empty() {
            let files = fixtures(&tested, kind, &definition)?.into_iter();
            found.extend(files.map(|file| (file.path().to_owned(), sample.clone())));
        }
    }
    Ok(found)
}

fn named(kind: &ProjectKind) -> Named<'_> {
    let group = kind.api_group();
    Named {
        group: group.into(),
        kind: kind.name.as_str(),
        version: Some(kind.hub.as_str()),
    }
}

fn missing_crd(kind: &ProjectKind) -> Error {
    let message = format!(
        "the CRD of {} does not exist: `{}`",
        kind.hub().gvk(),
        kind.crd()
    );
    Error::new(Code::FilesMissing, message)
        .hint(format!("add the CRD again: `{}`", kind.create("FILE")))
}
