//! What holds for this operator beside what holds for all.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;
use rop_runtime::simulation::World;

use crate::kinds::{App, Status, Vault};

/// What is ready has the children that its spec asks for.
pub(crate) fn children(world: &World) -> Result<(), String> {
    for app in world.list::<App>() {
        let (name, namespace) = (app.name_any(), app.namespace());
        if !is_ready(app.status.as_ref()) {
            continue;
        }
        let found = world.get::<Deployment>(namespace.as_deref(), &name);
        let spec = found.map(|found| found.spec);
        let image = spec.as_ref().and_then(|spec| {
            let pod = spec.template.spec.as_ref()?;
            pod.containers.first()?.image.clone()
        });
        if image.as_ref() != Some(&app.spec.image) {
            return Err(format!(
                "the App {name} is ready, and runs the image {image:?}"
            ));
        }
    }
    for vault in world.list::<Vault>() {
        let (name, namespace) = (vault.name_any(), vault.namespace());
        if !is_ready(vault.status.as_ref()) {
            continue;
        }
        let secret = world.get::<Secret>(namespace.as_deref(), &name);
        let content = secret.and_then(|secret| secret.data?.remove("content"));
        if content.is_none_or(|content| content.0 != vault.spec.content.as_bytes()) {
            return Err(format!(
                "the Vault {name} is ready, and its Secret is not as it asks"
            ));
        }
    }
    Ok(())
}

fn is_ready(status: Option<&Status>) -> bool {
    let mut conditions = status.into_iter().flat_map(|status| &status.conditions);
    conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
}
