//! What an operator needs to make the certificate of its webhooks. OLM makes it instead.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::objects::{self, ObjectId, Objects, is_webhook_configuration};

/// The Secret that `config/webhook` has for the certificate. A prefix and a suffix may be around its name.
const SECRET: &str = "webhook-server-cert";

/// The role with which the operator keeps the certificate, and moves objects to the storage version.
const ROLE: &str = "webhook-role";

/// The objects that only the certificate is for, and what OLM makes with it.
pub(super) fn leave_out(objects: &Objects) -> (Objects, Option<String>) {
    let services = services(objects);
    if services.is_empty() {
        return (objects.clone(), None);
    }
    let mut rest = objects.clone();
    rest.change(take_rules);
    let empty: BTreeSet<String> = rest
        .iter()
        .filter(|object| is_role(object))
        .filter(|role| role["rules"].as_array().is_none_or(Vec::is_empty))
        .map(|role| key(role, &role["kind"], &role["metadata"]["name"]))
        .collect();
    let is_needless = |object: &Value| {
        let name = objects::name(object);
        match object["kind"].as_str().unwrap_or_default() {
            "Service" => services.contains(name),
            "Secret" => name.contains(SECRET),
            "Role" | "ClusterRole" => {
                empty.contains(&key(object, &object["kind"], &object["metadata"]["name"]))
            }
            "RoleBinding" | "ClusterRoleBinding" => empty.contains(&key(
                object,
                &object["roleRef"]["kind"],
                &object["roleRef"]["name"],
            )),
            _ => false,
        }
    };
    let left_out: Vec<String> = rest
        .iter()
        .filter(|object| is_needless(object))
        .map(|object| ObjectId::of(object).to_string())
        .collect();
    let note = format!(
        "OLM creates the certificate and the Service of the webhooks, so the bundle omits {}",
        left_out.join(", ")
    );
    let rest = rest.only(|object| !is_needless(object));
    (rest, (!left_out.is_empty()).then_some(note))
}

/// The Services that the API server calls.
fn services(objects: &Objects) -> BTreeSet<&str> {
    let webhooks = objects
        .iter()
        .filter(|object| is_webhook_configuration(object))
        .filter_map(|object| object["webhooks"].as_array())
        .flatten();
    let conversions = objects
        .iter()
        .map(|object| &object["spec"]["conversion"]["webhook"]);
    let clients = webhooks
        .chain(conversions)
        .map(|webhook| &webhook["clientConfig"]);
    clients
        .filter_map(|client| client["service"]["name"].as_str())
        .collect()
}

fn is_role(object: &Value) -> bool {
    let name = objects::name(object);
    let kind = &object["kind"];
    (kind == "Role" || kind == "ClusterRole") && name.contains(ROLE)
}

/// A role by its kind, its namespace and its name.
fn key(object: &Value, kind: &Value, name: &Value) -> String {
    let namespace = if kind == "Role" {
        &object["metadata"]["namespace"]
    } else {
        &Value::Null
    };
    format!("{kind} {namespace} {name}")
}

/// Takes the rules that only the certificate is for. Those on CRDs stay, for objects move to the storage version, but
/// not the one to write the certificate into them.
fn take_rules(object: &mut Value) {
    if !is_role(object) {
        return;
    }
    let Some(rules) = object["rules"].as_array_mut() else {
        return;
    };
    rules.retain(|rule| {
        let mut resources = rule["resources"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        !resources
            .any(|resource| resource == "secrets" || resource.ends_with("webhookconfigurations"))
    });
    for rule in rules {
        if rule["resources"] == serde_json::json!(["customresourcedefinitions"])
            && let Some(verbs) = rule["verbs"].as_array_mut()
        {
            verbs.retain(|verb| verb != "patch");
        }
    }
}
