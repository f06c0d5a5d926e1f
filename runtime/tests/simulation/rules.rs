//! The invariants of this operator, in addition to those of all operators.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{Resource, ResourceExt};
use rop_runtime::simulation::World;
use serde::de::DeserializeOwned;

use crate::kinds::{App, OPERATOR, Status, Vault, Zone, is_owned};

/// A ready object has the children in its spec.
pub(crate) fn children(world: &World) -> Result<(), String> {
    for app in world.list::<App>() {
        let (name, namespace) = (app.name_any(), app.namespace());
        let found = world.get::<Deployment>(namespace.as_deref(), &name);
        if !is_ready(app.status.as_ref()) {
            if app.spec.autoscaled
                && reason(&app) == "RollingOut"
                && found.is_some_and(|it| runs(&it))
            {
                return Err(format!("the App {name} runs, and is not ready"));
            }
            continue;
        }
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
        if app.spec.greeting.is_none() {
            has_no::<ConfigMap>(world, &app, namespace.as_deref(), &name)?;
        }
        if app.spec.port.is_none() {
            has_no::<Service>(world, &app, namespace.as_deref(), &name)?;
        }
    }
    for zone in world.list::<Zone>() {
        if is_ready(zone.status.as_ref()) {
            let last = format!("{}-{}", zone.name_any(), zone.spec.maps);
            has_no::<ConfigMap>(world, &zone, Some(OPERATOR), &last)?;
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

/// Whether all replicas that an autoscaler has set are running.
fn runs(deployment: &Deployment) -> bool {
    deployment.status.as_ref().is_some_and(|seen| {
        seen.observed_generation == deployment.metadata.generation
            && seen.ready_replicas == deployment.spec.replicas
    })
}

/// A child that is not in the spec does not exist.
fn has_no<T>(
    world: &World,
    owner: &impl Resource,
    namespace: Option<&str>,
    name: &str,
) -> Result<(), String>
where
    T: Resource<DynamicType = ()> + DeserializeOwned,
{
    let found = world.get::<T>(namespace, name);
    if found.is_some_and(|found| is_owned(&found, owner)) {
        Err(format!(
            "nobody asks for the {} {name} any more",
            T::kind(&())
        ))
    } else {
        Ok(())
    }
}

/// The reason of the condition Ready of an App.
fn reason(app: &App) -> &str {
    ready(app.status.as_ref()).map_or("", |condition| &condition.reason)
}

pub(crate) fn is_ready(status: Option<&Status>) -> bool {
    ready(status).is_some_and(|condition| condition.status == "True")
}

fn ready(status: Option<&Status>) -> Option<&Condition> {
    let mut conditions = status.into_iter().flat_map(|status| &status.conditions);
    conditions.find(|condition| condition.type_ == "Ready")
}
