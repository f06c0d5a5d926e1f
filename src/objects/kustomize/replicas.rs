//! `replicas:` of a kustomization.

use super::field::Field;
use super::kustomization::Replicas;
use super::resource::Resource;

const FIELD: Field<'_> = Field {
    path: "spec/replicas",
    group: "",
    kind: "Deployment",
    create: true,
};

/// Sets the number of pods of the Deployments of a name, of which there must be one.
pub(super) fn set(resources: &mut [Resource], replicas: &Replicas) -> Option<()> {
    let mut found = None;
    for resource in resources {
        let is_named = resource.names().any(|name| name.name == replicas.name);
        if is_named && FIELD.is_of(&resource.kind().clone()) {
            let mut set = |value: &mut serde_json::Value| {
                *value = replicas.count.into();
                Some(())
            };
            FIELD.visit(&mut resource.value, &mut set)?;
            found = Some(());
        }
    }
    found
}
