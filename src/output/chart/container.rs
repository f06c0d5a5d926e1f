//! Arguments, ports and variables of the operator: what of them comes from values.

use serde_json::{Value, json};

use super::fields::{list, members};
use super::node::{Child, Node};
use super::settings::{NAME, Settings};
use super::when::When;

/// The value that switches the election.
pub(super) const ELECTION: &str = "leaderElection.enabled";

/// The flag of the election.
const ELECT: &str = "--leader-elect";

/// The flag without which there are no metrics.
const METRICS: &str = "--metrics-bind-address=";

/// The flag without which clients of the metrics are authenticated.
const SECURE: &str = "--metrics-secure=";

/// The variable that has the namespaces.
const WATCHED: &str = "WATCH_NAMESPACE";

pub(super) fn arguments(container: &mut Node, settings: &mut Settings) {
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
        if argument == ELECT || argument == "--leader-elect=true" {
            settings.add(
                ELECTION,
                "Elect a leader, so that only one of several pods is active, also during updates.",
                true.into(),
            );
            child.when = When::on(ELECTION).and(&child.when);
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

pub(super) fn environment(container: &mut Node, settings: &mut Settings) {
    settings.add_with(
        "watchNamespaces",
        "Namespaces that the operator watches, with a Role in each. If empty, those set in config/manager.",
        json!([]),
        json!({
            "type": "array",
            "items": { "type": "string", "pattern": format!("^{NAME}$"), "maxLength": 63 },
            "uniqueItems": true,
        }),
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
