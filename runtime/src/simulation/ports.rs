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
    for child in &children.all {
        let is_named = |port: &&Value| port.is_string() && !children.is_given(child, port);
        if let Some(name) = closed_probes(child).find(is_named) {
            broken(children, &child.target, &name.to_string());
            return None;
        }
    }
    let is_named =
        |child: &Child, target: &Value| target.is_string() && !children.is_given(child, target);
    for (service, port) in closed(children, is_named) {
        if let Some(port) = port {
            broken(children, &service, &port);
            return None;
        }
    }
    Some(())
}

/// Checks that a changed spec has closed no port of a Service. Returns `None` if it has.
pub(super) fn stay_open(children: &Children, before: &Closed) -> Option<()> {
    for (service, port) in closed_numbers(children) {
        let was_open = before.get(&service) == Some(&None);
        if let Some(port) = port.filter(|_| was_open) {
            broken(children, &service, &port);
            return None;
        }
    }
    Some(())
}

/// The first number of a target port of each Service, and of a port in a probe of each workload, that no container lists.
/// Containers need not list their ports.
pub(super) fn closed_numbers(children: &Children) -> Closed {
    let mut all = closed(children, |_, target| target.is_number());
    let probing = children
        .all
        .iter()
        .filter(|child| template(&child.object).is_object() && !has_containers(children, child));
    all.extend(probing.map(|child| {
        let number = closed_probes(child).find(|port| port.is_number());
        (child.target.clone(), number.map(Value::to_string))
    }));
    all
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

fn broken(children: &Children, target: &Target, port: &str) {
    let message = if target.plural == "services" {
        format!(
            "{target} has the `targetPort` {port}, which no container of the Pods that it selects has"
        )
    } else {
        format!("{target} has a probe of the port {port}, which its container does not have")
    };
    let world = children.world;
    world.broken(OPEN, Some(&target.name), message);
}

/// The field of a port of a container that a reference names.
fn field_of(reference: &Value) -> &'static str {
    if reference.is_string() {
        "name"
    } else {
        "containerPort"
    }
}

/// The first target port of each Service that is meant, and that no container lists.
fn closed(children: &Children, is_meant: impl Fn(&Child, &Value) -> bool) -> Closed {
    let services = children.all.iter().filter_map(|child| {
        let selector = selector(&child.object)?;
        let selected = selected(children, child, selector);
        if selected.is_empty() {
            return None;
        }
        let open = open_ports(&selected);
        let mut ports = target_ports(children, child)?.into_iter();
        let closed = ports.find(|port| {
            let is_open = open.iter().any(|open| port.is(open));
            !is_open && is_meant(child, port.target) && !is_written(children, child, port.target)
        });
        Some((child.target.clone(), closed.map(|port| port.to_string())))
    });
    services.collect()
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
    if child.target.plural != "services"
        || service["clusterIP"] == "None"
        || has_containers(children, child)
    {
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
