//! What Pods need to start: the objects that their spec names, such as Secrets, must exist.

use serde_json::Value;

use crate::simulation::references::texts;
use crate::simulation::target::{Target, text};
use crate::simulation::world::World;

/// The resources that have Pods, or are Pods.
const RUNNING: [&str; 5] = ["deployments", "statefulsets", "daemonsets", "jobs", "pods"];

/// Kubernetes creates these in each namespace.
const ALWAYS: [(&str, &str); 2] = [
    ("serviceaccounts", "default"),
    ("configmaps", "kube-root-ca.crt"),
];

/// An object that a Pod needs, and the key that it reads of it.
pub(in crate::simulation) struct Need<'a> {
    pub(in crate::simulation) plural: &'static str,
    pub(in crate::simulation) name: &'a str,
    pub(in crate::simulation) key: Option<&'a str>,
}

/// The children whose Pods need something that does not exist, and what that is.
pub(in crate::simulation) fn unmet(world: &World) -> Vec<(Target, String)> {
    let created = world.created().into_iter();
    let running = created.filter(|target| RUNNING.contains(&target.plural.as_str()));
    let unmet = running.filter_map(|target| {
        let what = missing(world, &*world.find(&target)?)?;
        Some((target, what))
    });
    unmet.collect()
}

/// What the Pods of an object need and what does not exist, such as `secrets/shop/credentials`.
pub(in crate::simulation) fn missing(world: &World, object: &Value) -> Option<String> {
    let wanted = &object["spec"];
    if wanted["suspend"] == true || wanted["replicas"] == 0 {
        return None;
    }
    let spec = &template(object)["spec"];
    let namespace = text(object, "namespace");
    needs(spec)
        .into_iter()
        .find_map(|need| lack(world, namespace, &need))
}

/// The template of the Pods of an object, or the Pod itself. Null if it has none.
pub(in crate::simulation) fn template(object: &Value) -> &Value {
    match object["kind"].as_str().unwrap_or_default() {
        "Pod" => object,
        "CronJob" => &object["spec"]["jobTemplate"]["spec"]["template"],
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job" => {
            &object["spec"]["template"]
        }
        _ => &Value::Null,
    }
}

/// What does not exist of a need.
fn lack(world: &World, namespace: &str, need: &Need) -> Option<String> {
    let &Need { plural, name, key } = need;
    let found = world.server().object("", plural, namespace, name);
    let part = match (&found, key) {
        (None, _) => String::new(),
        (Some(found), Some(key)) => {
            let mut data = ["data", "binaryData"].into_iter();
            if data.any(|field| found[field].get(key).is_some()) {
                return None;
            }
            format!("the key `{key}` of ")
        }
        (Some(_), None) => return None,
    };
    let is_made = ALWAYS.contains(&(plural, name))
        || is_of_token(found.as_deref(), key)
        || is_of_template(world, need, namespace)
        || is_made_by_another(world, name);
    (!is_made).then(|| format!("{part}{plural}/{namespace}/{name}"))
}

/// Whether Kubernetes fills a key: it does so for Secrets with the token of a `ServiceAccount`.
fn is_of_token(secret: Option<&Value>, key: Option<&str>) -> bool {
    let is_of_token = |secret: &Value| secret["type"] == "kubernetes.io/service-account-token";
    secret.is_some_and(is_of_token) && matches!(key, Some("token" | "ca.crt" | "namespace"))
}

/// Whether Kubernetes creates a claim for a Pod of a `StatefulSet` that the operator has created.
fn is_of_template(world: &World, need: &Need, namespace: &str) -> bool {
    let mut created = world.created().into_iter();
    need.plural == "persistentvolumeclaims"
        && created.any(|target| {
            let is_set = target.plural == "statefulsets";
            is_set
                && target.namespace.as_deref() == Some(namespace)
                && world
                    .find(&target)
                    .is_some_and(|set| is_claim_of(&set, need.name))
        })
}

/// Whether a claim is one of a set, such as `data-postgres-0`.
fn is_claim_of(set: &Value, claim: &str) -> bool {
    let Some((claim, number)) = claim.rsplit_once('-') else {
        return false;
    };
    let name = |template| format!("{}-{}", text(template, "name"), text(set, "name"));
    let mut templates = items(&set["spec"]["volumeClaimTemplates"]);
    number.parse::<u32>().is_ok() && templates.any(|template| name(template) == claim)
}

/// Whether a child that belongs to another operator names an object, which that operator then creates: a Certificate
/// names its Secret.
fn is_made_by_another(world: &World, name: &str) -> bool {
    let mut created = world.created().into_iter();
    created.any(|target| {
        is_of_another_operator(world, &target)
            && world
                .find(&target)
                .is_some_and(|object| texts(&object["spec"]).contains(&name))
    })
}

/// Whether an object is of a kind of another operator.
pub(in crate::simulation) fn is_of_another_operator(world: &World, target: &Target) -> bool {
    let (group, _) = target.version.split_once('/').unwrap_or_default();
    group.contains('.') && !group.ends_with(".k8s.io") && !world.owners().has(target)
}

/// What the Pods of a spec need.
fn needs(spec: &Value) -> Vec<Need<'_>> {
    let mut all = named("serviceaccounts", spec, "serviceAccountName");
    for volume in items(&spec["volumes"]) {
        let claim = &volume["persistentVolumeClaim"];
        all.extend(named("persistentvolumeclaims", claim, "claimName"));
        all.extend(named("secrets", &volume["secret"], "secretName"));
        all.extend(named("configmaps", &volume["configMap"], "name"));
        for source in items(&volume["projected"]["sources"]) {
            all.extend(named("secrets", &source["secret"], "name"));
            all.extend(named("configmaps", &source["configMap"], "name"));
        }
    }
    all.extend(of_variables(spec));
    all.extend(of_environments(spec));
    all
}

/// What the environment variables of the Pods of a spec read when they start: a key of an object, or all.
pub(in crate::simulation) fn environment(spec: &Value) -> Vec<Need<'_>> {
    let of_keys = of_variables(spec).filter(|need| need.key.is_some());
    of_keys.chain(of_environments(spec)).collect()
}

/// What single environment variables need.
fn of_variables(spec: &Value) -> impl Iterator<Item = Need<'_>> {
    let variables = containers(spec).flat_map(|container| items(&container["env"]));
    variables.flat_map(|variable| {
        let from = &variable["valueFrom"];
        let of_secret = named("secrets", &from["secretKeyRef"], "name");
        let of_map = named("configmaps", &from["configMapKeyRef"], "name");
        of_secret.into_iter().chain(of_map)
    })
}

/// What environments need as a whole.
fn of_environments(spec: &Value) -> impl Iterator<Item = Need<'_>> {
    let sources = containers(spec).flat_map(|container| items(&container["envFrom"]));
    sources.flat_map(|from| {
        let of_secret = named("secrets", &from["secretRef"], "name");
        let of_map = named("configmaps", &from["configMapRef"], "name");
        of_secret.into_iter().chain(of_map)
    })
}

/// The containers of the spec of a Pod that run until its end.
pub(in crate::simulation) fn running_containers(spec: &Value) -> impl Iterator<Item = &Value> {
    let sidecars = items(&spec["initContainers"]);
    let sidecars = sidecars.filter(|container| container["restartPolicy"] == "Always");
    sidecars.chain(items(&spec["containers"]))
}

/// The containers of the spec of a Pod.
fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    let fields = ["initContainers", "containers"];
    fields.into_iter().flat_map(|field| items(&spec[field]))
}

/// What a reference needs, unless it is optional: an object, and each key of it that is named.
fn named<'a>(plural: &'static str, reference: &'a Value, field: &str) -> Vec<Need<'a>> {
    let name = reference[field].as_str().unwrap_or_default();
    if name.is_empty() || reference["optional"] == true {
        return Vec::new();
    }
    let keys = items(&reference["items"]).map(|item| &item["key"]);
    let keys = keys.chain([&reference["key"]]).filter_map(Value::as_str);
    let keys = keys.map(Some).chain([None]);
    keys.map(|key| Need { plural, name, key }).collect()
}

pub(in crate::simulation) fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn optional_references_are_no_needs() {
        let spec = json!({
            "serviceAccountName": "site",
            "volumes": [
                { "secret": { "secretName": "tls", "items": [{ "key": "tls.crt", "path": "crt" }] } },
                { "secret": { "secretName": "extra", "optional": true } },
                { "configMap": { "name": "settings" } },
                { "persistentVolumeClaim": { "claimName": "data" } },
                { "projected": { "sources": [{ "secret": { "name": "token" } }, { "configMap": { "name": "ca" } }] } },
                { "emptyDir": {} },
            ],
            "initContainers": [{ "envFrom": [{ "secretRef": { "name": "init" } }] }],
            "containers": [{ "env": [
                { "name": "A", "value": "a" },
                { "name": "B", "valueFrom": { "secretKeyRef": { "name": "database", "key": "password" } } },
                { "name": "C", "valueFrom": { "configMapKeyRef": { "name": "none", "key": "c", "optional": true } } },
            ] }],
        });
        let all = needs(&spec);
        let all: Vec<_> = all
            .iter()
            .map(|need| format!("{} {} {}", need.plural, need.name, need.key.unwrap_or("-")))
            .collect();
        let expected = [
            "serviceaccounts site -",
            "secrets tls tls.crt",
            "secrets tls -",
            "configmaps settings -",
            "persistentvolumeclaims data -",
            "secrets token -",
            "configmaps ca -",
            "secrets database password",
            "secrets database -",
            "secrets init -",
        ];
        assert_eq!(all, expected);
        let read = environment(&spec);
        let read: Vec<_> = read.iter().map(|need| (need.name, need.key)).collect();
        assert_eq!(read, [("database", Some("password")), ("init", None)]);
    }

    #[test]
    fn kubernetes_fills_the_secret_of_a_token() {
        let token = json!({ "type": "kubernetes.io/service-account-token" });
        assert!(is_of_token(Some(&token), Some("token")));
        assert!(!is_of_token(Some(&token), Some("password")));
        assert!(!is_of_token(
            Some(&json!({ "type": "Opaque" })),
            Some("token")
        ));
        assert!(!is_of_token(None, Some("token")));
    }

    #[test]
    fn a_set_has_claims_of_its_templates() {
        let set = json!({
            "metadata": { "name": "postgres" },
            "spec": { "volumeClaimTemplates": [{ "metadata": { "name": "data" } }] },
        });
        for (claim, expected) in [
            ("data-postgres-0", true),
            ("data-postgres-12", true),
            ("data-postgres", false),
            ("data-postgres-x", false),
            ("logs-postgres-0", false),
        ] {
            assert_eq!(is_claim_of(&set, claim), expected, "{claim}");
        }
    }
}
