//! The documents.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::Result;
use crate::yaml;

use super::Options;
use super::grant::Grant;
use super::rule::{Rule, merge};

/// The rules of each role, by its namespace and name. The order is that of the documents.
#[derive(Debug)]
pub(super) struct Roles<'a> {
    rules: BTreeMap<(Option<String>, String), Vec<Rule>>,
    options: &'a Options,
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

    /// The documents: the roles without a namespace first, then by namespace and name.
    pub(super) fn to_yaml(&self) -> Result<String> {
        let documents = self.rules.iter().map(|((namespace, name), rules)| {
            yaml::to_string(&Document {
                api_version: "rbac.authorization.k8s.io/v1",
                kind: if namespace.is_some() || self.options.namespaced {
                    "Role"
                } else {
                    "ClusterRole"
                },
                metadata: Metadata {
                    name,
                    namespace: namespace.as_deref(),
                },
                rules: merge(rules),
            })
        });
        Ok(documents.collect::<Result<Vec<_>>>()?.join("---\n"))
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
