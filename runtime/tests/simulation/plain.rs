//! The same operator with only kube. It applies everything in each reconcile, as most operators do.

use std::fmt::Debug;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use kube::core::NamespaceResourceScope;
use kube::core::object::HasStatus;
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::reflector::ObjectRef;
use kube::runtime::watcher;
use kube::{Api, Client, Resource, ResourceExt};
use rop_runtime::Reach;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::kinds::{App, OPERATOR, Status, Vault, Zone};
use crate::operator::{IDENTITY, conditions, deployment, greeting, is_ready, map, secret, service};

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failure(String);

impl From<kube::Error> for Failure {
    fn from(error: kube::Error) -> Self {
        Self(error.to_string())
    }
}

type Outcome = Result<Action, Failure>;

/// Runs the operator.
pub(crate) async fn run(client: Client) {
    let config = watcher::Config::default();
    let context = Arc::new(client.clone());
    let apps = Controller::new(Api::<App>::all(client.clone()), config.clone());
    let store = apps.store();
    let needing = move |secret: Secret| {
        let apps = store.state().into_iter();
        let needs = move |app: &Arc<App>| {
            app.namespace() == secret.namespace()
                && app.spec.secret.map(|needed| needed.name().to_owned()) == secret.metadata.name
        };
        let apps = apps.filter(needs).map(|app| ObjectRef::from_obj(&*app));
        apps.collect::<Vec<_>>()
    };
    let apps = apps
        .owns(Api::<Deployment>::all(client.clone()), config.clone())
        .owns(Api::<Service>::all(client.clone()), config.clone())
        .owns(Api::<ConfigMap>::all(client.clone()), config.clone())
        .watches(Api::<Secret>::all(client.clone()), config.clone(), needing)
        .run(reconcile_app, again, Arc::clone(&context));
    let vaults = Controller::new(Api::<Vault>::all(client.clone()), config.clone())
        .owns(Api::<Secret>::all(client.clone()), config.clone())
        .run(reconcile_vault, again, Arc::clone(&context));
    let zones = Controller::new(Api::<Zone>::all(client.clone()), config.clone())
        .owns(Api::<ConfigMap>::all(client.clone()), config)
        .run(reconcile_zone, again, context);
    futures::join!(
        apps.for_each(|_| ready(())),
        vaults.for_each(|_| ready(())),
        zones.for_each(|_| ready(())),
    );
}

fn again<K>(_: Arc<K>, _: &Failure, _: Arc<Client>) -> Action {
    Action::requeue(Duration::from_secs(5))
}

fn resync() -> Action {
    Action::requeue(Duration::from_secs(600))
}

async fn reconcile_app(app: Arc<App>, client: Arc<Client>) -> Outcome {
    if app.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let (app, name, namespace) = (&*app, app.name_any(), app.namespace().unwrap_or_default());
    if let Some(needed) = app.spec.secret {
        let secrets = Api::<Secret>::namespaced((*client).clone(), &namespace);
        if secrets.get_metadata_opt(needed.name()).await?.is_none() {
            report(&client, app, false).await?;
            return Ok(resync());
        }
    }
    match greeting(app) {
        Some(map) => drop(apply(&client, app, &namespace, map).await?),
        None => delete::<ConfigMap>(&client, app, &namespace, &name).await?,
    }
    match app.spec.port {
        Some(port) => drop(apply(&client, app, &namespace, service(&name, port)).await?),
        None => delete::<Service>(&client, app, &namespace, &name).await?,
    }
    let deployment = apply(&client, app, &namespace, deployment(app)).await?;
    report(&client, app, is_ready(&deployment)).await?;
    Ok(resync())
}

async fn reconcile_vault(vault: Arc<Vault>, client: Arc<Client>) -> Outcome {
    let namespace = vault.namespace().unwrap_or_default();
    let api = Api::<Vault>::namespaced((*client).clone(), &namespace);
    let away = Api::<Secret>::namespaced((*client).clone(), "vaults");
    let done = finalizer(&api, "app.example.com/cleanup", vault, async |event| {
        match event {
            Event::Apply(vault) => {
                apply(&client, &*vault, &namespace, secret(&vault, None)).await?;
                let copy = secret(&vault, Some("vaults"));
                let (name, params) = (copy.name_any(), PatchParams::apply(IDENTITY.name()).force());
                if vault.spec.copied {
                    away.patch(&name, &params, &Patch::Apply(&copy)).await?;
                } else {
                    gone(away.delete(&name, &DeleteParams::default()).await)?;
                }
                report(&client, &*vault, true).await?;
            }
            Event::Cleanup(vault) => {
                let copy = secret(&vault, Some("vaults")).name_any();
                gone(away.delete(&copy, &DeleteParams::default()).await)?;
            }
        }
        Ok::<_, Failure>(resync())
    });
    done.await.map_err(|error| Failure(error.to_string()))
}

async fn reconcile_zone(zone: Arc<Zone>, client: Arc<Client>) -> Outcome {
    if zone.metadata.deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    for number in 0..4 {
        let map = map(&zone, number);
        if number < zone.spec.maps {
            apply(&client, &*zone, OPERATOR, map).await?;
        } else {
            delete::<ConfigMap>(&client, &*zone, OPERATOR, &map.name_any()).await?;
        }
    }
    report(&client, &*zone, true).await?;
    Ok(resync())
}

/// A type of child.
trait Child:
    Clone
    + Debug
    + DeserializeOwned
    + Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + Serialize
{
}

impl Child for ConfigMap {}
impl Child for Deployment {}
impl Child for Secret {}
impl Child for Service {}

async fn apply<C: Child>(
    client: &Client,
    owner: &impl Resource<DynamicType = ()>,
    namespace: &str,
    mut child: C,
) -> Result<C, Failure> {
    let reference = owner.controller_owner_ref(&());
    child.meta_mut().owner_references = reference.map(|reference| vec![reference]);
    let params = PatchParams::apply(IDENTITY.name()).force();
    let api = Api::<C>::namespaced(client.clone(), namespace);
    let (name, patch) = (child.name_any(), Patch::Apply(&child));
    Ok(api.patch(&name, &params, &patch).await?)
}

/// Deletes a child, if it belongs to the owner.
async fn delete<C: Child>(
    client: &Client,
    owner: &impl Resource<DynamicType = ()>,
    namespace: &str,
    name: &str,
) -> Result<(), Failure> {
    let api = Api::<C>::namespaced(client.clone(), namespace);
    let Some(child) = api.get_opt(name).await? else {
        return Ok(());
    };
    let owners = child.owner_references().iter();
    let mut owners = owners.map(|reference| Some(&reference.uid));
    if !owners.any(|uid| uid == owner.meta().uid.as_ref()) {
        return Ok(());
    }
    let params = DeleteParams::default().preconditions(Preconditions {
        uid: child.uid(),
        resource_version: None,
    });
    gone(api.delete(name, &params).await)
}

/// A missing object counts as deleted.
fn gone<T>(answer: kube::Result<T>) -> Result<(), Failure> {
    match answer {
        Err(kube::Error::Api(answer)) if answer.code == 404 => Ok(()),
        answer => Ok(answer.map(drop)?),
    }
}

async fn report<K>(client: &Client, object: &K, is_ready: bool) -> Result<(), Failure>
where
    K: Debug
        + DeserializeOwned
        + HasStatus<Status = Status>
        + Resource<DynamicType = (), Scope: Reach>,
{
    let (reason, message) = if is_ready {
        ("Ready", "everything is there")
    } else {
        ("Waiting", "something is not there yet")
    };
    let conditions = conditions(object, object.status(), is_ready, reason, message);
    let name = object.name_any();
    let status = json!({
        "apiVersion": K::api_version(&()),
        "kind": K::kind(&()),
        "metadata": { "name": name, "uid": object.uid() },
        "status": Status { conditions },
    });
    let api: Api<K> = K::Scope::api(client.clone(), object.meta().namespace.as_deref());
    let params = PatchParams::apply(IDENTITY.name()).force();
    let written = api
        .patch_status(&name, &params, &Patch::Apply(&status))
        .await;
    gone(written)
}
