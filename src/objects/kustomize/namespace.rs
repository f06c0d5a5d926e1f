//! `namespace:` of a kustomization.

use serde_json::Value;

use super::field::Field;
use super::resource::Resource;

/// The Service that converts a CRD's objects.
const CONVERSION: Field<'_> = Field {
    path: "spec/conversion/webhook/clientConfig/service/namespace",
    group: "apiextensions.k8s.io",
    kind: "CustomResourceDefinition",
    create: false,
};

/// Puts objects into a namespace.
pub(super) fn set(resources: &mut [Resource], namespace: &str) -> Option<()> {
    for resource in resources {
        let kind = resource.kind().clone();
        resource.remember();
        let metadata = &mut resource.value["metadata"];
        if kind.kind == "Namespace" {
            metadata["name"] = namespace.into();
        } else if !kind.is_cluster_scoped() {
            metadata["namespace"] = namespace.into();
        }
        if kind.kind.ends_with("RoleBinding") {
            set_default_subjects(&mut resource.value, namespace);
        }
        if CONVERSION.is_of(&kind) {
            let mut set = |value: &mut Value| {
                *value = namespace.into();
                Some(())
            };
            CONVERSION.visit(&mut resource.value, &mut set)?;
        }
    }
    Some(())
}

/// Others follow what they name, which the default account is not: no file has it.
fn set_default_subjects(binding: &mut Value, namespace: &str) {
    let subjects = binding.get_mut("subjects").and_then(Value::as_array_mut);
    for subject in subjects.into_iter().flatten() {
        if subject["name"] == "default" {
            subject["namespace"] = namespace.into();
        }
    }
}
