//! A Helm chart, from the objects that kustomize gives of `config/default`.
//!
//! What a component adds or changes is found by rendering without it, so each component is a toggle of the chart that
//! takes all its parts along. Names and the namespace are rendered as marks, which become Helm's expressions wherever
//! they are. The rest is literal.

mod combine;
mod components;
mod names;
mod node;
mod operator;
mod package;
mod place;
mod rendered;
mod scopes;
mod settings;
mod size;
mod toggles;
mod when;
mod write;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::manager::{container_index, is_manager};
use crate::manifest;
use crate::objects::{ObjectId, Objects, is_crd};
use crate::plan::{File, Ownership, Tree, is_headed, without_header};
use crate::project::Project;
use crate::reference;
use crate::template::{self, ProjectData};
use crate::yaml;

use super::{Manifests, Output};

use components::{Component, Components};
use names::Names;
use node::{NAMESPACE, Node, PREFIX};
pub use package::Package;
use rendered::Object;
use settings::Settings;
use when::When;
use write::{Writer, name_of};

/// The schema of the values: who has it has a chart of rop's.
const SCHEMA: &str = "values.schema.json";

/// The templates of every chart.
const BASE: &str = "chart-base";

/// The values.
const VALUES: &str = "values.yaml";

/// Where the CRDs of a chart are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crds {
    /// In the chart: an upgrade of the chart upgrades them.
    Templates,
    /// In a chart of their own beside it, for releases that are too large for one Secret.
    Separate,
}

impl Crds {
    /// Where the chart in a folder has them.
    pub fn of(folder: &str, view: &View) -> Self {
        if is_chart(&beside(folder), view) {
            Self::Separate
        } else {
            Self::Templates
        }
    }
}

/// The chart.
#[derive(Debug)]
pub struct Chart;

impl Chart {
    /// Where it is if nobody asked for another place: only this one is kept up to date.
    pub const PATH: &str = "dist/chart";

    /// The files of the chart in a folder.
    ///
    /// # Errors
    /// The manifests cannot be rendered in memory, or the values that are there are no YAML.
    pub fn files(folder: &str, crds: Crds, manifests: &Manifests<'_>) -> Result<Tree> {
        let view = manifests.planned_view()?;
        check_values(&view, folder)?;
        let content = Content::new(manifests.project, &view)?;
        let mut tree = Tree::default();
        for note in &content.notes {
            tree.note(note.clone());
        }
        let is_crd = |path: &String| path.starts_with(place::CRDS);
        let (of_crds, others): (BTreeMap<_, _>, BTreeMap<_, _>) = content
            .templates
            .into_iter()
            .partition(|(path, _)| crds == Crds::Separate && is_crd(path));
        let Data { name, .. } = &content.data;
        if crds == Crds::Separate {
            let data = Data {
                name: format!("{name}-crds"),
                description: format!("The CRDs of the operator {name}"),
                ..content.data.clone()
            };
            let settings = content
                .settings
                .with_default("fullnameOverride", name.as_str().into());
            add(
                &mut tree,
                &beside(folder),
                &data,
                &[BASE],
                &of_crds,
                &settings,
            )?;
        }
        let sets = [BASE, "chart-operator"];
        add(
            &mut tree,
            folder,
            &content.data,
            &sets,
            &others,
            &content.settings,
        )?;
        if let Some(note) = size::note(&tree) {
            tree.note(note);
        }
        Ok(tree)
    }

    /// Whether rop wrote the chart in a folder.
    pub fn is_at(folder: &str, view: &View) -> bool {
        is_chart(folder, view)
    }

    /// The files in a folder, and in that of its CRDs, that rop wrote and rewrites.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn written(folder: &str, view: &View) -> Result<Tree> {
        let mut tree = Tree::default();
        for folder in [folder.to_owned(), beside(folder)] {
            let schema = format!("{folder}/{SCHEMA}");
            let paths = view.own_files_in(&format!("{folder}/templates"))?;
            for path in paths.into_iter().chain([schema]) {
                let text = view.read(&path)?.unwrap_or_default();
                if is_headed(&path, &text) {
                    tree.insert(File::owned(path, without_header(&text).to_owned()));
                }
            }
        }
        Ok(tree)
    }
}

/// Fails where the values of a chart cannot be read: a merge looks at them only when there is something to add.
fn check_values(view: &View, folder: &str) -> Result<()> {
    let path = format!("{folder}/{VALUES}");
    let text = view.read_own(&path)?.unwrap_or_default();
    let values = yaml::from_str::<Value>(&text);
    values
        .map(drop)
        .map_err(|error| Error::new(Code::MalformedFile, error.in_file(&path)).hint("fix the file"))
}

/// Adds a chart to a tree: the templates in `sets`, which are rendered here, and those for Helm alone.
fn add(
    tree: &mut Tree,
    folder: &str,
    data: &Data,
    sets: &[&str],
    templates: &BTreeMap<String, String>,
    settings: &Settings,
) -> Result<()> {
    let mut fixed = Tree::default();
    for set in sets {
        fixed.extend(template::render_folder(set, data)?);
    }
    // What is printed after an installation need not know all values.
    let is_manifest = |file: &&File| !file.path().ends_with(".txt");
    let bodies = fixed.files().filter(is_manifest).map(File::body);
    let used: Vec<&str> = templates
        .values()
        .map(String::as_str)
        .chain(bodies)
        .collect();
    let settings = settings.used_in(&used);
    let mut add = |path: &str, ownership, text: &str| {
        tree.insert(File::new(
            format!("{folder}/{path}"),
            ownership,
            text.to_owned(),
        ));
    };
    for file in fixed.files() {
        add(file.path(), file.ownership(), file.body());
    }
    for (path, text) in templates {
        add(&format!("templates/{path}"), Ownership::Owned, text);
    }
    add(SCHEMA, Ownership::Owned, &settings.to_schema());
    add(VALUES, Ownership::Shared, &settings.to_yaml()?);
    Ok(())
}

/// The chart of the CRDs beside that in a folder.
fn beside(folder: &str) -> String {
    format!("{folder}-crds")
}

/// Whether rop wrote the chart in a folder.
fn is_chart(folder: &str, view: &View) -> bool {
    let path = format!("{folder}/{SCHEMA}");
    let text = view.read(&path).ok().flatten();
    text.is_some_and(|text| is_headed(&path, &text))
}

impl Output for Chart {
    fn name(&self) -> &'static str {
        Self::PATH
    }

    fn command(&self) -> &'static str {
        "generate chart"
    }

    /// A chart that rop did not write is none.
    fn is_in(&self, view: &View) -> bool {
        is_chart(Self::PATH, view)
    }

    fn tree(&self, manifests: &Manifests<'_>) -> Result<Tree> {
        let crds = Crds::of(Self::PATH, manifests.view());
        Self::files(Self::PATH, crds, manifests)
    }

    fn generated(&self, view: &View, _last: &Project) -> Result<Tree> {
        if self.is_in(view) {
            Self::written(Self::PATH, view)
        } else {
            Ok(Tree::default())
        }
    }
}

/// What the templates of the chart's fixed files need.
#[derive(Clone, Serialize)]
struct Data {
    project: ProjectData,
    name: String,
    description: String,
    /// The version of the operator.
    app_version: String,
    /// The expression for the name of the service account, as the manifests name it.
    account: String,
}

/// What a chart has.
struct Content {
    data: Data,
    /// The manifests, by their paths in the folder of templates.
    templates: BTreeMap<String, String>,
    settings: Settings,
    notes: Vec<String>,
}

impl Content {
    fn new(project: &Project, view: &View) -> Result<Self> {
        let components = Components::read(view)?;
        let mut notes = Vec::new();
        let objects = chosen(rendered::objects(view, &components)?, &mut notes);
        let chart = project.project_name.to_string();
        let mut settings = Settings::default();
        for (name, about) in [
            ("nameOverride", "Name of the chart, in names of objects."),
            (
                "fullnameOverride",
                "What names of objects start with [default: the release, and the chart].",
            ),
        ] {
            settings.add(name, about, "".into());
        }
        let all = with_values(objects, &chart, &components.all, &mut settings);
        let cluster = manifest::cluster_scoped(project);
        let mut templates: BTreeMap<String, String> = BTreeMap::new();
        for object in &all {
            let file = place::file(object, &components.all);
            let text = written(object, &all, &chart, &cluster)?;
            let before = templates.entry(file).or_default();
            before.push_str(&text);
        }
        let deployment = all
            .iter()
            .map(|object| &object.value)
            .find(|object| is_manager(object));
        let deployment = deployment.unwrap_or(&Value::Null);
        Ok(Self {
            data: Data {
                project: ProjectData::new(project),
                name: chart.clone(),
                description: format!("The operator {chart}"),
                app_version: app_version(deployment).to_owned(),
                account: account(deployment, &chart),
            },
            templates,
            settings,
            notes,
        })
    }
}

/// The version of the operator: the tag of its image.
fn app_version(deployment: &Value) -> &str {
    let index = container_index(deployment).unwrap_or_default();
    let image = &deployment["spec"]["template"]["spec"]["containers"][index]["image"];
    let (_, tag, _) = reference::split(image.as_str().unwrap_or_default());
    tag.filter(|tag| !tag.is_empty()).unwrap_or("latest")
}

/// The expression for the name of the operator's service account, as the manifests name it.
fn account(deployment: &Value, chart: &str) -> String {
    let name = deployment["spec"]["template"]["spec"]["serviceAccountName"].as_str();
    let name = name.unwrap_or("default");
    match name.strip_prefix(PREFIX) {
        Some(suffix) => name_of(chart, suffix).replace('$', "."),
        None => write::go(name),
    }
}

/// The objects that a chart has: not the namespace, which is the release's, and no objects of the project's kinds, whose
/// CRDs are not there before.
fn chosen(objects: Vec<Object>, notes: &mut Vec<String>) -> Vec<Object> {
    let crds: Objects = objects
        .iter()
        .map(|object| object.value.clone())
        .filter(is_crd)
        .collect();
    let is_chosen = |object: &Object| {
        let is_namespace = object.kind() == "Namespace"
            && object.value["metadata"]["name"]
                .as_str()
                .is_some_and(|name| name.starts_with(NAMESPACE));
        !is_namespace && !crds.define(&object.value)
    };
    let (chosen, others): (Vec<_>, Vec<_>) = objects.into_iter().partition(is_chosen);
    for object in others.iter().filter(|object| object.kind() != "Namespace") {
        let id = ObjectId::of(&object.value);
        notes.push(format!(
            "the chart leaves out {} {}: apply it after the chart",
            id.kind,
            object.name()
        ));
    }
    chosen
}

/// The objects, with what values decide.
fn with_values(
    mut objects: Vec<Object>,
    chart: &str,
    components: &[Component],
    settings: &mut Settings,
) -> Vec<Object> {
    let operator = objects.iter().find(|object| is_manager(&object.value));
    let account = operator
        .map(|object| object.value["spec"]["template"]["spec"]["serviceAccountName"].clone());
    let names = Names {
        chart,
        account: account.as_ref().filter(|account| account.is_string()),
    };
    for object in objects
        .iter_mut()
        .filter(|object| is_manager(&object.value))
    {
        operator::apply(object, &names, settings);
    }
    let all = objects.clone();
    for object in &mut objects {
        toggles::apply(object, &all, &names, settings);
    }
    for component in components {
        let about = format!("Include {}.", component.folder);
        settings.add(&component.switch(), &about, component.is_on.into());
    }
    settings.add(
        "commonLabels",
        "Labels of all objects.",
        serde_json::json!({}),
    );
    objects
}

/// The text of an object.
fn written(
    object: &Object,
    all: &[Object],
    chart: &str,
    cluster: &scopes::Resources,
) -> Result<String> {
    let mut writer = Writer::new(chart);
    writer.on(&object.when, |writer| {
        if let Some(reason) = toggles::needs_webhook(object) {
            writer.action("if not .Values.webhook.enabled");
            writer.action(&format!("fail {}", write::go(&reason)));
            writer.action("end");
        }
        if toggles::is_manager_role(object) {
            return scopes::write(object, all, cluster, writer);
        }
        writer.line("---");
        writer.object(&inner(object))
    })?;
    Ok(writer.finish())
}

/// The tree of an object, without the conditions that hold for all of it.
fn inner(object: &Object) -> Node {
    fn without(node: &mut Node, when: &When) {
        if let Node::Map(children) | Node::List(children) = node {
            for child in children {
                child.when = child.when.without(when);
                without(&mut child.node, when);
            }
        }
    }
    let mut node = object.node.clone();
    without(&mut node, &object.when);
    node
}
