//! What the server allocates for a Service.

use serde_json::{Value, json};

use super::state::State;

/// Gives a new Service its addresses and ports.
pub(super) fn allocate(state: &mut State, service: &mut Value) {
    if service["spec"]["type"] == "ExternalName" {
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
    node_ports(state, service);
}

fn node_ports(state: &mut State, service: &mut Value) {
    if !matches!(
        service["spec"]["type"].as_str(),
        Some("NodePort" | "LoadBalancer")
    ) {
        return;
    }
    let ports = service["spec"]
        .get_mut("ports")
        .and_then(Value::as_array_mut);
    for port in ports.into_iter().flatten() {
        if port["nodePort"].is_null() {
            state.addresses += 1;
            port["nodePort"] = json!(30_000 + state.addresses % 2_768);
        }
    }
}

/// Keeps what was allocated where an update does not name it.
pub(super) fn keep(old: &Value, service: &mut Value) {
    let (old, new) = (&old["spec"], &mut service["spec"]);
    if new["type"] == "ExternalName" || old["type"] == "ExternalName" {
        return;
    }
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
}
