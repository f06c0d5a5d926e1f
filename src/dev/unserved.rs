//! Objects of operators that do not run beside a session, such as cert-manager or the one of Prometheus.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::objects::Objects;

/// The objects whose API is in `served` or has its CRD among them, and the kinds of the others.
pub(super) fn leave_out(
    objects: &Objects,
    served: &BTreeSet<String>,
) -> (Objects, BTreeSet<String>) {
    let crds = objects.crds();
    let own: BTreeSet<&str> = crds
        .iter()
        .filter_map(|crd| crd["spec"]["group"].as_str())
        .collect();
    let is_unserved = |object: &Value| {
        let api = object["apiVersion"].as_str().unwrap_or_default();
        let group = api.split_once('/').map_or("", |(group, _)| group);
        !served.contains(api) && !own.contains(group)
    };
    let unserved = objects.only(is_unserved);
    let kinds = unserved.iter().map(|object| {
        let word = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
        format!("{} {}", word("apiVersion"), word("kind"))
    });
    (objects.only(|object| !is_unserved(object)), kinds.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_that_nothing_serves_are_left_out() {
        let manifests = "
apiVersion: v1
kind: Service
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec: {group: app.example.com}
---
apiVersion: app.example.com/v1
kind: AppService
---
apiVersion: cert-manager.io/v1
kind: Issuer
---
apiVersion: cert-manager.io/v1
kind: Issuer
---
apiVersion: apps/v2
kind: Deployment
";
        let objects = Objects::parse(manifests).expect("manifests");
        let served = ["v1", "apps/v1", "apiextensions.k8s.io/v1"].map(str::to_owned);
        let (rest, kinds) = leave_out(&objects, &served.into());
        let served: Vec<_> = rest.iter().map(|object| object["kind"].clone()).collect();
        assert_eq!(
            served,
            ["Service", "CustomResourceDefinition", "AppService"]
        );
        let kinds: Vec<_> = kinds.into_iter().collect();
        assert_eq!(kinds, ["apps/v2 Deployment", "cert-manager.io/v1 Issuer"]);
    }
}
