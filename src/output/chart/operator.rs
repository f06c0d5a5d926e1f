//! The Deployment of the operator: what of it comes from values.

use serde_json::{Value, json};

use crate::manager::container_index;
use crate::reference;

use super::names::Names;
use super::node::{Child, INDENT, Node};
use super::rendered::Object;
use super::settings::Settings;
use super::when::When;
use super::write::go;

/// A field whose value is that of `config/`, or nothing.
struct Field {
    name: &'static str,
    value: &'static str,
    about: &'static str,
    empty: Empty,
}

impl Field {
    const fn new(
        name: &'static str,
        value: &'static str,
        about: &'static str,
        empty: Empty,
    ) -> Self {
        Self {
            name,
            value,
            about,
            empty,
        }
    }
}

/// What a field that `config/` lacks is in the values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Empty {
    Map,
    List,
    Text,
}

impl From<Empty> for Value {
    fn from(empty: Empty) -> Self {
        match empty {
            Empty::Map => json!({}),
            Empty::List => json!([]),
            Empty::Text => json!(""),
        }
    }
}

/// The flag of the election.
const ELECTION: &str = "--leader-elect";

/// The flag without which there are no metrics.
const METRICS: &str = "--metrics-bind-address=";

/// The flag without which clients of the metrics are authenticated.
const SECURE: &str = "--metrics-secure=";

/// The variable that has the namespaces.
const WATCHED: &str = "WATCH_NAMESPACE";

/// Lets values decide about a Deployment of the operator.
pub(super) fn apply(object: &mut Object, names: &Names<'_>, settings: &mut Settings) {
    let value = object.value.clone();
    let Some(index) = container_index(&value) else {
        return;
    };
    let pod = &value["spec"]["template"]["spec"];
    let container = &pod["containers"][index];
    image(object, index, container, names, settings);
    let replicas = value["spec"]["replicas"].as_u64().unwrap_or(1);
    settings.add(
        "replicas",
        "Number of pods. Only one is active: leader election selects it.",
        replicas.into(),
    );
    let spec = object.node.field("spec");
    spec.set(Child::new(
        "replicas",
        Node::Action(".Values.replicas".to_owned()),
    ));
    self::fields(spec, &DEPLOYMENT, settings);
    let pod = object.node.at(&["spec", "template", "spec"]);
    self::fields(pod, &POD, settings);
    members(
        pod,
        "volumes",
        "extraVolumes",
        "More volumes of the pod.",
        settings,
    );
    if let Some(account) = names.account {
        settings.add(
            "serviceAccount.create",
            "Create the service account of the operator.",
            true.into(),
        );
        settings.add(
            "serviceAccount.name",
            "Name of the service account. Required if `create` is false.",
            "".into(),
        );
        settings.add(
            "serviceAccount.annotations",
            "Annotations of the service account.",
            json!({}),
        );
        if value["spec"]["template"]["spec"]["serviceAccountName"] == *account {
            pod.set(Child::new(
                "serviceAccountName",
                Node::Action(names.account_name()),
            ));
        }
    }
    let container = container_node(object, index);
    self::fields(container, &CONTAINER, settings);
    arguments(container, settings);
    environment(container, settings);
    members(
        container,
        "volumeMounts",
        "extraVolumeMounts",
        "More volume mounts of the operator.",
        settings,
    );
    metadata(object, settings);
}

/// The container that is the operator.
fn container_node(object: &mut Object, index: usize) -> &mut Node {
    let containers = object.node.at(&["spec", "template", "spec", "containers"]);
    &mut containers.items()[index].node
}

fn image(
    object: &mut Object,
    index: usize,
    container: &Value,
    names: &Names<'_>,
    settings: &mut Settings,
) {
    let (repository, _, digest) = reference::split(container["image"].as_str().unwrap_or_default());
    settings.add(
        "image.repository",
        "Image of the operator, without its tag.",
        repository.into(),
    );
    settings.add(
        "image.tag",
        "Tag of the image [default: the appVersion of the chart].",
        "".into(),
    );
    settings.add(
        "image.digest",
        "Digest of the image, such as sha256:…; the tag is ignored.",
        digest.unwrap_or_default().into(),
    );
    let policy = container["imagePullPolicy"].as_str().unwrap_or_default();
    settings.add_with(
        "image.pullPolicy",
        "When the image is pulled [default: Always for the tag latest, else IfNotPresent].",
        policy.into(),
        json!({ "type": "string", "enum": ["", "Always", "IfNotPresent", "Never"] }),
    );
    let node = container_node(object, index);
    let name = format!("include \"{}.image\" .", names.chart);
    node.set(Child::new("image", Node::Action(name)));
    let policy = Node::Action(".Values.image.pullPolicy".to_owned());
    node.set(Child::new("imagePullPolicy", policy).when(When::on("image.pullPolicy")));
}

/// Fields of the Deployment.
const DEPLOYMENT: [Field; 1] = [Field::new(
    "strategy",
    "strategy",
    "How a new version of the pod replaces the old one.",
    Empty::Map,
)];

/// Fields of the pod.
const POD: [Field; 7] = [
    Field::new(
        "imagePullSecrets",
        "imagePullSecrets",
        "Secrets to pull the image with, such as `- name: registry`.",
        Empty::List,
    ),
    Field::new(
        "nodeSelector",
        "nodeSelector",
        "Labels of the nodes that the pod may run on.",
        Empty::Map,
    ),
    Field::new(
        "tolerations",
        "tolerations",
        "Taints of nodes that the pod tolerates.",
        Empty::List,
    ),
    Field::new("affinity", "affinity", "Affinity of the pod.", Empty::Map),
    Field::new(
        "topologySpreadConstraints",
        "topologySpreadConstraints",
        "How pods are spread.",
        Empty::List,
    ),
    Field::new(
        "priorityClassName",
        "priorityClassName",
        "Priority class of the pod.",
        Empty::Text,
    ),
    Field::new(
        "securityContext",
        "podSecurityContext",
        "Security context of the pod.",
        Empty::Map,
    ),
];

/// Fields of the container.
const CONTAINER: [Field; 2] = [
    Field::new(
        "resources",
        "resources",
        "Requests and limits of the operator.",
        Empty::Map,
    ),
    Field::new(
        "securityContext",
        "securityContext",
        "Security context of the operator.",
        Empty::Map,
    ),
];

/// Takes fields from values. What a component changes of them stays in the template.
fn fields(node: &mut Node, fields: &[Field], settings: &mut Settings) {
    for Field {
        name: field,
        value,
        about,
        empty,
    } in fields
    {
        let children = node.fields();
        let all: Vec<&Child> = children
            .iter()
            .filter(|child| child.key == *field)
            .collect();
        let default = match &all[..] {
            [] => (*empty).into(),
            [child] if child.when.is_always() && child.node.literal().is_some() => {
                child.node.literal().cloned().unwrap_or_default()
            }
            _ => continue,
        };
        let child = if *empty == Empty::Text {
            let action = Node::Action(format!(".Values.{value}"));
            Child::new(*field, action).when(When::on(value))
        } else {
            Child::new(*field, Node::Value((*value).to_owned()))
        };
        settings.add(value, about, default);
        node.set(child);
    }
}

/// Lets a value add members to a list.
fn members(node: &mut Node, field: &str, value: &str, about: &str, settings: &mut Settings) {
    settings.add(value, about, json!([]));
    list(node, field).push(Child::new("", Node::Members(value.to_owned())));
}

/// A list that need not be there.
fn list<'a>(node: &'a mut Node, field: &str) -> &'a mut Vec<Child> {
    if node.fields().iter().all(|child| child.key != field) {
        node.set(Child::new(field, Node::List(Vec::new())));
    }
    node.field(field).items()
}

fn arguments(container: &mut Node, settings: &mut Settings) {
    let arguments = list(container, "args");
    let text = |child: &Child| {
        child
            .node
            .literal()
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let mut is_secure = true;
    let mut has_metrics = false;
    let mut kept = Vec::new();
    for mut child in std::mem::take(arguments) {
        let argument = text(&child).unwrap_or_default();
        if argument == ELECTION || argument == "--leader-elect=true" {
            settings.add(
                "leaderElection.enabled",
                "Elect a leader, so that only one of several pods is active, also during updates.",
                true.into(),
            );
            child.when = When::on("leaderElection.enabled").and(&child.when);
        } else if argument.starts_with(METRICS) && argument != format!("{METRICS}0") {
            has_metrics = true;
            child.when = When::on("metrics.enabled").and(&child.when);
        } else if let Some(secure) = argument.strip_prefix(SECURE) {
            is_secure = secure != "false";
            continue;
        }
        kept.push(child);
    }
    *arguments = kept;
    if has_metrics {
        settings.add("metrics.enabled", "Serve metrics.", true.into());
        settings.add(
            "metrics.secure",
            "Serve metrics with TLS, to clients that may read them. If false, everyone can read them without TLS.",
            is_secure.into(),
        );
        let plain = Node::Literal(format!("{SECURE}false").into());
        let when = When::on("metrics.enabled").and(&When::off("metrics.secure"));
        arguments.push(Child::new("", plain).when(when));
    }
    members(
        container,
        "args",
        "extraArgs",
        "More arguments of the operator.",
        settings,
    );
    settings.retype(
        "extraArgs",
        json!({ "type": "array", "items": { "type": "string" } }),
    );
    let ports = list(container, "ports").iter_mut();
    for port in ports.filter(|_| has_metrics) {
        if port.node.field("name").literal() == Some(&json!("metrics")) {
            port.when = When::on("metrics.enabled").and(&port.when);
        }
    }
}

fn environment(container: &mut Node, settings: &mut Settings) {
    settings.add_with(
        "watchNamespaces",
        "Namespaces that the operator watches, with a Role in each. None means those that it watches without the chart.",
        json!([]),
        json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true }),
    );
    let variables = list(container, "env");
    let mut place = variables.len();
    for (number, variable) in variables.iter_mut().enumerate() {
        if variable.node.field("name").literal() == Some(&json!(WATCHED)) {
            variable.when = variable.when.clone().and(&When::off("watchNamespaces"));
            place = number;
        }
    }
    let watched = vec![
        Child::new("name", Node::Literal(WATCHED.into())),
        Child::new(
            "value",
            Node::Action("join \",\" .Values.watchNamespaces | quote".to_owned()),
        ),
    ];
    let watched = Child::new("", Node::Map(watched)).when(When::on("watchNamespaces"));
    variables.insert(place, watched);
    members(
        container,
        "env",
        "extraEnv",
        "More environment variables of the operator.",
        settings,
    );
}

fn metadata(object: &mut Object, settings: &mut Settings) {
    settings.add("annotations", "Annotations of the Deployment.", json!({}));
    settings.add("podAnnotations", "Annotations of the pod.", json!({}));
    settings.add(
        "podLabels",
        "Labels of the pod, beside those that select it.",
        json!({}),
    );
    for (path, value) in [
        (&["metadata", "annotations"][..], "annotations"),
        (
            &["spec", "template", "metadata", "annotations"],
            "podAnnotations",
        ),
        (&["spec", "template", "metadata", "labels"], "podLabels"),
    ] {
        let [around @ .., field] = path else {
            continue;
        };
        let node = object.node.at(around);
        if node.fields().iter().all(|child| child.key != *field) {
            node.set(Child::new(*field, Node::Value(value.to_owned())));
            continue;
        }
        let fields = node.field(field);
        let literals = take_literals(fields);
        let merged = format!("toYaml (merge {literals} .Values.{value}) | nindent {INDENT}");
        fields.fields().push(Child::new("", Node::Lines(merged)));
    }
}

/// Takes the literal texts out of a mapping, as a dictionary of a template.
pub(super) fn take_literals(node: &mut Node) -> String {
    let fields = node.fields();
    let mut dictionary = "(dict".to_owned();
    fields.retain(|child| match child.node.literal() {
        Some(Value::String(text)) if child.when.is_always() => {
            dictionary.extend([" ", &go(&child.key), " ", &go(text)]);
            false
        }
        _ => true,
    });
    dictionary.push(')');
    dictionary
}
