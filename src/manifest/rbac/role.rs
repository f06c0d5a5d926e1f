//! The documents.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::json;

use crate::error::{Code, Error, Result};
use crate::yaml;

use super::Options;
use super::grant::Grant;
use super::rule::{Rule, merge};

const GROUP: &str = "rbac.authorization.k8s.io";
const API_VERSION: &str = "rbac.authorization.k8s.io/v1";

/// The rules of each role, by its namespace and name. The order is that of the documents.
#[derive(Debug)]
pub(crate) struct Roles<'a> {
    rules: BTreeMap<(Option<String>, String), Vec<Rule>>,
    options: &'a Options,
}

/// A Role in a namespace that a marker names. Its `RoleBinding` has the same name.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::manifest) struct NamespacedRole {
    /// Unique among the Roles of the project: kustomize takes no two of one name in the folder,
    /// whatever their namespaces.
    pub(in crate::manifest) name: String,
    /// The namespace of the marker.
    pub(in crate::manifest) namespace: String,
}

impl<'a> Roles<'a> {
    /// No rules. The project's own role is always there, since its binding is.
    pub(super) fn new(options: &'a Options) -> Self {
        Self {
            rules: BTreeMap::from([((None, options.role_name.clone()), Vec::new())]),
            options,
        }
    }

    /// Adds the rule to the role that the marker names.
    pub(super) fn add(&mut self, grant: Grant) {
        let name = grant.role.unwrap_or_else(|| self.options.role_name.clone());
        self.rules
            .entry((grant.namespace, name))
            .or_default()
            .push(grant.rule);
    }

    /// Checks that no two Roles get one name.
    pub(super) fn check_names(&self) -> Result<()> {
        let mut names = BTreeSet::new();
        for (namespace, name) in self.rules.keys() {
            if self.is_role(namespace.as_deref()) {
                let name = written_name(namespace.as_deref(), name);
                if names.contains(&name) {
                    return Err(Error::new(
                        Code::InvalidMarker,
                        format!("two Roles of the RBAC markers would have the name `{name}`"),
                    )
                    .hint(
                        "a role with `namespace=` is named after its `roleName` and namespace: \
                        choose another `roleName`",
                    ));
                }
                names.insert(name);
            }
        }
        Ok(())
    }

    /// The Roles in the namespaces that markers name.
    pub(in crate::manifest) fn namespaced(&self) -> Vec<NamespacedRole> {
        let named = self.rules.keys().filter_map(|(namespace, name)| {
            Some(NamespacedRole {
                name: written_name(namespace.as_deref(), name),
                namespace: namespace.clone()?,
            })
        });
        named.collect()
    }

    /// The documents: the roles without a namespace first, then by namespace and name, each of those
    /// with its binding.
    pub(in crate::manifest) fn to_yaml(&self) -> Result<String> {
        let mut documents = self.documents(false)?;
        documents.extend(self.documents(true)?);
        Ok(documents.join("---\n"))
    }

    /// The documents of the roles without a namespace, or of those that markers give one.
    pub(crate) fn documents(&self, namespaced: bool) -> Result<Vec<String>> {
        let mut documents = Vec::new();
        let rules = self.rules.iter();
        for ((namespace, name), rules) in rules.filter(|((n, _), _)| n.is_some() == namespaced) {
            let name = written_name(namespace.as_deref(), name);
            documents.push(yaml::to_string(&Document {
                api_version: API_VERSION,
                kind: if self.is_role(namespace.as_deref()) {
                    "Role"
                } else {
                    "ClusterRole"
                },
                metadata: Metadata {
                    name: &name,
                    namespace: namespace.as_deref(),
                },
                rules: merge(rules),
            })?);
            if let Some(namespace) = namespace {
                documents.push(self.binding(&name, namespace)?);
            }
        }
        Ok(documents)
    }

    fn is_role(&self, namespace: Option<&str>) -> bool {
        namespace.is_some() || self.options.namespaced
    }

    /// What gives a Role in another namespace to the operator.
    fn binding(&self, name: &str, namespace: &str) -> Result<String> {
        let account = &self.options.account;
        yaml::to_string(&json!({
            "apiVersion": API_VERSION,
            "kind": "RoleBinding",
            "metadata": { "name": name, "namespace": namespace },
            "roleRef": { "apiGroup": GROUP, "kind": "Role", "name": name },
            "subjects": [{
                "kind": "ServiceAccount", "name": account.name, "namespace": account.namespace,
            }],
        }))
    }
}

/// The name of a role in its manifest: Roles of one name in several namespaces get the namespace behind it.
fn written_name(namespace: Option<&str>, name: &str) -> String {
    match namespace {
        Some(namespace) => format!("{name}-{namespace}"),
        None => name.to_owned(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    api_version: &'a str,
    kind: &'a str,
    metadata: Metadata<'a>,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
struct Metadata<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
}
