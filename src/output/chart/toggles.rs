//! Which values switch an object, or a part of it, beside those of components.
//!
//! | Objects | Values |
//! |---|---|
//! | CRDs | `crd.enabled`, `crd.keep` |
//! | service account of the operator | `serviceAccount.create` |
//! | Roles, ClusterRoles and their bindings | `rbac.create` |
//! | of these: roles for people | `rbac.userRoles` |
//! | of these, by name: election of a leader | `leaderElection.enabled` |
//! | of these, by name: access to metrics | `metrics.enabled`, `metrics.secure` |
//! | alerts about the leader | `leaderElection.enabled` |
//! | Service, monitors and alerts of metrics, ports of metrics in policies | `metrics.enabled` |

use serde_json::{Value, json};

use crate::objects::is_crd;

use super::container::ELECTION;
use super::fields::{self, take_literals};
use super::names::Names;
use super::node::{Child, Node};
use super::rendered::{Object, without_prefix};
use super::settings::Settings;
use super::when::When;

/// The groups in which a role lets the operator ask who somebody is.
const ACCESS: [&str; 2] = ["authentication.k8s.io", "authorization.k8s.io"];

/// The metric of the election of a leader.
const LEADER: &str = "leader_election_master_status";

/// The role for the election of a leader.
const ELECTION_ROLE: &str = "leader-election-role";

/// The roles for access to metrics.
const METRICS_ROLES: [&str; 2] = ["metrics-auth-role", "metrics-reader"];

/// What the names of roles for people end with.
const USER_ROLES: [&str; 3] = ["-admin-role", "-editor-role", "-viewer-role"];

/// What Helm or the chart sets itself.
const OWN_LABELS: [&str; 4] = [
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/version",
    "helm.sh/chart",
];

/// Adds the conditions of an object. `all` are the objects of the chart.
pub(super) fn apply(
    object: &mut Object,
    all: &[Object],
    names: &Names<'_>,
    settings: &mut Settings,
) {
    labels(object, names);
    let has_metrics = settings.has("metrics.enabled");
    match object.kind() {
        "CustomResourceDefinition" => crd(object, settings),
        "ServiceAccount" if names.is_account(&object.value["metadata"]["name"]) => {
            let name = Node::Action(names.account_name());
            object.node.field("metadata").set(Child::new("name", name));
            let metadata = object.node.field("metadata");
            fields::merge(metadata, "annotations", "serviceAccount.annotations");
            add(object, &["serviceAccount.create"]);
        }
        "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding" => {
            settings.add(
                "rbac.create",
                "Create the roles of the operator and their bindings.",
                true.into(),
            );
            accounts(object, names);
            let values = role_values(object, all, settings);
            add(object, &values);
        }
        "Service" if has_metrics && serves_metrics(&object.value) => {
            let ports = object.node.at(&["spec", "ports"]).items().iter_mut();
            for port in ports {
                plain(&mut port.node, "name", "http");
            }
            add(object, &["metrics.enabled"]);
        }
        "ServiceMonitor" | "PodMonitor" if has_metrics => {
            monitor(&mut object.node);
            add(object, &["metrics.enabled"]);
        }
        "PrometheusRule" if has_metrics => {
            if settings.has(ELECTION) {
                alerts(&mut object.node);
            }
            add(object, &["metrics.enabled"]);
        }
        "NetworkPolicy" if has_metrics => network_policy(&mut object.node),
        _ => {}
    }
}

/// Requires values for an object, before what else it requires.
fn add(object: &mut Object, values: &[&str]) {
    let on = values
        .iter()
        .fold(When::default(), |when, value| when.and(&When::on(value)));
    object.when = on.and(&object.when);
}

/// Puts the chart's labels to those of an object, which win.
fn labels(object: &mut Object, names: &Names<'_>) {
    let labels = object.node.at(&["metadata", "labels"]);
    labels
        .fields()
        .retain(|child| !OWN_LABELS.contains(&&*child.key));
    let literals = take_literals(labels);
    let action = format!("include \"{}.labels\" (list $ {literals})", names.chart);
    labels.fields().push(Child::new("", Node::Lines(action)));
}

fn crd(object: &mut Object, settings: &mut Settings) {
    settings.add("crd.enabled", "Install and upgrade the CRDs.", true.into());
    settings.add(
        "crd.keep",
        "Keep the CRDs, and with them all objects of their kinds, when the chart is uninstalled.",
        true.into(),
    );
    let annotations = object.node.at(&["metadata", "annotations"]);
    let keep = Node::Literal("keep".into());
    annotations.set(Child::new("helm.sh/resource-policy", keep).when(When::on("crd.keep")));
    add(object, &["crd.enabled"]);
}

/// The reason for which a CRD cannot do without webhooks.
pub(super) fn needs_webhook(object: &Object) -> Option<String> {
    let spec = &object.value["spec"];
    let versions = spec["versions"].as_array().map_or(0, Vec::len);
    let converts = is_crd(&object.value) && spec["conversion"]["strategy"] == "Webhook";
    (converts && versions > 1).then(|| {
        format!(
            "webhook.enabled is false, but the CRD {} has {versions} versions, which a webhook converts: set \
             webhook.enabled=true, or crd.enabled=false",
            object.name()
        )
    })
}

/// Lets bindings name the service account as the values do.
fn accounts(object: &mut Object, names: &Names<'_>) {
    let subjects = object.value["subjects"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let is_account =
        |subject: &Value| subject["kind"] == "ServiceAccount" && names.is_account(&subject["name"]);
    if !subjects.iter().any(is_account) {
        return;
    }
    let nodes = object.node.field("subjects").items().iter_mut();
    for (node, subject) in nodes.zip(&subjects) {
        if is_account(subject) {
            node.node
                .set(Child::new("name", Node::Action(names.account_name())));
        }
    }
}

/// The values that a role or a binding needs.
fn role_values(object: &Object, all: &[Object], settings: &mut Settings) -> Vec<&'static str> {
    let role = role_of(object, all).unwrap_or(&object.value);
    let name = role_name(object);
    let mut values = vec!["rbac.create"];
    if settings.has(ELECTION)
        && name == ELECTION_ROLE
        && grants(role, "apiGroups", &["coordination.k8s.io"])
    {
        values.push(ELECTION);
    } else if settings.has("metrics.enabled")
        && METRICS_ROLES.contains(&name)
        && (grants(role, "apiGroups", &ACCESS) || grants(role, "nonResourceURLs", &["/metrics"]))
    {
        values.extend(["metrics.enabled", "metrics.secure"]);
    } else if is_user_role(object, all) {
        settings.add(
            "rbac.userRoles",
            "Create viewer, editor and admin roles for users of the operator's kinds.",
            true.into(),
        );
        values.push("rbac.userRoles");
    }
    values
}

/// The role that a binding grants.
fn role_of<'a>(object: &Object, all: &'a [Object]) -> Option<&'a Value> {
    let role = &object.value["roleRef"];
    let all = all.iter().map(|object| &object.value);
    let mut roles = all.filter(|other| {
        role.is_object()
            && other["kind"] == role["kind"]
            && other["metadata"]["name"] == role["name"]
    });
    roles.next()
}

/// Whether a role grants something in these groups, or at these paths, and nothing else.
fn grants(role: &Value, field: &str, names: &[&str]) -> bool {
    let rules = role["rules"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let is_one = |rule: &Value| {
        let mut all = rule[field].as_array().into_iter().flatten();
        rule[field].is_array() && all.all(|name| names.iter().any(|other| name == other))
    };
    !rules.is_empty() && rules.iter().all(is_one)
}

/// Whether a role is for people: nothing binds it.
pub(super) fn is_user_role(object: &Object, all: &[Object]) -> bool {
    let full_name = &object.value["metadata"]["name"];
    let is_bound = all
        .iter()
        .any(|other| other.value["roleRef"]["name"] == *full_name);
    let name = object.name();
    object.kind().ends_with("Role") && !is_bound && USER_ROLES.iter().any(|end| name.ends_with(end))
}

/// Whether a Service leads to the port of the metrics.
fn serves_metrics(service: &Value) -> bool {
    let ports = service["spec"]["ports"].as_array();
    ports
        .into_iter()
        .flatten()
        .any(|port| port["targetPort"] == "metrics")
}

/// Gives a field another text if the metrics are served without TLS.
fn plain(node: &mut Node, field: &str, text: &str) {
    let fields = node.fields();
    let Some(place) = fields.iter().position(|child| child.key == field) else {
        return;
    };
    let other = Child::new(field, Node::Literal(text.into())).when(When::off("metrics.secure"));
    fields[place].when = fields[place].when.clone().and(&When::on("metrics.secure"));
    fields.insert(place + 1, other);
}

/// Lets a monitor read metrics with TLS or without.
fn monitor(node: &mut Node) {
    for field in ["endpoints", "podMetricsEndpoints"] {
        let spec = node.field("spec");
        if spec.fields().iter().all(|child| child.key != field) {
            continue;
        }
        for endpoint in spec.field(field).items() {
            plain(&mut endpoint.node, "scheme", "http");
            if endpoint.node.field("port").literal() == Some(&json!("https")) {
                plain(&mut endpoint.node, "port", "http");
            }
            for child in endpoint.node.fields() {
                if ["bearerTokenFile", "tlsConfig", "authorization"].contains(&&*child.key) {
                    child.when = child.when.clone().and(&When::on("metrics.secure"));
                }
            }
        }
    }
}

/// Lets rules about the leader depend on the election.
fn alerts(node: &mut Node) {
    for group in node.at(&["spec", "groups"]).items() {
        for rule in group.node.field("rules").items() {
            let mut copy = rule.node.clone();
            let query = copy.field("expr").literal().and_then(Value::as_str);
            if query.is_some_and(|query| query.contains(LEADER)) {
                rule.when = When::on(ELECTION).and(&rule.when);
            }
        }
    }
}

/// Allows connections to the metrics only if there are any.
fn network_policy(node: &mut Node) {
    for rule in node.at(&["spec", "ingress"]).items() {
        let port = rule
            .node
            .literal()
            .map(|rule| rule["ports"][0]["port"].clone());
        if port == Some(json!(8443)) || port == Some(json!("metrics")) {
            rule.when = When::on("metrics.enabled").and(&rule.when);
        }
    }
}

/// The name of a role, or of the one that a binding grants.
pub(super) fn role_name(object: &Object) -> &str {
    match object.kind() {
        "ClusterRole" | "Role" => object.name(),
        "ClusterRoleBinding" | "RoleBinding" => without_prefix(&object.value["roleRef"]["name"]),
        _ => "",
    }
}

/// Whether an object grants a role that the operator has in all namespaces, or is that role.
pub(super) fn is_manager_role(object: &Object) -> bool {
    role_name(object) == "manager-role"
}
