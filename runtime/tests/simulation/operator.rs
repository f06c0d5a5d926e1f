//! The simulated operator: a controller with owned children and a reference, a controller with a cleanup and a child in
//! another namespace, and a controller of a cluster-scoped kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::ByteString;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use k8s_openapi::api::core::v1::{
    ConfigMap, Container, PodSpec, PodTemplateSpec, Secret, Service, ServicePort, ServiceSpec,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, LabelSelector};
use kube::{Resource, ResourceExt};
use rop_runtime::conditions::{Conditions, READY};
use rop_runtime::{Action, Cleanup, Context, Error, Identity, Manager, Watch};

use crate::kinds::{App, Status, Vault, Zone, named};

pub(crate) const IDENTITY: Identity = Identity::new("example", "1.0.0");

pub(crate) fn register(manager: &mut Manager<()>) {
    manager
        .controller(reconcile_app)
        .owns::<Deployment>()
        .owns::<Service>()
        .owns::<ConfigMap>()
        .refers_to::<Secret, _>(|app: &App| app.spec.secret.map(|secret| secret.name().to_owned()))
        .on_failure(|app: &App, error| failed(app, app.status.as_ref(), error))
        .start();
    manager
        .controller(reconcile_vault)
        .owns_with::<Secret>(Watch::new().everywhere())
        .on_failure(|vault: &Vault, error| failed(vault, vault.status.as_ref(), error))
        .finalizer(clean_vault)
        .start();
    manager
        .controller(reconcile_zone)
        .owns_whole::<ConfigMap>()
        .on_failure(|zone: &Zone, error| failed(zone, zone.status.as_ref(), error))
        .start();
}

async fn reconcile_app(app: Arc<App>, context: Context) -> Result<Action, Error> {
    let (name, namespace) = (app.name_any(), app.namespace());
    if let Some(secret) = app.spec.secret {
        let secrets = context.cached::<Secret>()?;
        secrets.require(namespace.as_deref(), secret.name())?;
    }
    context
        .apply_or_delete(&*app, &name, greeting(&app))
        .await?;
    let service = app.spec.port.map(|port| service(&name, port));
    context.apply_or_delete(&*app, &name, service).await?;
    let deployment = context.apply(&*app, deployment(&app)).await?;
    let is_ready = is_ready(&deployment);
    let (reason, message) = if is_ready {
        ("Running", "all replicas are ready")
    } else {
        ("RollingOut", "not all replicas are ready")
    };
    let conditions = conditions(&*app, app.status.as_ref(), is_ready, reason, message);
    context.report(&*app, Status { conditions }).await?;
    Ok(Action::await_change())
}

pub(crate) fn deployment(app: &App) -> Deployment {
    let labels = BTreeMap::from([("app".to_owned(), app.name_any())]);
    let container = Container {
        name: "app".to_owned(),
        image: Some(app.spec.image.clone()),
        ..Container::default()
    };
    let mut pod = named("");
    pod.name = None;
    pod.labels = Some(labels.clone());
    Deployment {
        metadata: named(app.name_any()),
        spec: DeploymentSpec {
            replicas: (!app.spec.autoscaled).then_some(app.spec.replicas),
            selector: LabelSelector {
                match_labels: Some(labels),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(pod),
                spec: Some(PodSpec {
                    containers: vec![container],
                    ..PodSpec::default()
                }),
            },
            ..DeploymentSpec::default()
        },
        ..Deployment::default()
    }
}

pub(crate) fn service(name: &str, port: i32) -> Service {
    let port = ServicePort {
        port,
        ..ServicePort::default()
    };
    Service {
        metadata: named(name),
        spec: Some(ServiceSpec {
            selector: Some(BTreeMap::from([("app".to_owned(), name.to_owned())])),
            ports: Some(vec![port]),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}

async fn reconcile_vault(vault: Arc<Vault>, context: Context) -> Result<Action, Error> {
    context.apply(&*vault, secret(&vault, None)).await?;
    if vault.spec.copied {
        context
            .apply(&*vault, secret(&vault, Some("vaults")))
            .await?;
    } else {
        context
            .remove_child(&*vault, &secret(&vault, Some("vaults")))
            .await?;
    }
    let conditions = conditions(&*vault, vault.status.as_ref(), true, "Locked", "it is safe");
    context.report(&*vault, Status { conditions }).await?;
    Ok(Action::await_change())
}

pub(crate) fn secret(vault: &Vault, namespace: Option<&str>) -> Secret {
    let name = namespace.map_or_else(|| vault.name_any(), |_| away(vault));
    let mut metadata = named(name);
    metadata.namespace = namespace.map(str::to_owned);
    let content = ByteString(vault.spec.content.clone().into_bytes());
    Secret {
        metadata,
        data: Some(BTreeMap::from([("content".to_owned(), content)])),
        ..Secret::default()
    }
}

fn away(vault: &Vault) -> String {
    // No namespace has a dot.
    format!(
        "{}.{}",
        vault.namespace().unwrap_or_default(),
        vault.name_any()
    )
}

async fn clean_vault(vault: Arc<Vault>, context: Context) -> Result<Cleanup, Error> {
    let name = vault.name_any();
    let away = context
        .remove_child(&*vault, &secret(&vault, Some("vaults")))
        .await?;
    let here = context.remove::<Secret>(&*vault, &name).await?;
    Ok(away.and(here))
}

async fn reconcile_zone(zone: Arc<Zone>, context: Context) -> Result<Action, Error> {
    for number in 0..4 {
        let map = map(&zone, number);
        let name = map.name_any();
        let map = (number < zone.spec.maps).then_some(map);
        context.apply_or_delete(&*zone, &name, map).await?;
    }
    let conditions = conditions(
        &*zone,
        zone.status.as_ref(),
        true,
        "Drawn",
        "all maps are drawn",
    );
    context.report(&*zone, Status { conditions }).await?;
    Ok(Action::await_change())
}

pub(crate) fn failed(object: &impl Resource, before: Option<&Status>, error: &Error) -> Status {
    let conditions = conditions(object, before, false, error.reason(), &error.to_string());
    Status { conditions }
}

pub(crate) fn conditions(
    object: &impl Resource,
    before: Option<&Status>,
    holds: bool,
    reason: &str,
    message: &str,
) -> Vec<Condition> {
    let before = before.map(|status| &*status.conditions);
    let mut conditions = Conditions::of(before.unwrap_or_default(), object.meta().generation);
    conditions.set(READY, holds, reason, message);
    conditions.into()
}

/// The greeting of an app, if it has one.
pub(crate) fn greeting(app: &App) -> Option<ConfigMap> {
    app.spec.greeting.as_ref().map(|text| ConfigMap {
        metadata: named(app.name_any()),
        data: Some(BTreeMap::from([("greeting".to_owned(), text.clone())])),
        ..ConfigMap::default()
    })
}

/// One of the maps of a zone.
pub(crate) fn map(zone: &Zone, number: i32) -> ConfigMap {
    ConfigMap {
        metadata: named(format!("{}-{number}", zone.name_any())),
        data: Some(BTreeMap::from([("number".to_owned(), number.to_string())])),
        ..ConfigMap::default()
    }
}

/// Whether the applied Deployment of an app is rolled out.
pub(crate) fn is_ready(deployment: &Deployment) -> bool {
    deployment.status.as_ref().is_some_and(|seen| {
        // If an autoscaler sets the replicas, only the status has them.
        let wanted = deployment.spec.replicas.or(seen.replicas);
        seen.observed_generation == deployment.metadata.generation && seen.ready_replicas == wanted
    })
}
