//! Who the operator is in the cluster that it would be deployed in.

use serde_json::Value;

use crate::cluster::Objects;
use crate::error::{Error, Result};
use crate::manager::container_index;

/// The service account of the operator, and what it is told.
#[derive(Debug, PartialEq)]
pub(super) struct Identity {
    pub(super) namespace: String,
    pub(super) service_account: String,
    pub(super) environment: Vec<(String, String)>,
}

impl Identity {
    /// What the operator's Deployment says.
    pub(super) fn of(manifests: &Objects) -> Result<Self> {
        manifests
            .deployments()
            .find_map(identity)
            .ok_or_else(|| {
                Error::new("config/default has no Deployment of the operator with a namespace, a `serviceAccountName` and a container that is the operator")
                    .hint("`rop dev` runs the operator as that service account")
            })
    }
}

fn identity(deployment: &Value) -> Option<Identity> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let pod = &deployment["spec"]["template"]["spec"];
    let namespace = text(&deployment["metadata"]["namespace"])?;
    let container = &pod["containers"][container_index(deployment)?];
    let environment = container["env"].as_array();
    let environment = environment.into_iter().flatten().filter_map(|variable| {
        let is_namespace = variable["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.namespace";
        let value = match is_namespace {
            true => namespace.clone(),
            false => text(&variable["value"])?,
        };
        Some((text(&variable["name"])?, value))
    });
    Some(Identity {
        service_account: text(&pod["serviceAccountName"])?,
        environment: environment.collect(),
        namespace,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFESTS: &str = "
kind: Deployment
metadata:
  name: other
  namespace: app-system
spec: {template: {spec: {serviceAccountName: other}}}
---
kind: Deployment
metadata:
  namespace: app-system
  labels: {control-plane: controller-manager}
spec:
  template:
    metadata:
      annotations: {kubectl.kubernetes.io/default-container: operator}
    spec:
      serviceAccountName: app
      containers:
      - name: proxy
        env:
        - {name: LEVEL, value: low}
      - name: operator
        env:
        - {name: WATCH_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        - {name: LEVEL, value: high}
        - {name: SECRET, valueFrom: {secretKeyRef: {name: a, key: b}}}
";

    #[test]
    fn the_deployment_tells_who_the_operator_is() {
        let manifests = Objects::parse(MANIFESTS).expect("manifests");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = Identity {
            namespace: "app-system".to_owned(),
            service_account: "app".to_owned(),
            environment: vec![pair("WATCH_NAMESPACE", "app-system"), pair("LEVEL", "high")],
        };
        assert_eq!(Identity::of(&manifests).expect("an operator"), expected);
    }

    #[test]
    fn there_has_to_be_an_operator() {
        let manifests = Objects::parse("kind: Deployment\n").expect("manifests");
        Identity::of(&manifests).expect_err("no operator");
    }
}
