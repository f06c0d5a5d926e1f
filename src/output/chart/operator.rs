//! The Deployment of the operator: what of it comes from values.

use serde_json::{Value, json};

use crate::error::{Code, Error, Result};
use crate::expression::expression;
use crate::manager::{container_index, is_manager};
use crate::objects::unknown_container;
use crate::reference;

use super::fields::members;
use super::names::Names;
use super::node::{Child, Node};
use super::rendered::{Object, without_prefix};
use super::settings::{SUBDOMAIN, Settings};
use super::when::When;
use super::{container, fields};

/// An image without its tag: a colon is only in the registry's address.
const REPOSITORY: &str = "((\\[[0-9a-fA-F:]+\\]|[A-Za-z0-9.-]+)(:[0-9]+)?/)?[a-z0-9._/-]+";

/// The tag of an image.
const TAG: &str = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";

/// The digest of an image.
const DIGEST: &str = "[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";

/// Kinds of objects that have pods.
const WORKLOADS: [&str; 5] = ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"];

/// Refuses an image that Helm would refuse as a default: the schema of the values has the same patterns.
///
/// # Errors
/// The container of the operator in `deployment` is unknown, or a part of its image is invalid.
pub(super) fn check_image(deployment: &Value) -> Result<()> {
    let index = container_index(deployment).ok_or_else(|| {
        let name = without_prefix(&deployment["metadata"]["name"]);
        unknown_container(
            &format!("Deployment {} in `config/`", name.escape_debug()),
            deployment,
        )
    })?;
    let image = &deployment["spec"]["template"]["spec"]["containers"][index]["image"];
    let image = image.as_str().unwrap_or_default();
    let (repository, tag, digest) = reference::split(image);
    let parts = [(Some(repository), REPOSITORY), (tag, TAG), (digest, DIGEST)];
    for (part, pattern) in parts {
        let part = part.unwrap_or_default();
        let is_valid = |regex: regex::Regex| regex.is_match(part);
        if !(part.is_empty() || expression(&format!("^({pattern})$")).is_some_and(is_valid)) {
            let message = format!(
                "invalid image `{}` in `config/manager`: `{}` cannot be a default of the chart, because Helm would refuse it",
                image.escape_debug(),
                part.escape_debug()
            );
            return Err(Error::new(Code::MalformedFile, message).hint(
                "write the image in `config/manager/manager.yaml`, or in `images:` of \
                 `config/manager/kustomization.yaml`, as `registry.example.com/app-operator:v1`",
            ));
        }
    }
    Ok(())
}

/// Lets values decide about a Deployment of the operator.
pub(super) fn apply(object: &mut Object, names: &Names<'_>, settings: &mut Settings) {
    let value = object.default.clone();
    let Some(index) = container_index(&value) else {
        return;
    };
    let template = &value["spec"]["template"]["spec"];
    let container = &template["containers"][index];
    image(object, container, names, settings);
    settings.add(
        "replicas",
        "Number of replicas; leader election keeps one active.",
        value["spec"]["replicas"].as_u64().unwrap_or(1).into(),
    );
    let spec = object.node.field("spec");
    let replicas = Node::Action(".Values.replicas".to_owned());
    fields::replace(spec, &value["spec"], Child::new("replicas", replicas));
    fields::apply(spec, &value["spec"], &fields::DEPLOYMENT, settings);
    let pod = object.node.at(&["spec", "template", "spec"]);
    fields::apply(pod, template, &fields::POD, settings);
    members(
        pod,
        "volumes",
        "extraVolumes",
        "Additional volumes of the pod.",
        settings,
    );
    if let Some(account) = names.account {
        settings.add(
            "serviceAccount.create",
            "Create the service account of the operator.",
            true.into(),
        );
        settings.add_text(
            "serviceAccount.name",
            "Name of the service account. Required if `create` is false.",
            "".into(),
            SUBDOMAIN,
        );
        settings.add_texts(
            "serviceAccount.annotations",
            "Annotations of the service account.",
            json!({}),
        );
        if template["serviceAccountName"] == *account {
            let name = Node::Action(names.account_name());
            fields::replace(pod, template, Child::new("serviceAccountName", name));
        }
    }
    let node = container_node(object, container);
    fields::apply(node, container, &fields::CONTAINER, settings);
    container::arguments(node, settings);
    container::environment(node, settings);
    members(
        node,
        "volumeMounts",
        "extraVolumeMounts",
        "Additional volume mounts of the operator.",
        settings,
    );
    metadata(object, settings);
}

/// What is to be said of a workload that is not the operator's: the values of the pod are not for it.
pub(super) fn note(object: &Object) -> Option<String> {
    let is_workload = WORKLOADS.contains(&object.kind()) && !is_manager(&object.value);
    is_workload.then(|| {
        format!(
            "the values of the operator's pod, such as `imagePullSecrets`, `nodeSelector` and `tolerations`, do not \
             apply to {} {}, which has only what `config/` sets",
            object.kind(),
            object.name().escape_debug()
        )
    })
}

/// The container that is the operator: a component that is off may have put another one before it.
fn container_node<'a>(object: &'a mut Object, container: &Value) -> &'a mut Node {
    let containers = object.node.at(&["spec", "template", "spec", "containers"]);
    let containers = containers.items();
    let is_operator = |child: &mut Child| {
        let mut node = child.node.clone();
        node.field("name").literal() == container.get("name")
    };
    let index = containers.iter_mut().position(is_operator);
    &mut containers[index.unwrap_or_default()].node
}

fn image(object: &mut Object, container: &Value, names: &Names<'_>, settings: &mut Settings) {
    let (repository, _, digest) = reference::split(container["image"].as_str().unwrap_or_default());
    settings.add_text(
        "image.repository",
        "Image of the operator, without its tag.",
        repository.into(),
        REPOSITORY,
    );
    settings.add_text(
        "image.tag",
        "Tag of the image [default: the appVersion of the chart].",
        "".into(),
        TAG,
    );
    settings.add_text(
        "image.digest",
        "Digest of the image, such as sha256:…; the tag is ignored.",
        digest.unwrap_or_default().into(),
        DIGEST,
    );
    let default_policy = container["imagePullPolicy"].as_str().unwrap_or_default();
    settings.add_with(
        "image.pullPolicy",
        "Image pull policy [default: Always for the tag latest, else IfNotPresent].",
        default_policy.into(),
        json!({ "type": "string", "enum": ["", "Always", "IfNotPresent", "Never"] }),
    );
    let node = container_node(object, container);
    let image = format!("include \"{}.image\" . | quote", names.chart);
    fields::replace(node, container, Child::new("image", Node::Action(image)));
    let policy = Node::Action(".Values.image.pullPolicy".to_owned());
    let policy = Child::new("imagePullPolicy", policy).when(When::on("image.pullPolicy"));
    fields::replace(node, container, policy);
}

fn metadata(object: &mut Object, settings: &mut Settings) {
    settings.add_texts("annotations", "Annotations of the Deployment.", json!({}));
    settings.add_texts("podAnnotations", "Annotations of the pod.", json!({}));
    settings.add_texts("podLabels", "Additional labels of the pod.", json!({}));
    for (path, value) in [
        (&["metadata", "annotations"][..], "annotations"),
        (
            &["spec", "template", "metadata", "annotations"],
            "podAnnotations",
        ),
        (&["spec", "template", "metadata", "labels"], "podLabels"),
    ] {
        if let [around @ .., field] = path {
            fields::merge(object.node.at(around), field, value);
        }
    }
}
