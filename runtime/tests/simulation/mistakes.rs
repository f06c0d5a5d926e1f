//! Mistakes of users, put one at a time into an operator that has none: the simulation finds each without an invariant of
//! the user's.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::{CustomResource, CustomResourceExt, ResourceExt};
use rop_runtime::conditions::READY;
use rop_runtime::simulation::Simulation;
use rop_runtime::{Action, Context, Error, Manager};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::kinds::{is_owned, named};
use crate::operator::{self, IDENTITY};

/// The number of seeds in which each mistake must be found.
const SEEDS: u64 = 100;

/// A site: a page, and a Service if it has a port.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[kube(
    group = "app.example.com",
    version = "v1",
    kind = "Site",
    namespaced,
    status = "SiteStatus"
)]
pub(crate) struct SiteSpec {
    #[schemars(length(min = 1))]
    page: String,
    /// A second page, if there is one.
    more: Option<String>,
    #[schemars(range(min = 1, max = 100))]
    port: Option<i32>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SiteStatus {
    observed_generation: Option<i64>,
    page: Option<String>,
    #[serde(default)]
    conditions: Vec<Condition>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    None,
    /// The Service stays when the spec has no port any more.
    ServiceKept,
    /// The pages are not watched.
    NotWatched,
    /// A page that exists is not applied.
    AppliedOnce,
    /// A key of a page that the spec no longer has stays.
    KeyKept,
    /// All objects have the same page.
    OnePage,
    /// Each reconcile asks for the next one.
    Restless,
    /// The status has the generation of its first report.
    ObservedOnce,
    /// The status has the page of its first report.
    ReportedOnce,
    /// A condition gets a new time whenever it is reported.
    OneTime,
    /// The reason is a sentence.
    Sentence,
    /// The Service is invalid.
    InvalidService,
    /// The role does not permit Services.
    Forbidden,
    /// The object is never reported as ready.
    NeverReady,
    /// Not a mistake: the API server refuses the Service of some specs that the CRD allows.
    Impossible,
}

fn register(manager: &mut Manager<Mistake>) {
    let mistake = **manager.state();
    let controller = manager.controller(reconcile).owns::<Service>();
    let controller = match mistake {
        Mistake::NotWatched => controller,
        _ => controller.owns::<ConfigMap>(),
    };
    controller.on_failure(failed).start();
}

async fn reconcile(site: Arc<Site>, context: Context<Mistake>) -> Result<Action, Error> {
    let mistake = *context.state;
    let name = site.name_any();
    publish(&site, &context).await?;
    let service = site.spec.port.map(|port| {
        let port = match mistake {
            Mistake::InvalidService => 0,
            Mistake::Impossible if port % 2 == 1 => 0,
            _ => port,
        };
        operator::service(&name, port)
    });
    if service.is_some() || mistake != Mistake::ServiceKept {
        context.apply_or_delete(&*site, &name, service).await?;
    }
    context.report(&*site, status(&site, mistake)).await?;
    Ok(match mistake {
        Mistake::Restless => Action::requeue(Duration::from_millis(50)),
        _ => Action::await_change(),
    })
}

/// Applies the page.
async fn publish(site: &Site, context: &Context<Mistake>) -> Result<(), Error> {
    let mistake = *context.state;
    let namespace = site.namespace().unwrap_or_default();
    let maps = Api::<ConfigMap>::namespaced(context.client.clone(), &namespace);
    let name = match mistake {
        Mistake::OnePage => "page".to_owned(),
        _ => site.name_any(),
    };
    let mut data = BTreeMap::from([("page".to_owned(), site.spec.page.clone())]);
    data.extend(site.spec.more.clone().map(|more| ("more".to_owned(), more)));
    let map = ConfigMap {
        metadata: named(&name),
        data: Some(data),
        ..ConfigMap::default()
    };
    match mistake {
        Mistake::AppliedOnce if maps.get_opt(&name).await?.is_some() => Ok(()),
        Mistake::KeyKept => keep_keys(site, &maps, map).await,
        _ => context.apply(site, map).await.map(drop),
    }
}

/// Changes keys without removing others.
async fn keep_keys(site: &Site, maps: &Api<ConfigMap>, mut map: ConfigMap) -> Result<(), Error> {
    let name = map.name_any();
    let is_there = maps.get_opt(&name).await?;
    if is_there.is_none() {
        let label = (
            "app.kubernetes.io/managed-by".to_owned(),
            "example".to_owned(),
        );
        map.metadata.labels = Some(BTreeMap::from([label]));
        map.metadata.owner_references =
            kube::Resource::controller_owner_ref(site, &()).map(|owner| vec![owner]);
        maps.create(&PostParams::default(), &map).await?;
    } else if let Some(there) =
        is_there.filter(|there| is_owned(there, site) && there.data != map.data)
    {
        let uid = there.metadata.uid;
        let patch = Patch::Merge(json!({ "metadata": { "uid": uid }, "data": map.data }));
        maps.patch(&name, &PatchParams::default(), &patch).await?;
    }
    Ok(())
}

fn status(site: &Site, mistake: Mistake) -> SiteStatus {
    let before = site.status.clone().unwrap_or_default();
    let is_ready = mistake != Mistake::NeverReady;
    let reason = match mistake {
        Mistake::Sentence => "all is there",
        _ => "Published",
    };
    let mut status = report(site, is_ready, reason, "it can be read");
    match mistake {
        Mistake::ObservedOnce => {
            status.observed_generation = before.observed_generation.or(status.observed_generation);
        }
        Mistake::ReportedOnce => status.page = before.page.or(status.page),
        Mistake::OneTime => {
            // As a clock that each report reads.
            status.conditions[0].last_transition_time = Time(rop_runtime::now());
        }
        _ => {}
    }
    status
}

fn failed(site: &Site, error: &Error) -> SiteStatus {
    report(site, false, error.reason(), &error.to_string())
}

fn report(site: &Site, is_ready: bool, reason: &str, message: &str) -> SiteStatus {
    let generation = site.metadata.generation;
    let before = site.status.clone().unwrap_or_default();
    let mut conditions = rop_runtime::conditions::Conditions::of(&before.conditions, generation);
    conditions.set(READY, is_ready, reason, message);
    SiteStatus {
        observed_generation: generation,
        page: Some(site.spec.page.clone()),
        conditions: conditions.into(),
    }
}

/// The permissions that the operator needs, except for one mistake.
fn role(mistake: Mistake) -> String {
    let rule = |group: &str, resources: &[&str]| json!({ "apiGroups": [group], "resources": resources, "verbs": ["*"] });
    let mut children = vec!["configmaps"];
    let mut rules = vec![rule("app.example.com", &["*"])];
    if mistake == Mistake::Forbidden {
        rules.push(json!({ "apiGroups": [""], "resources": ["services"], "verbs": ["list", "watch", "get"] }));
    } else {
        children.push("services");
    }
    rules.push(rule("", &children));
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": "example" }, "rules": rules,
    })
    .to_string()
}

fn simulation(mistake: Mistake) -> Simulation {
    let site = json!({
        "apiVersion": "app.example.com/v1", "kind": "Site",
        "metadata": { "name": "site", "namespace": "shop" },
        "spec": { "page": "hello", "port": 80, "more": "goodbye" },
    });
    Simulation::new(IDENTITY, register, move || mistake)
        .crds([Site::crd()])
        .objects([site])
        .role(&role(mistake))
}

/// Finds a mistake, and returns the number of seeds that this took. The cluster without faults is none.
#[track_caller]
fn found(mistake: Mistake, invariant: &str) {
    let simulation = simulation(mistake);
    let calm = simulation.calm().broken.map(|broken| (0, broken));
    let found = calm.or_else(|| {
        let (seed, broken) = simulation.first_broken(0..SEEDS)?;
        Some((seed + 1, broken))
    });
    let (seeds, broken) =
        found.unwrap_or_else(|| panic!("{mistake:?} is not found in {SEEDS} seeds"));
    println!("{mistake:?}: {seeds} seeds: {broken}");
    assert_eq!(broken.invariant, invariant, "{broken}");
}

#[test]
fn an_operator_without_a_mistake_holds() {
    simulation(Mistake::None).seeds(0..12).run();
}

/// The Service of the spec before stays, and a fresh cluster has none.
#[test]
fn a_spec_that_is_not_possible_is_no_mistake() {
    simulation(Mistake::Impossible).seeds(0..12).run();
}

#[test]
fn a_service_that_stays_is_found() {
    found(Mistake::ServiceKept, "history does not matter");
}

#[test]
fn a_type_that_is_not_watched_is_found() {
    found(Mistake::NotWatched, "samples get ready in a calm cluster");
}

#[test]
fn a_child_that_is_applied_once_is_found() {
    found(Mistake::AppliedOnce, "history does not matter");
}

#[test]
fn a_key_that_stays_is_found() {
    found(Mistake::KeyKept, "history does not matter");
}

#[test]
fn a_child_that_two_objects_claim_is_found() {
    found(Mistake::OnePage, "no two objects claim one child");
}

#[test]
fn a_requeue_every_fifty_milliseconds_is_found() {
    found(Mistake::Restless, "no requeue within a second in silence");
}

#[test]
fn an_observed_generation_that_stays_behind_is_found() {
    found(
        Mistake::ObservedOnce,
        "the observed generation reaches the generation",
    );
}

#[test]
fn a_status_that_stays_behind_is_found() {
    found(Mistake::ReportedOnce, "history does not matter");
}

#[test]
fn a_reason_that_is_a_sentence_is_found() {
    found(Mistake::Sentence, "reasons are in CamelCase");
}

#[test]
fn a_transition_time_without_a_transition_is_found() {
    found(Mistake::OneTime, "a transition has its time");
}

#[test]
fn a_child_that_is_always_invalid_is_found() {
    found(
        Mistake::InvalidService,
        "samples get ready in a calm cluster",
    );
}

#[test]
fn a_request_that_the_role_does_not_permit_is_found() {
    found(Mistake::Forbidden, "every request is permitted by the role");
}

#[test]
fn an_object_that_never_gets_ready_is_found() {
    found(Mistake::NeverReady, "samples get ready in a calm cluster");
}
