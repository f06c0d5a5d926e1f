//! The allocated fields of a Service.

use serde_json::{Value, json};

use super::state::State;

/// Allocates the addresses and ports of a new Service.
pub(super) fn allocate(state: &mut State, service: &mut Value) {
    if !has_address(service) {
        return;
    }
    let spec = &mut service["spec"];
    if spec["clusterIP"].is_null() {
        state.addresses += 1;
        let [_, _, high, low] = state.addresses.to_be_bytes();
        spec["clusterIP"] = json!(format!("10.0.{high}.{low}"));
    }
    if spec["clusterIPs"].is_null() {
        spec["clusterIPs"] = json!([spec["clusterIP"]]);
    }
    for (field, value) in [
        ("ipFamilies", json!(["IPv4"])),
        ("ipFamilyPolicy", json!("SingleStack")),
        ("internalTrafficPolicy", json!("Cluster")),
    ] {
        if spec[field].is_null() {
            spec[field] = value;
        }
    }
    node_ports(service);
}

/// The first node port, and how many there are: those of an API server without flags.
const NODE_PORTS: [u32; 2] = [30_000, 2_768];

/// Allocates node ports. The same port of the same Service always gets the same one, whatever was allocated before:
/// its value is also that of a field that an operator applies as 0.
fn node_ports(service: &mut Value) {
    if !has_node_ports(&service["spec"]) {
        return;
    }
    let metadata = &service["metadata"];
    let name = format!("{} {}", metadata["namespace"], metadata["name"]);
    let ports = service["spec"]
        .get_mut("ports")
        .and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten() {
        if port["nodePort"].is_null() {
            let key = format!("{name} {} {}", port["port"], port["protocol"]);
            let sum = key.bytes().fold(0_u32, |sum, byte| {
                sum.wrapping_mul(31).wrapping_add(byte.into())
            });
            let [first, count] = NODE_PORTS;
            port["nodePort"] = json!(first + sum % count);
        }
    }
}

/// Keeps allocated values that an update does not set.
pub(super) fn keep(old: &Value, service: &mut Value) {
    if !(has_address(old) && has_address(service)) {
        return;
    }
    let (old, new) = (&old["spec"], &mut service["spec"]);
    same_addresses(old, new);
    for field in [
        "clusterIP",
        "clusterIPs",
        "ipFamilies",
        "ipFamilyPolicy",
        "internalTrafficPolicy",
    ] {
        if new[field].is_null() && !old[field].is_null() {
            new[field] = old[field].clone();
        }
    }
    keep_node_ports(old, new);
}

/// An update of only one of the fields `clusterIP` and `clusterIPs` changes both.
fn same_addresses(old: &Value, new: &mut Value) {
    let is_unset = |value: &Value| value.as_str() == Some("") || *value == json!([]);
    for field in ["clusterIP", "clusterIPs"] {
        if is_unset(&new[field]) {
            new[field] = Value::Null;
        }
    }
    if new["clusterIP"] != old["clusterIP"] {
        if new["clusterIPs"].is_null() || new["clusterIPs"] == old["clusterIPs"] {
            let first = new["clusterIP"].clone();
            new["clusterIPs"] = if first.is_null() {
                first
            } else {
                json!([first])
            };
        }
    } else if new["clusterIPs"].is_null() && !old["clusterIPs"].is_null() {
        new["clusterIP"] = Value::Null;
    }
}

/// Each port without a node port keeps that of the old port at its place, unless another port has it now.
fn keep_node_ports(old: &Value, new: &mut Value) {
    if !has_node_ports(old) || !has_node_ports(new) {
        return;
    }
    let named = |spec: &Value| -> Vec<Value> {
        let ports = spec["ports"].as_array().into_iter().flatten();
        ports.map(|port| port["nodePort"].clone()).collect()
    };
    let (before, used) = (named(old), named(new));
    let ports = new.get_mut("ports").and_then(Value::as_array_mut);
    for (port, before) in ports.into_iter().flatten().zip(before) {
        if port["nodePort"].is_null() && !before.is_null() && !used.contains(&before) {
            port["nodePort"] = before;
        }
    }
}

/// Whether a Service has an address in the cluster.
pub(super) fn has_address(service: &Value) -> bool {
    service["spec"]["type"] != "ExternalName"
}

fn has_node_ports(spec: &Value) -> bool {
    matches!(spec["type"].as_str(), Some("NodePort" | "LoadBalancer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(ports: Value) -> Value {
        json!({ "spec": { "type": "NodePort", "ports": ports } })
    }

    /// Else the history of a cluster shows in a field that an operator sets to 0.
    #[test]
    fn a_service_made_again_has_its_node_port_again() {
        let allocated = |name: &str| {
            let mut service = service(json!([{ "port": 80 }, { "port": 81, "nodePort": 30_001 }]));
            service["metadata"] = json!({ "namespace": "shop", "name": name });
            node_ports(&mut service);
            let ports = &service["spec"]["ports"];
            assert_eq!(ports[1]["nodePort"], 30_001);
            ports[0]["nodePort"].as_u64().expect("a port")
        };
        let first = allocated("a");
        assert!((30_000..32_768).contains(&first), "{first}");
        assert_ne!(allocated("b"), first);
        assert_eq!(allocated("a"), first);
    }

    #[test]
    fn a_node_port_stays_where_an_update_does_not_name_it() {
        let old = service(json!([{ "port": 80, "nodePort": 30_001 }]));
        let mut new = service(json!([{ "port": 80 }, { "port": 81 }]));
        keep(&old, &mut new);
        let expected = json!([{ "port": 80, "nodePort": 30_001 }, { "port": 81 }]);
        assert_eq!(new["spec"]["ports"], expected);
        let mut taken = service(json!([{ "port": 80 }, { "port": 81, "nodePort": 30_001 }]));
        let before = taken.clone();
        keep(&old, &mut taken);
        assert_eq!(taken, before);
    }
}
