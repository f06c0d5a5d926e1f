//! The ports that children name: Services and probes those of containers.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::around::{items, running_containers, template};
use super::children::{Child, Children};
use super::selectors::{selected, selector};
use super::target::Target;

const OPEN: &str = "services and probes lead to ports of containers";

/// The default protocol.
const TCP: &str = "TCP";

/// A Service that leads to Pods, or a workload with probes, and the first of its ports that they do not have, if there is
/// any.
pub(super) type Closed = BTreeMap<Target, Option<String>>;

/// Checks that Pods have the target ports that Services name, and containers those that their probes name. Returns `None`
/// if not.
pub(super) fn check(children: &Children) -> Option<()> {
    let is_named =
        |child: &Child, port: &Value| port.is_string() && !children.is_given(child, port);
    all_open(children, closed(children, is_named))
}

/// Checks that a changed spec has closed no port of a Service or of a probe. Returns `None` if it has.
pub(super) fn stay_open(children: &Children, before: &Closed) -> Option<()> {
    let mut closed = closed_numbers(children);
    closed.retain(|target, _| before.get(target) == Some(&None));
    all_open(children, closed)
}

/// The first number of a target port of each Service, and of a port in a probe of each workload, that no container lists.
/// Containers need not list their ports.
pub(super) fn closed_numbers(children: &Children) -> Closed {
    let is_meant =
        |child: &Child, port: &Value| port.is_number() && !has_containers(children, child);
    closed(children, is_meant)
}

/// Reports the first port that is closed. Returns `None` if there is one.
fn all_open(children: &Children, closed: Closed) -> Option<()> {
    let mut ports = closed
        .into_iter()
        .filter_map(|(target, port)| Some((target, port?)));
    let Some((target, port)) = ports.next() else {
        return Some(());
    };
    let message = if target.plural == "services" {
        format!(
            "{target} has the `targetPort` {port}, which no container of the Pods that it selects has"
        )
    } else {
        format!("{target} has a probe of the port {port}, which its container does not have")
    };
    let world = children.world;
    world.broken(OPEN, Some(&target.name), message);
    None
}

/// The first port of each Service with Pods and of each workload that is meant, and that no container lists.
fn closed(children: &Children, is_meant: impl Fn(&Child, &Value) -> bool) -> Closed {
    let leading = children.all.iter().filter_map(|child| {
        let is_meant = |port: &Value| is_meant(child, port);
        let port = if child.target.plural == "services" {
            closed_target(children, child, is_meant)?
        } else if template(&child.object).is_object() {
            let mut probed = closed_probes(child);
            probed.find(|port| is_meant(port)).map(Value::to_string)
        } else {
            return None;
        };
        Some((child.target.clone(), port))
    });
    leading.collect()
}

/// The first target port of a Service that is meant, and that no container lists. `None` if it leads to no Pods.
fn closed_target(
    children: &Children,
    service: &Child,
    is_meant: impl Fn(&Value) -> bool,
) -> Option<Option<String>> {
    let selected = selected(children, service, selector(&service.object)?);
    if selected.is_empty() {
        return None;
    }
    let open = open_ports(&selected);
    let mut ports = target_ports(children, service)?.into_iter();
    let closed = ports.find(|port| {
        let is_open = open.iter().any(|open| port.is(open));
        !is_open && is_meant(port.target) && !is_written(children, service, port.target)
    });
    Some(closed.map(|port| port.to_string()))
}

/// The ports that probes use, and that their containers do not have.
fn closed_probes(child: &Child) -> impl Iterator<Item = &Value> {
    running_containers(&template(&child.object)["spec"]).flat_map(|container| {
        let probes = ["startupProbe", "readinessProbe", "livenessProbe"].into_iter();
        let probes = probes.map(|probe| &container[probe]);
        let ports = probes.flat_map(|probe| ["httpGet", "tcpSocket"].map(|by| &probe[by]["port"]));
        let has = |port: &Value| {
            let field = field_of(port);
            items(&container["ports"]).any(|open| open[field] == *port)
        };
        ports.filter(move |port| !port.is_null() && !has(port))
    })
}

/// The field of a port of a container that a reference names.
fn field_of(reference: &Value) -> &'static str {
    if reference.is_string() {
        "name"
    } else {
        "containerPort"
    }
}

/// A port of a Service.
struct Port<'a> {
    target: &'a Value,
    protocol: &'a str,
}

impl Port<'_> {
    /// Whether it leads to a port of a container.
    fn is(&self, open: &Value) -> bool {
        open[field_of(self.target)] == *self.target && protocol(open) == self.protocol
    }
}

/// The target, and the protocol unless it is the default.
impl fmt::Display for Port<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { target, protocol } = self;
        match *protocol {
            TCP => write!(formatter, "{target}"),
            protocol => write!(formatter, "{target} ({protocol})"),
        }
    }
}

/// The protocol of a port of a Service or of a container.
fn protocol(port: &Value) -> &str {
    port["protocol"].as_str().unwrap_or(TCP)
}

/// The ports of a Service with an address, unless the user writes the containers.
fn target_ports<'a>(children: &Children, child: &'a Child) -> Option<Vec<Port<'a>>> {
    let service = &child.object["spec"];
    if service["clusterIP"] == "None" || has_containers(children, child) {
        return None;
    }
    let ports = items(&service["ports"]).map(|port| Port {
        target: match &port["targetPort"] {
            Value::Null => &port["port"],
            target => target,
        },
        protocol: protocol(port),
    });
    Some(ports.collect())
}

/// The ports that the containers of Pods list, without those of containers that end before the others start.
fn open_ports<'a>(selected: &[&'a Child]) -> Vec<&'a Value> {
    let specs = selected
        .iter()
        .map(|other| &template(&other.object)["spec"]);
    specs
        .flat_map(running_containers)
        .flat_map(|container| items(&container["ports"]))
        .collect()
}

/// Whether the user writes the containers.
fn has_containers(children: &Children, child: &Child) -> bool {
    children
        .owner(child)
        .is_some_and(|owner| has_field(&owner["spec"], "containers"))
}

/// Whether the user writes target ports, and this one is among them or among other numbers.
fn is_written(children: &Children, child: &Child, port: &Value) -> bool {
    children.owner(child).is_some_and(|owner| {
        has_field(&owner["spec"], "targetPort") && has_value(&owner["spec"], port)
    })
}

/// Whether a value has this one, at any depth.
fn has_value(value: &Value, wanted: &Value) -> bool {
    value == wanted
        || match value {
            Value::Object(fields) => fields.values().any(|value| has_value(value, wanted)),
            Value::Array(items) => items.iter().any(|item| has_value(item, wanted)),
            _ => false,
        }
}

/// Whether a value has this field, at any depth.
fn has_field(value: &Value, wanted: &str) -> bool {
    match value {
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name == wanted || has_field(value, wanted)),
        Value::Array(items) => items.iter().any(|item| has_field(item, wanted)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_probe_needs_a_port_of_its_container() {
        for (port, expected) in [
            (json!("http"), 0),
            (json!("web"), 1),
            (json!(80), 0),
            (json!(8080), 1),
        ] {
            let pod = json!({ "kind": "Pod", "spec": { "containers": [{
                "ports": [{ "name": "http", "containerPort": 80 }],
                "livenessProbe": { "httpGet": { "port": port } },
            }] } });
            let child = Child {
                target: Target::default(),
                object: Arc::new(pod),
                of: None,
            };
            assert_eq!(closed_probes(&child).count(), expected, "{port}");
        }
    }

    #[test]
    fn a_port_has_a_protocol() {
        let target = json!(53);
        let port = |protocol: &'static str| Port {
            target: &target,
            protocol,
        };
        let open = json!({ "containerPort": 53 });
        assert!(port(TCP).is(&open));
        assert!(!port("UDP").is(&open));
        assert_eq!(port(TCP).to_string(), "53");
        assert_eq!(port("UDP").to_string(), "53 (UDP)");
    }
}
