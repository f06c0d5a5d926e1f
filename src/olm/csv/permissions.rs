//! What the operator's service accounts may do.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::objects::{ObjectId, Objects};

/// Rules by service account. OLM makes the accounts, the roles and the bindings of them.
#[derive(Default)]
pub(in crate::olm) struct Permissions {
    cluster: BTreeMap<String, Vec<Value>>,
    namespace: BTreeMap<String, Vec<Value>>,
    /// Objects that OLM makes of them, by kind, namespace and name.
    covered: BTreeSet<(String, String, String)>,
    /// Bindings in other namespaces, where OLM grants nothing.
    pub(in crate::olm) elsewhere: Vec<String>,
}

impl Permissions {
    /// What bindings among the manifests grant to the accounts of Deployments.
    pub(in crate::olm) fn of(objects: &Objects, namespace: &str) -> Self {
        let mut permissions = Self::default();
        let accounts = accounts(objects);
        for account in &accounts {
            permissions.cover("ServiceAccount", namespace, account);
        }
        for binding in objects.iter().filter(|object| is_binding(object)) {
            permissions.add(objects, binding, &accounts, namespace);
        }
        for account in accounts {
            // OLM only makes the accounts that are listed. Each namespace has the default one.
            if account != "default" && !permissions.cluster.contains_key(&account) {
                permissions.namespace.entry(account).or_default();
            }
        }
        permissions
    }

    fn add(
        &mut self,
        objects: &Objects,
        binding: &Value,
        accounts: &BTreeSet<String>,
        namespace: &str,
    ) {
        let subjects = binding["subjects"].as_array();
        let bound: Option<Vec<&String>> = subjects
            .into_iter()
            .flatten()
            .map(|subject| account(subject, accounts, namespace))
            .collect();
        // Who else is bound stays bound by a binding of its own.
        let Some(bound) = bound.filter(|bound| !bound.is_empty()) else {
            return;
        };
        let in_cluster = binding["kind"] == "ClusterRoleBinding";
        let place = binding["metadata"]["namespace"]
            .as_str()
            .unwrap_or_default();
        if !in_cluster && place != namespace {
            self.elsewhere.push(ObjectId::of(binding).to_string());
            return;
        }
        let role = &binding["roleRef"];
        let Some(found) = objects.iter().find(|object| {
            object["kind"] == role["kind"]
                && object["metadata"]["name"] == role["name"]
                && (object["kind"] == "ClusterRole" || object["metadata"]["namespace"] == place)
        }) else {
            return;
        };
        let rules = found["rules"].as_array().cloned().unwrap_or_default();
        let granted = if in_cluster {
            &mut self.cluster
        } else {
            &mut self.namespace
        };
        for account in bound {
            granted
                .entry(account.clone())
                .or_default()
                .extend(rules.iter().cloned());
        }
        for object in [binding, found] {
            let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
            let kind = object["kind"].as_str().unwrap_or_default();
            self.cover(kind, text("namespace"), text("name"));
        }
    }

    fn cover(&mut self, kind: &str, namespace: &str, name: &str) {
        let id = [kind, namespace, name].map(str::to_owned);
        self.covered.insert(id.into());
    }

    /// Whether OLM makes an object itself.
    pub(in crate::olm) fn cover_object(&self, object: &Value) -> bool {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let metadata = &object["metadata"];
        let id = [&object["kind"], &metadata["namespace"], &metadata["name"]].map(text);
        self.covered.contains(&id.into())
    }

    /// All rules, wherever they hold.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Value> {
        self.cluster
            .values()
            .chain(self.namespace.values())
            .flatten()
    }

    pub(super) fn in_cluster(&self) -> Vec<Value> {
        list(&self.cluster)
    }

    pub(super) fn in_namespace(&self) -> Vec<Value> {
        list(&self.namespace)
    }
}

fn list(rules: &BTreeMap<String, Vec<Value>>) -> Vec<Value> {
    let rules = rules.iter();
    let rules =
        rules.map(|(account, rules)| json!({ "serviceAccountName": account, "rules": rules }));
    rules.collect()
}

fn is_binding(object: &Value) -> bool {
    object["kind"] == "RoleBinding" || object["kind"] == "ClusterRoleBinding"
}

/// The accounts that Deployments run under.
fn accounts(objects: &Objects) -> BTreeSet<String> {
    let deployments = objects
        .iter()
        .filter(|object| object["kind"] == "Deployment");
    let names = deployments.map(|deployment| {
        let pod = &deployment["spec"]["template"]["spec"];
        pod["serviceAccountName"]
            .as_str()
            .unwrap_or("default")
            .to_owned()
    });
    names.collect()
}

/// The account that a subject is, if it is one of the operator's.
fn account<'a>(
    subject: &Value,
    accounts: &'a BTreeSet<String>,
    namespace: &str,
) -> Option<&'a String> {
    let is_here = subject["kind"] == "ServiceAccount" && subject["namespace"] == namespace;
    let name = subject["name"].as_str().filter(|_| is_here)?;
    accounts.get(name)
}
