//! Runs the operator in a simulated cluster with injected faults. `cargo test` runs a few seeds, and
//! `rop simulate` many more.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tenant_operator::billing::{Billing, Error, InMemory};
use tenant_operator::controller::tenant::resources;
use tenant_operator::{IDENTITY, State, register};
use tenant_operator_api::platform::v1::Tenant;
use tenant_operator_api::platform::v1::tenant::Environment;

use async_trait::async_trait;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{Namespace, ResourceQuota, Secret};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt};
use rop_runtime::conditions::READY;
use rop_runtime::labels::MANAGED_BY;
use rop_runtime::simulation::{Simulation, World, options};
use rop_runtime::testing::sample;
use serde_json::json;
use tokio::time::sleep;

/// The role, CRDs, webhooks and sample objects are read from `config/`.
#[test]
fn simulation() {
    // The controller `plan` polls billing every five minutes.
    let soon = Duration::from_mins(20);
    Simulation::in_world(IDENTITY, options(), register, |world| {
        State::new(Arc::new(Unreliable::of(world)))
    })
    .config(concat!(env!("CARGO_MANIFEST_DIR"), "/config"))
    .objects(["acme-18", "acme-19"].map(tenant))
    .actor(rotate)
    .actor(change_plans)
    // If tenants share an account, the first one gets it.
    .competes::<Tenant>()
    .eventually("tenants are ready", soon, readiness)
    .eventually("each environment has its namespace", soon, namespaces)
    .eventually("copies equal their Secret", soon, copies)
    .eventually("quotas match plan and spec", soon, quotas)
    .eventually("open accounts have a tenant", soon, accounts)
    .seeds(0..4)
    .run();
}

/// Returns the sample with another account.
fn tenant(account: &str) -> Tenant {
    let yaml = include_str!("../config/samples/platform_v1_tenant.yaml");
    let mut tenant: Tenant = sample(yaml, account);
    tenant.spec.account = account.to_owned();
    tenant
}

/// Billing that sometimes fails, before or after the operation.
struct Unreliable {
    world: World,
    billing: Arc<InMemory>,
}

impl Unreliable {
    fn of(world: &World) -> Self {
        Self {
            world: world.clone(),
            billing: world.shared(),
        }
    }

    async fn ask<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let failure = || Error::Unavailable("connection reset".into());
        if self.world.fails(0.1) {
            return Err(failure());
        }
        let answer = call.await;
        if self.world.fails(0.1) {
            Err(failure())
        } else {
            answer
        }
    }
}

#[async_trait]
impl Billing for Unreliable {
    async fn ping(&self) -> Result<(), Error> {
        self.ask(self.billing.ping()).await
    }

    async fn open(&self, account: &str, tenant: &str) -> Result<(), Error> {
        self.ask(self.billing.open(account, tenant)).await
    }

    async fn close(&self, account: &str, tenant: &str) -> Result<(), Error> {
        self.ask(self.billing.close(account, tenant)).await
    }

    async fn accounts(&self) -> Result<BTreeMap<String, String>, Error> {
        self.ask(self.billing.accounts()).await
    }

    async fn cpus(&self, account: &str) -> Result<u32, Error> {
        self.ask(self.billing.cpus(account)).await
    }
}

/// Rotates the shared Secret.
async fn rotate(world: World) {
    let secrets = Api::<Secret>::namespaced(world.client(), "default");
    let mut rng = world.rng("rotation");
    while !world.is_calm() {
        let auths = json!({ "auths": { "registry": { "auth": rng.u32(..).to_string() } } });
        let data = ByteString(auths.to_string().into_bytes());
        let rotated = Patch::Merge(json!({ "data": { ".dockerconfigjson": data } }));
        let params = PatchParams::default();
        let written = secrets.patch("registry", &params, &rotated).await;
        written.expect("nobody else deletes it");
        sleep(Duration::from_secs(rng.u64(10..60))).await;
    }
}

/// Changes the plans of accounts.
async fn change_plans(world: World) {
    let billing = world.shared::<InMemory>();
    let mut rng = world.rng("plans");
    while !world.is_calm() {
        let accounts = ["acme-17", "acme-18", "acme-19"];
        let account = accounts[rng.usize(..accounts.len())].to_owned();
        billing.cpus.lock().unwrap().insert(account, rng.u32(1..9));
        sleep(Duration::from_secs(rng.u64(10..60))).await;
    }
}

/// Returns why a tenant is not ready, or `None` if it is.
fn reason(tenant: &Tenant) -> Option<&str> {
    let mut conditions = tenant.status.iter().flat_map(|status| &status.conditions);
    let ready = conditions.find(|condition| condition.type_ == READY);
    ready.map_or(Some("Unknown"), |ready| {
        (ready.status != "True").then_some(&ready.reason)
    })
}

fn ready(world: &World) -> impl Iterator<Item = Tenant> {
    let tenants = world.list::<Tenant>().into_iter();
    tenants.filter(|tenant| reason(tenant).is_none())
}

/// Checks that tenants are ready, except for reasons outside the operator.
fn readiness(world: &World) -> Result<(), String> {
    let billing = world.shared::<InMemory>();
    let charged = billing.tenants.lock().unwrap();
    for tenant in world.list::<Tenant>() {
        let (from, account) = (&tenant.spec.pull_secret, &tenant.spec.account);
        let is_excused = match reason(&tenant) {
            None => true,
            Some("SecretMissing") => world
                .get::<Secret>(Some(&from.namespace), &from.name)
                .is_none(),
            // Another actor removed the owner reference of a namespace.
            Some("NotOwned") => true,
            Some("Retrying") => charged.get(account) != tenant.uid().as_ref(),
            Some(_) => false,
        };
        if !is_excused {
            return Err(format!("{}: {:?}", tenant.name_any(), tenant.status));
        }
    }
    Ok(())
}

/// Returns the ready tenants with their environments.
fn environments(world: &World) -> impl Iterator<Item = (Tenant, Environment)> {
    ready(world).flat_map(|tenant| {
        let environments = tenant.spec.environments.clone().into_iter();
        environments.map(move |environment| (tenant.clone(), environment))
    })
}

fn namespaces(world: &World) -> Result<(), String> {
    let expected =
        environments(world).map(|(tenant, one)| resources::namespace_name(&tenant, &one));
    let mut expected: Vec<_> = expected.collect();
    let tenants: Vec<_> = ready(world).filter_map(|tenant| tenant.uid()).collect();
    let namespaces = world.list::<Namespace>().into_iter();
    // The operator does not see a namespace without its label. It is garbage collected with its tenant.
    let labelled = namespaces.filter(|namespace| namespace.labels().contains_key(MANAGED_BY));
    let owned = labelled.filter(|namespace| {
        let mut owners = namespace.owner_references().iter();
        owners.any(|owner| tenants.contains(&owner.uid))
    });
    let mut owned: Vec<_> = owned.map(|namespace| namespace.name_any()).collect();
    expected.sort();
    owned.sort();
    if owned == expected {
        Ok(())
    } else {
        Err(format!("{owned:?} instead of {expected:?}"))
    }
}

fn copies(world: &World) -> Result<(), String> {
    for (tenant, environment) in environments(world) {
        let from = &tenant.spec.pull_secret;
        let source: Option<Secret> = world.get(Some(&from.namespace), &from.name);
        let namespace = resources::namespace_name(&tenant, &environment);
        let copy: Option<Secret> = world.get(Some(&namespace), "registry");
        if source.and_then(|source| source.data) != copy.and_then(|copy| copy.data) {
            return Err(format!("the copy in {namespace} differs"));
        }
    }
    Ok(())
}

fn quotas(world: &World) -> Result<(), String> {
    let billing = world.shared::<InMemory>();
    let plans = billing.cpus.lock().unwrap();
    for (tenant, environment) in environments(world) {
        let namespace = resources::namespace_name(&tenant, &environment);
        let quota: Option<ResourceQuota> = world.get(Some(&namespace), "tenant");
        let hard = quota.and_then(|quota| quota.spec?.hard).unwrap_or_default();
        let cpus = plans.get(&tenant.spec.account).unwrap_or(&4);
        let expected = [("pods", environment.pods), ("requests.cpu", *cpus)];
        let expected = expected.map(|(of, most)| (of.to_owned(), Quantity(most.to_string())));
        if hard != BTreeMap::from(expected) {
            return Err(format!("the quota in {namespace} is {hard:?}"));
        }
    }
    Ok(())
}

fn accounts(world: &World) -> Result<(), String> {
    let billing = world.shared::<InMemory>();
    let charged = billing.tenants.lock().unwrap();
    let tenants = world.list::<Tenant>();
    let has = |tenant: &Tenant| charged.get(&tenant.spec.account) == tenant.uid().as_ref();
    match ready(world).find(|tenant| !has(tenant)) {
        Some(tenant) => Err(format!("no account pays for {}", tenant.name_any())),
        None if charged.len() > tenants.iter().filter(|tenant| has(tenant)).count() => {
            Err(format!("accounts without a tenant in {charged:?}"))
        }
        None => Ok(()),
    }
}
