//! The names of what rop makes for a package.

use serde_json::{Value, json};

use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;

use super::live;

/// The label of each object that rop makes for a package, with its name: by it they are found again.
const LABEL: &str = "run-bundle.rop/package";

pub(super) const SUBSCRIPTIONS: &str = "subscriptions.operators.coreos.com";
pub(super) const INSTALL_PLANS: &str = "installplans.operators.coreos.com";
pub(super) const CSVS: &str = "clusterserviceversions.operators.coreos.com";
pub(super) const CATALOGS: &str = "catalogsources.operators.coreos.com";
pub(super) const GROUPS: &str = "operatorgroups.operators.coreos.com";
pub(super) const OPERATORS: &str = "operators.operators.coreos.com";
pub(super) const EXTENSIONS: &str = "clusterextensions.olm.operatorframework.io";
pub(super) const CLUSTER_CATALOGS: &str = "clustercatalogs.olm.operatorframework.io";

/// A package in a namespace.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) package: String,
    pub(crate) namespace: String,
}

impl Place {
    /// Checks that the namespace exists. Who may not read it is believed.
    ///
    /// # Errors
    /// It does not exist.
    pub(crate) fn check(&self, kubectl: &Kubectl) -> Result<()> {
        let namespace = &self.namespace;
        match live::get(kubectl, "namespace", None, namespace) {
            Ok(Value::Null) => Err(Error::new(
                Code::NamespaceMissing,
                format!("the namespace `{namespace}` does not exist"),
            )
            .hint(format!("create it: `kubectl create namespace {namespace}`"))),
            Err(error) if error.code() == Code::Forbidden => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Ok(()),
        }
    }

    /// The name of the catalog that has the package alone, as operator-sdk names it.
    pub(super) fn catalog(&self) -> String {
        format!("{}-catalog", self.package)
    }

    /// The metadata of a namespaced object.
    pub(super) fn metadata(&self, name: &str) -> Value {
        let mut metadata = self.cluster_metadata(name);
        metadata["namespace"] = self.namespace.clone().into();
        metadata
    }

    /// The metadata of an object in no namespace.
    pub(super) fn cluster_metadata(&self, name: &str) -> Value {
        json!({ "name": name, "labels": { LABEL: self.package } })
    }

    /// Whether rop made an object for this package.
    pub(super) fn owns(&self, object: &Value) -> bool {
        object["metadata"]["labels"][LABEL] == *self.package
    }

    /// The selector of the objects that rop made.
    pub(super) fn selector(&self) -> String {
        format!("{LABEL}={}", self.package)
    }

    /// The selector of the objects that OLM counts to the operator.
    pub(super) fn component_selector(&self) -> String {
        format!("operators.coreos.com/{}", self.operator_label())
    }

    /// The name of OLM's `Operator`.
    pub(super) fn operator(&self) -> String {
        format!("{}.{}", self.package, self.namespace)
    }

    /// The same as the name of a label, which OLM cuts.
    fn operator_label(&self) -> String {
        let name = self.operator();
        let end = name.len().min(63);
        name[..end].trim_end_matches(['-', '.', '_']).to_owned()
    }
}
