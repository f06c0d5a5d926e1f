//! What a chart has: the objects of `config/default` as templates, and the values that they use.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use crate::disk::View;
use crate::dns;
use crate::error::{Code, Error, Result};
use crate::manager::{container_index, is_manager};
use crate::manifest;
use crate::objects::{ObjectId, Objects, is_crd};
use crate::project::Project;
use crate::reference;
use crate::template::ProjectData;

use super::super::Renderer;
use super::components::Components;
use super::container::ELECTION;
use super::hosts::Texts;
use super::names::Names;
use super::node::{NAMESPACE, Node, PREFIX};
use super::rendered::{self, Object};
use super::settings::Settings;
use super::when::When;
use super::write::{self, Writer, name_of};
use super::{operator, place, scopes, toggles};

/// Why several pods need an election.
const SEVERAL: &str = "replicas is above 1, but leaderElection.enabled is false: several pods would reconcile the same \
                       objects; set leaderElection.enabled=true, or replicas=1";

/// The value with labels of all objects.
const COMMON_LABELS: &str = "commonLabels";

/// What the templates of the chart's fixed files need.
#[derive(Clone, Serialize)]
pub(super) struct Data {
    pub(super) project: ProjectData,
    pub(super) name: String,
    pub(super) description: String,
    /// The version of the operator.
    pub(super) app_version: String,
    /// The expression for the name of the service account, as the manifests name it.
    pub(super) account: String,
    /// The names of the CRDs.
    pub(super) crds: String,
}

/// What a chart has.
pub(super) struct Content {
    pub(super) data: Data,
    /// The manifests, by their paths in the folder of templates.
    pub(super) templates: BTreeMap<String, String>,
    pub(super) settings: Settings,
    pub(super) notes: Vec<String>,
}

impl Content {
    /// That of a project. `renderer` renders what is not rendered in memory.
    pub(super) fn new(
        project: &Project,
        view: &View,
        renderer: Option<Renderer<'_>>,
    ) -> Result<Self> {
        let mut taken = BTreeSet::new();
        loop {
            let components = Components::read(view, &taken)?;
            if let Some(content) = Self::with(project, view, components, renderer, &mut taken)? {
                return Ok(content);
            }
        }
    }

    /// That of a project with these components. None if a value of one is the chart's own: those are then `taken`.
    fn with(
        project: &Project,
        view: &View,
        mut components: Components,
        renderer: Option<Renderer<'_>>,
        taken: &mut BTreeSet<String>,
    ) -> Result<Option<Self>> {
        let mut notes = Vec::new();
        let objects = rendered::objects(view, &mut components, renderer, &mut notes)?;
        let mut objects = chosen(objects, &mut notes);
        let texts = Texts::new(&objects, &components);
        for object in &mut objects {
            texts.apply(object);
        }
        let chart = project.project_name.to_string();
        let mut settings = Settings::default();
        for (name, about, pattern) in [
            (
                "nameOverride",
                "Name of the chart, in names of objects.",
                "[a-z0-9][-a-z0-9]*",
            ),
            (
                "fullnameOverride",
                "Prefix of all object names [default: release and chart name].",
                // A Service starts with a letter.
                "[a-z][-a-z0-9]*",
            ),
        ] {
            settings.add_text(name, about, "".into(), pattern);
        }
        let cluster = manifest::cluster_scoped(project);
        let operator = objects.iter().find(|object| is_manager(&object.value));
        if let Some(operator) = operator {
            operator::check_image(&operator.default)?;
        }
        let name = operator
            .map(|object| object.default["spec"]["template"]["spec"]["serviceAccountName"].clone());
        let names = Names {
            chart: &chart,
            account: name.as_ref().filter(|name| name.is_string()),
        };
        let all = with_values(objects, &names, &mut settings);
        taken.extend(settings.groups());
        taken.insert(COMMON_LABELS.to_owned());
        let mut values = components.all.iter().map(|component| &component.value);
        if values.any(|value| taken.contains(value)) {
            return Ok(None);
        }
        for component in &components.all {
            let about = format!("Include config/{}.", component.name());
            settings.add(&component.switch(), &about, component.is_on.into());
        }
        settings.add_texts(COMMON_LABELS, "Labels of all objects.", json!({}));
        notes.extend(
            all.iter()
                .filter_map(|object| scopes::note(object, &all, &cluster, &names)),
        );
        notes.extend(
            all.iter()
                .filter_map(|object| texts.note(object, &components.all)),
        );
        notes.extend(all.iter().filter_map(operator::note));
        let mut templates: BTreeMap<String, String> = BTreeMap::new();
        for object in &all {
            let file = place::file(object, &components.all);
            let text = written(object, &all, &chart, &settings, &cluster)?;
            let before = templates.entry(file).or_default();
            before.push_str(&text);
        }
        let deployment = all
            .iter()
            .map(|object| &object.default)
            .find(|object| is_manager(object))
            .unwrap_or(&Value::Null);
        Ok(Some(Self {
            data: Data {
                project: ProjectData::new(project),
                name: chart.clone(),
                description: format!("The operator {chart}"),
                app_version: app_version(deployment).to_owned(),
                account: account(deployment, &chart),
                crds: crds(&all)?,
            },
            templates,
            settings,
            notes,
        }))
    }
}

/// The version of the operator: the tag of its image.
fn app_version(deployment: &Value) -> &str {
    let index = container_index(deployment).unwrap_or_default();
    let image = &deployment["spec"]["template"]["spec"]["containers"][index]["image"];
    let (_, tag, _) = reference::split(image.as_str().unwrap_or_default());
    tag.filter(|tag| !tag.is_empty()).unwrap_or("latest")
}

/// The names of the CRDs, as arguments of kubectl.
///
/// # Errors
/// One is no name of a CRD: Helm, or a shell, would take it for code.
fn crds(all: &[Object]) -> Result<String> {
    let crds = all.iter().filter(|object| is_crd(&object.value));
    let mut names: Vec<_> = crds.map(Object::name).collect();
    names.sort_unstable();
    names.dedup();
    for name in &names {
        dns::subdomain_1123(name).map_err(|rule| {
            let message = format!("invalid name `{name}` of a CRD in `config/`: {rule}");
            Error::new(Code::MalformedFile, message).hint("run `rop generate manifests`")
        })?;
    }
    Ok(names.join(" "))
}

/// The expression for the name of the operator's service account, as the manifests name it.
fn account(deployment: &Value, chart: &str) -> String {
    let name = deployment["spec"]["template"]["spec"]["serviceAccountName"]
        .as_str()
        .unwrap_or("default");
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
            object.name().escape_debug()
        ));
    }
    chosen
}

/// The objects, with what values decide.
fn with_values(
    mut objects: Vec<Object>,
    names: &Names<'_>,
    settings: &mut Settings,
) -> Vec<Object> {
    for object in objects
        .iter_mut()
        .filter(|object| is_manager(&object.value))
    {
        operator::apply(object, names, settings);
    }
    let all = objects.clone();
    for object in &mut objects {
        toggles::apply(object, &all, names, settings);
    }
    objects
}

/// The text of an object.
fn written(
    object: &Object,
    all: &[Object],
    chart: &str,
    settings: &Settings,
    cluster: &scopes::Resources,
) -> Result<String> {
    let mut writer = Writer::new(chart);
    let mut node = inner(object);
    writer.on(&object.when, |writer| {
        if is_manager(&object.value) && settings.has(ELECTION) {
            refuse_several(node.field("spec"), writer)?;
        }
        if let Some(reason) = toggles::needs_webhook(object) {
            fail_if("not .Values.webhook.enabled", &reason, writer);
        }
        // People can be granted a ClusterRole in any namespace, and a Role only in its own.
        let is_of_namespaces = object.kind() == "Role" && toggles::is_user_role(object, all);
        if toggles::is_manager_role(object) || is_of_namespaces {
            return scopes::write(object, all, cluster, writer);
        }
        writer.line("---");
        writer.object(&node)
    })?;
    Ok(writer.finish())
}

/// Refuses several replicas of the operator without leader election, be they of the value or of a component.
fn refuse_several(spec: &mut Node, writer: &mut Writer) -> Result<()> {
    let replicas = spec.fields().iter();
    for child in replicas.filter(|child| child.key == "replicas") {
        let number = child.node.literal().map(Value::as_u64);
        let test = match number {
            Some(number) if number.is_none_or(|number| number <= 1) => continue,
            Some(_) => format!("not .Values.{ELECTION}"),
            None => format!("and (gt (int .Values.replicas) 1) (not .Values.{ELECTION})"),
        };
        writer.on(&child.when, |writer| {
            fail_if(&test, SEVERAL, writer);
            Ok(())
        })?;
    }
    Ok(())
}

/// Lets Helm fail under a condition.
fn fail_if(condition: &str, reason: &str, writer: &mut Writer) {
    writer.action(&format!("if {condition}"));
    writer.action(&format!("fail {}", write::go(reason)));
    writer.action("end");
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
