//! Fields of built-in kinds that no update may change.

use serde_json::Value;

use super::failure::FieldError;
use super::resource::{Resource, at};
use super::service::has_address;

const CLAIM: &str = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

const POD: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// The errors of an update.
pub(super) fn check(resource: &Resource, old: &Value, object: &Value) -> Vec<FieldError> {
    let forbidden = |path: &str, why: &str| vec![FieldError::forbidden(path, why)];
    let plural = &*resource.plural;
    match plural {
        "pods" if changes(old, object, without_free_fields_of_pod) => forbidden("spec", POD),
        "persistentvolumeclaims" if changes(old, object, without_free_fields_of_claim) => {
            forbidden("spec", CLAIM)
        }
        "services" if [old, object].iter().all(|service| has_address(service)) => {
            let [before, now] = [old, object].map(|service| &service["spec"]["clusterIPs"][0]);
            let changed = (before != now).then(|| unchanging("spec.clusterIPs[0]", now));
            changed
                .into_iter()
                .chain(balancer_class(old, object))
                .collect()
        }
        "rolebindings" | "clusterrolebindings" if old["roleRef"] != object["roleRef"] => {
            let role = object["roleRef"].clone();
            vec![FieldError::invalid(
                "roleRef",
                role,
                "cannot change roleRef",
            )]
        }
        "configmaps" | "secrets" if old["immutable"] == true => {
            let fields = ["data", "binaryData", "immutable"].into_iter();
            let why = "field is immutable when `immutable` is set";
            let changed = fields.filter(|field| old[field] != object[field]);
            let errors = changed.map(|field| FieldError::forbidden(field, why));
            errors.chain(fixed(plural, old, object)).collect()
        }
        _ => fixed(plural, old, object).collect(),
    }
}

/// The error of a load balancer of another class, which a Service only gets with its type.
fn balancer_class(old: &Value, object: &Value) -> Option<FieldError> {
    let is_balancer = |service: &&Value| service["spec"]["type"] == "LoadBalancer";
    let [before, now] = [old, object].map(|service| &service["spec"]["loadBalancerClass"]);
    let is_changed = [old, object].iter().all(is_balancer) && before != now;
    let why = "may not change once set";
    is_changed.then(|| FieldError::invalid("spec.loadBalancerClass", now.clone(), why))
}

/// The errors of fields that a kind never changes.
fn fixed<'a>(
    plural: &str,
    old: &'a Value,
    object: &'a Value,
) -> impl Iterator<Item = FieldError> + 'a {
    let paths: &[&str] = match plural {
        "deployments" | "daemonsets" | "replicasets" => &["spec.selector"],
        "statefulsets" => &[
            "spec.selector",
            "spec.serviceName",
            "spec.podManagementPolicy",
            "spec.volumeClaimTemplates",
        ],
        // A Job that was suspended and never ran can get another template.
        "jobs" if old["spec"]["suspend"] == true => &["spec.selector"],
        "jobs" => &[
            "spec.selector",
            "spec.completions",
            "spec.completionMode",
            "spec.template",
        ],
        "secrets" => &["type"],
        "storageclasses" => &[
            "provisioner",
            "parameters",
            "reclaimPolicy",
            "volumeBindingMode",
        ],
        _ => &[],
    };
    let changed = paths
        .iter()
        .filter(|path| at(old, path) != at(object, path));
    changed.map(|path| unchanging(path, at(object, path)))
}

fn unchanging(path: &str, value: &Value) -> FieldError {
    FieldError::invalid(path, value.clone(), "field is immutable")
}

/// Whether the spec has changed, without the fields that may change.
fn changes(old: &Value, object: &Value, without: fn(Value) -> Value) -> bool {
    without(old["spec"].clone()) != without(object["spec"].clone())
}

fn without_free_fields_of_pod(mut spec: Value) -> Value {
    for list in ["containers", "initContainers"] {
        let containers = spec.get_mut(list).and_then(Value::as_array_mut);
        for container in containers.into_iter().flatten() {
            remove(container, &["image"]);
        }
    }
    remove(
        &mut spec,
        &[
            "activeDeadlineSeconds",
            "tolerations",
            "terminationGracePeriodSeconds",
        ],
    );
    spec
}

fn without_free_fields_of_claim(mut spec: Value) -> Value {
    if let Some(resources) = spec.get_mut("resources") {
        remove(resources, &["requests"]);
    }
    // The volume is bound later.
    remove(&mut spec, &["volumeAttributesClassName", "volumeName"]);
    spec
}

fn remove(object: &mut Value, fields: &[&str]) {
    if let Some(object) = object.as_object_mut() {
        for field in fields {
            object.remove(*field);
        }
    }
}
