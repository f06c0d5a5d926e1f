//! An operator without a mistake, with children that do not depend on the spec alone: a random password, and
//! `PersistentVolumeClaim`s, which a finalizer protects.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use k8s_openapi::ByteString;
use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec};
use k8s_openapi::api::core::v1::{
    PersistentVolumeClaim, PersistentVolumeClaimSpec, Secret, VolumeResourceRequirements,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::{Api, ResourceExt};
use rop_runtime::simulation::Simulation;
use rop_runtime::{Action, Context, Error, Manager};
use serde_json::{Value, json};

use crate::kinds::{Status, Vault, VaultSpec, crds, is_owned, named, objects};
use crate::operator::{IDENTITY, conditions, deployment, failed};

/// What a reconcile reads.
#[derive(Clone, Copy, PartialEq)]
enum Reads {
    /// The password from the API server.
    Server,
    /// A mistake: the password from the cache, which can be late.
    Cache,
    /// The password from the API server, for a second Secret, too.
    Copied,
    /// A mistake: the second Secret keeps its first password.
    CopiedOnce,
    /// A mistake: ready replicas without the generation that they are of.
    Replicas,
}

fn register(manager: &mut Manager<Reads>) {
    manager
        .controller(reconcile)
        .owns_whole::<Secret>()
        .owns::<PersistentVolumeClaim>()
        .owns::<StatefulSet>()
        .on_failure(|vault: &Vault, error| failed(vault, vault.status.as_ref(), error))
        .start();
}

async fn reconcile(vault: Arc<Vault>, context: Context<Reads>) -> Result<Action, Error> {
    let namespace = vault.namespace().unwrap_or_default();
    let before = match *context.state {
        Reads::Server | Reads::Replicas | Reads::Copied | Reads::CopiedOnce => {
            let secrets = Api::<Secret>::namespaced(context.client.clone(), &namespace);
            secrets.get_opt(&vault.name_any()).await?
        }
        Reads::Cache => {
            let secrets = context.cached::<Secret>()?.list();
            let is_its = |secret: &&Arc<Secret>| is_owned(&***secret, &*vault);
            secrets
                .iter()
                .find(is_its)
                .map(|secret| Secret::clone(secret))
        }
    };
    let secret = context.apply(&*vault, password(&vault, before)).await?;
    if matches!(*context.state, Reads::Copied | Reads::CopiedOnce) {
        copy(&vault, &context, secret).await?;
    }
    context.apply(&*vault, claim(&vault.name_any())).await?;
    let pods = context.apply(&*vault, pods(&vault)).await?;
    let ready = pods.status.and_then(|status| status.ready_replicas);
    let is_ready = *context.state != Reads::Replicas || ready == Some(1);
    let (reason, message) = if is_ready {
        ("Locked", "it is safe")
    } else {
        ("RollingOut", "it is not safe yet")
    };
    let conditions = conditions(&*vault, vault.status.as_ref(), is_ready, reason, message);
    context.report(&*vault, Status { conditions }).await?;
    Ok(Action::await_change())
}

/// A Secret with a random password, which stays the same.
fn password(vault: &Vault, before: Option<Secret>) -> Secret {
    let password = before.and_then(|secret| secret.data?.remove("password"));
    let draw = || ByteString(RandomState::new().hash_one(0).to_be_bytes().to_vec());
    let mut metadata = named(vault.name_any());
    metadata.labels = Some(BTreeMap::from([("app".to_owned(), "vault".to_owned())]));
    Secret {
        metadata,
        data: Some(BTreeMap::from([(
            "password".to_owned(),
            password.unwrap_or_else(draw),
        )])),
        ..Secret::default()
    }
}

fn claim(name: &str) -> PersistentVolumeClaim {
    let storage = Quantity("1Gi".to_owned());
    let spec = PersistentVolumeClaimSpec {
        access_modes: Some(vec!["ReadWriteOnce".to_owned()]),
        resources: Some(VolumeResourceRequirements {
            requests: Some(BTreeMap::from([("storage".to_owned(), storage)])),
            ..VolumeResourceRequirements::default()
        }),
        ..PersistentVolumeClaimSpec::default()
    };
    PersistentVolumeClaim {
        metadata: named(name),
        spec: Some(spec),
        ..PersistentVolumeClaim::default()
    }
}

/// A `StatefulSet` with a claim for each Pod.
fn pods(vault: &Vault) -> StatefulSet {
    let app = crate::kinds::App::new(&vault.name_any(), crate::kinds::AppSpec::default());
    let like = deployment(&app).spec;
    let mut template = like.template;
    for container in template
        .spec
        .iter_mut()
        .flat_map(|spec| &mut spec.containers)
    {
        container.image = Some(vault.spec.content.clone());
    }
    StatefulSet {
        metadata: named(vault.name_any()),
        spec: StatefulSetSpec {
            selector: like.selector,
            template,
            volume_claim_templates: Some(vec![claim("data")]),
            ..StatefulSetSpec::default()
        },
        ..StatefulSet::default()
    }
}

/// Copies the password into a second Secret.
async fn copy(vault: &Vault, context: &Context<Reads>, secret: Secret) -> Result<(), Error> {
    let name = format!("{}-copy", vault.name_any());
    let namespace = vault.namespace().unwrap_or_default();
    let secrets = Api::<Secret>::namespaced(context.client.clone(), &namespace);
    let first = secrets.get_opt(&name).await?;
    let first = first.filter(|_| *context.state == Reads::CopiedOnce);
    let copy = Secret {
        metadata: named(name),
        data: first.map_or(secret.data, |first| first.data),
        ..Secret::default()
    };
    context.apply(vault, copy).await.map(drop)
}

fn simulation() -> Simulation {
    simulation_with(Reads::Server)
}

fn simulation_with(reads: Reads) -> Simulation {
    let vaults = objects()
        .into_iter()
        .filter(|object| object["kind"] == "Vault");
    Simulation::new(IDENTITY, register, move || reads)
        .crds(crds())
        .objects(vaults)
}

#[test]
fn what_is_drawn_once_is_no_mistake() {
    simulation().seeds(0..4).run();
}

#[test]
fn a_copy_of_a_password_that_stays_is_found() {
    let copied = simulation_with(Reads::Copied).calm();
    assert!(copied.broken.is_none(), "{copied}");
    let once = simulation_with(Reads::CopiedOnce).calm();
    let broken = once.broken.expect("it is found");
    assert_eq!(broken.invariant, "history does not matter", "{broken}");
    let expected = "another client deleted secrets/shop/";
    assert!(broken.message.starts_with(expected), "{broken}");
    let copied = "has another random value in data.password than secrets/shop/";
    assert!(broken.message.contains(copied), "{broken}");
}

#[test]
fn a_password_that_is_drawn_because_a_cache_is_late_is_found() {
    let simulation = simulation_with(Reads::Cache);
    // Which strings are random is known after the cluster without faults.
    assert!(simulation.calm().broken.is_none());
    let (seed, broken) = simulation.first_broken(0..100).expect("it is found");
    println!("{} seeds: {broken}", seed + 1);
    assert_eq!(
        broken.invariant, "a random value is generated once",
        "{broken}"
    );
}

#[test]
fn objects_that_do_not_wait_for_their_workloads_are_named() {
    let expected = ["vaults before statefulsets"];
    assert_eq!(simulation().hasty_statuses(), expected);
    // Pods of the spec before are ready.
    let counts = simulation_with(Reads::Replicas);
    assert_eq!(counts.hasty_statuses(), expected);
}

/// The children of an object that nobody has deleted are not left over.
#[test]
fn children_of_other_objects_stay() {
    let mut other: Value = json!(Vault::new("other", VaultSpec::default()));
    other["metadata"]["namespace"] = json!("shop");
    other["spec"]["content"] = json!("silver");
    simulation().given([other]).seeds(0..2).run();
}
