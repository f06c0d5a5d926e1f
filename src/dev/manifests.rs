//! What a project would deploy, without what there are no nodes for.

use serde_json::Value;

use crate::error::{Context, Error, Result};
use crate::yaml;

/// Who the operator is in the cluster, and what it is told there.
#[derive(Debug, PartialEq)]
pub(super) struct Identity {
    pub(super) namespace: String,
    pub(super) service_account: String,
    pub(super) environment: Vec<(String, String)>,
}

/// Takes the Deployment of the operator out of rendered manifests: gives the rest, and who it is.
pub(super) fn without_deployment(rendered: &str) -> Result<(String, Identity)> {
    let mut rest = Vec::new();
    let mut identity = None;
    for document in rendered.split("\n---\n") {
        let object: Value = yaml::from_str(document).context(|| "failed to read config/default")?;
        match object["kind"].as_str() {
            Some("Deployment") => identity = identity.or(identity_of(&object)),
            _ => rest.push(document),
        }
    }
    let identity = identity.ok_or_else(|| {
        Error::new("config/default has no Deployment with a `serviceAccountName`")
            .hint("`rop dev` runs the operator as that service account")
    })?;
    Ok((rest.join("\n---\n"), identity))
}

fn identity_of(deployment: &Value) -> Option<Identity> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let pod = &deployment["spec"]["template"]["spec"];
    let namespace = text(&deployment["metadata"]["namespace"])?;
    let environment = pod["containers"][0]["env"].as_array();
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

    #[test]
    fn the_deployment_tells_who_the_operator_is() {
        let rendered = "kind: Namespace
---
kind: Deployment
metadata: {namespace: app-system}
spec:
  template:
    spec:
      serviceAccountName: app
      containers:
      - env:
        - {name: WATCH_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        - {name: LEVEL, value: high}
        - {name: SECRET, valueFrom: {secretKeyRef: {name: a, key: b}}}
---
kind: Service
";
        let (rest, identity) = without_deployment(rendered).expect("manifests");
        assert_eq!(rest, "kind: Namespace\n---\nkind: Service\n");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = Identity {
            namespace: "app-system".to_owned(),
            service_account: "app".to_owned(),
            environment: vec![pair("WATCH_NAMESPACE", "app-system"), pair("LEVEL", "high")],
        };
        assert_eq!(identity, expected);
    }
}
