//! Which fields hold the names of other objects.

use serde::Deserialize;

use super::field::Field;
use super::resource::Gvk;

/// A field that names an object of a kind.
#[derive(Clone, Copy)]
pub(super) struct Referral<'a> {
    group: &'a str,
    version: &'a str,
    kind: &'a str,
    pub(super) field: Field<'a>,
}

impl Referral<'_> {
    /// Whether it names objects of a kind.
    pub(super) fn is_to(&self, kind: &Gvk) -> bool {
        let matches = |expected: &str, found: &str| expected.is_empty() || expected == found;
        matches(self.group, &kind.group)
            && matches(self.version, &kind.version)
            && self.kind == kind.kind
    }
}

const RBAC: &str = "rbac.authorization.k8s.io";
const ADMISSION: &str = "admissionregistration.k8s.io";

const fn referral(
    kind: &'static str,
    path: &'static str,
    group: &'static str,
    referrer: &'static str,
) -> Referral<'static> {
    Referral {
        group: "",
        version: "",
        kind,
        field: Field {
            path,
            group,
            kind: referrer,
            create: false,
        },
    }
}

/// Those that kustomize knows, of the kinds that are known here.
pub(super) const BUILT_IN: [Referral<'static>; 30] = [
    referral(
        "ConfigMap",
        "spec/template/spec/volumes/configMap/name",
        "",
        "Deployment",
    ),
    referral(
        "ConfigMap",
        "spec/template/spec/containers/env/valueFrom/configMapKeyRef/name",
        "",
        "Deployment",
    ),
    referral(
        "ConfigMap",
        "spec/template/spec/initContainers/env/valueFrom/configMapKeyRef/name",
        "",
        "Deployment",
    ),
    referral(
        "ConfigMap",
        "spec/template/spec/containers/envFrom/configMapRef/name",
        "",
        "Deployment",
    ),
    referral(
        "ConfigMap",
        "spec/template/spec/initContainers/envFrom/configMapRef/name",
        "",
        "Deployment",
    ),
    referral(
        "ConfigMap",
        "spec/template/spec/volumes/projected/sources/configMap/name",
        "",
        "Deployment",
    ),
    referral("ConfigMap", "rules/resourceNames", "", "Role"),
    referral("ConfigMap", "rules/resourceNames", "", "ClusterRole"),
    referral(
        "Secret",
        "spec/template/spec/volumes/secret/secretName",
        "",
        "Deployment",
    ),
    referral(
        "Secret",
        "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
        "",
        "Deployment",
    ),
    referral(
        "Secret",
        "spec/template/spec/initContainers/env/valueFrom/secretKeyRef/name",
        "",
        "Deployment",
    ),
    referral(
        "Secret",
        "spec/template/spec/containers/envFrom/secretRef/name",
        "",
        "Deployment",
    ),
    referral(
        "Secret",
        "spec/template/spec/initContainers/envFrom/secretRef/name",
        "",
        "Deployment",
    ),
    referral(
        "Secret",
        "spec/template/spec/imagePullSecrets/name",
        "",
        "Deployment",
    ),
    referral(
        "Secret",
        "spec/template/spec/volumes/projected/sources/secret/name",
        "",
        "Deployment",
    ),
    referral("Secret", "imagePullSecrets/name", "", "ServiceAccount"),
    referral("Secret", "rules/resourceNames", "", "Role"),
    referral("Secret", "rules/resourceNames", "", "ClusterRole"),
    referral(
        "Service",
        "webhooks/clientConfig/service",
        ADMISSION,
        "ValidatingWebhookConfiguration",
    ),
    referral(
        "Service",
        "webhooks/clientConfig/service",
        ADMISSION,
        "MutatingWebhookConfiguration",
    ),
    referral("Role", "roleRef/name", RBAC, "RoleBinding"),
    referral("ClusterRole", "roleRef/name", RBAC, "RoleBinding"),
    referral("ClusterRole", "roleRef/name", RBAC, "ClusterRoleBinding"),
    referral("ServiceAccount", "subjects", RBAC, "RoleBinding"),
    referral("ServiceAccount", "subjects", RBAC, "ClusterRoleBinding"),
    referral(
        "ServiceAccount",
        "spec/template/spec/serviceAccountName",
        "",
        "Deployment",
    ),
    referral(
        "Deployment",
        "spec/scaleTargetRef/name",
        "",
        "HorizontalPodAutoscaler",
    ),
    referral(
        "PersistentVolumeClaim",
        "spec/template/spec/volumes/persistentVolumeClaim/claimName",
        "",
        "Deployment",
    ),
    referral(
        "PriorityClass",
        "spec/template/spec/priorityClassName",
        "",
        "Deployment",
    ),
    referral(
        "ValidatingAdmissionPolicy",
        "spec/policyName",
        ADMISSION,
        "ValidatingAdmissionPolicyBinding",
    ),
];

/// A file that `configurations:` of a kustomization lists.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Configuration {
    pub(super) name_reference: Vec<NameReference>,
}

/// References that it adds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct NameReference {
    #[serde(default)]
    group: String,
    #[serde(default)]
    version: String,
    kind: String,
    field_specs: Vec<FieldSpec>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldSpec {
    path: String,
    #[serde(default)]
    group: String,
    #[serde(default)]
    kind: String,
}

impl NameReference {
    pub(super) fn referrals(&self) -> impl Iterator<Item = Referral<'_>> {
        self.field_specs.iter().map(|spec| Referral {
            group: &self.group,
            version: &self.version,
            kind: &self.kind,
            field: Field {
                path: &spec.path,
                group: &spec.group,
                kind: &spec.kind,
                create: false,
            },
        })
    }
}
