//! The desired children of a `Tenant` in each environment, as pure functions of the object. The runtime
//! adds the owner reference and the managed-by label.

use std::collections::BTreeMap;

use tenant_operator_api::platform::v1::Tenant;
use tenant_operator_api::platform::v1::tenant::Environment;

use k8s_openapi::api::core::v1::{Namespace, ResourceQuota, ResourceQuotaSpec, Secret};
use k8s_openapi::api::networking::v1::{
    NetworkPolicy, NetworkPolicyIngressRule, NetworkPolicyPeer, NetworkPolicySpec,
};
use k8s_openapi::api::rbac::v1::{RoleBinding, RoleRef, Subject};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use kube::ResourceExt;

/// The name of the objects that exist once in each namespace.
const NAME: &str = "tenant";

/// Returns the name of an environment's namespace. It is unique, because names of environments have no `-`.
#[must_use]
pub fn namespace_name(object: &Tenant, environment: &Environment) -> String {
    format!("{}-{}", object.name_any(), environment.name)
}

/// Returns the namespace of an environment.
#[must_use]
pub fn namespace(object: &Tenant, environment: &Environment) -> Namespace {
    Namespace {
        metadata: ObjectMeta {
            name: Some(namespace_name(object, environment)),
            ..ObjectMeta::default()
        },
        ..Namespace::default()
    }
}

/// Returns the pod quota.
#[must_use]
pub fn pods(object: &Tenant, environment: &Environment) -> ResourceQuota {
    quota(object, environment, "pods", environment.pods)
}

/// Returns the CPU quota: the same object as the pod quota, applied by another controller.
#[must_use]
pub fn cpus(object: &Tenant, environment: &Environment, cpus: u32) -> ResourceQuota {
    quota(object, environment, "requests.cpu", cpus)
}

fn quota(object: &Tenant, environment: &Environment, of: &str, most: u32) -> ResourceQuota {
    let hard = BTreeMap::from([(of.to_owned(), Quantity(most.to_string()))]);
    ResourceQuota {
        metadata: metadata(object, environment, NAME),
        spec: Some(ResourceQuotaSpec {
            hard: Some(hard),
            ..ResourceQuotaSpec::default()
        }),
        ..ResourceQuota::default()
    }
}

/// Returns a policy that only allows traffic to pods from their own namespace.
#[must_use]
pub fn network_policy(object: &Tenant, environment: &Environment) -> NetworkPolicy {
    let all = Some(LabelSelector::default());
    NetworkPolicy {
        metadata: metadata(object, environment, NAME),
        spec: Some(NetworkPolicySpec {
            pod_selector: all.clone(),
            ingress: Some(vec![NetworkPolicyIngressRule {
                from: Some(vec![NetworkPolicyPeer {
                    pod_selector: all,
                    ..NetworkPolicyPeer::default()
                }]),
                ..NetworkPolicyIngressRule::default()
            }]),
            policy_types: Some(vec!["Ingress".to_owned()]),
            ..NetworkPolicySpec::default()
        }),
    }
}

/// Returns the binding that grants the role `edit` to the group.
#[must_use]
pub fn role_binding(object: &Tenant, environment: &Environment) -> RoleBinding {
    let api_group = Some("rbac.authorization.k8s.io".to_owned());
    RoleBinding {
        metadata: metadata(object, environment, NAME),
        role_ref: RoleRef {
            api_group: api_group.clone(),
            kind: "ClusterRole".to_owned(),
            name: "edit".to_owned(),
        },
        subjects: Some(vec![Subject {
            api_group,
            kind: "Group".to_owned(),
            name: object.spec.group.clone(),
            ..Subject::default()
        }]),
    }
}

/// Returns a copy of the image pull secret.
#[must_use]
pub fn pull_secret(object: &Tenant, environment: &Environment, source: &Secret) -> Secret {
    Secret {
        metadata: metadata(object, environment, "registry"),
        data: source.data.clone(),
        type_: Some("kubernetes.io/dockerconfigjson".to_owned()),
        ..Secret::default()
    }
}

fn metadata(object: &Tenant, environment: &Environment, name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some(namespace_name(object, environment)),
        ..ObjectMeta::default()
    }
}
