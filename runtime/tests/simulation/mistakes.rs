//! Mistakes of users, put one at a time into an operator that has none: the simulation finds each without an invariant of
//! the user's.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta, Time};
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::{CustomResource, CustomResourceExt, ResourceExt};
use rop_runtime::conditions::READY;
use rop_runtime::labels::MANAGED_BY;
use rop_runtime::simulation::{Broken, Simulation};
use rop_runtime::{Action, Cleanup, Context, Error, Manager, Watch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::kinds::{is_owned, named};
use crate::operator::{self, IDENTITY};

/// The number of seeds in which each mistake must be found.
const SEEDS: u64 = 100;

const REPAIRED: &str = "what others change is repaired";

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
    /// The first page of an object is remembered by its name.
    Remembered,
    /// Only a new generation is reconciled.
    GenerationOnly,
    /// A page has no owner.
    NoOwner,
    /// Pages are in a namespace of their own, without an owner.
    Elsewhere,
    /// Each reconcile makes a page with a random name.
    RandomName,
    /// A page has the time of its last reconcile.
    Timed,
    /// The message of a condition has the time.
    TimedMessage,
    /// A field of the spec is ignored.
    MoreIgnored,
    /// Errors of the page are ignored.
    Swallowed,
    /// A finalizer is added and never removed.
    FinalizerKept,
    /// Reconciles panic if there is no second page.
    Panics,
    /// Reconciles never end if there is no second page.
    Hangs,
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
    /// A Secret is read, and not watched.
    SecretNotWatched,
    /// The role permits Pods, which the operator does not need.
    WideRole,
    /// The cleanup removes the finalizer before it deletes what it is for.
    FinalizerFirst,
    /// Not a mistake: the API server refuses the Service of some specs that the CRD allows.
    Impossible,
}

/// The memory of a process.
struct State {
    mistake: Mistake,
    pages: Mutex<BTreeMap<String, String>>,
}

fn register(manager: &mut Manager<State>) {
    let mistake = manager.state().mistake;
    let controller = manager.controller(reconcile).owns::<Service>();
    let controller = match mistake {
        Mistake::NotWatched => controller,
        Mistake::FinalizerFirst => controller.owns_with::<ConfigMap>(Watch::new().everywhere()),
        _ => controller.owns::<ConfigMap>(),
    };
    let controller = controller.on_failure(failed);
    match mistake {
        Mistake::FinalizerFirst => controller.finalizer(clean_up).start(),
        _ => controller.start(),
    }
}

/// Deletes the copy of the page in another namespace.
async fn clean_up(site: Arc<Site>, context: Context<State>) -> Result<Cleanup, Error> {
    let sites = Api::<Site>::namespaced(context.client.clone(), "shop");
    let patch = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    let (name, params) = (site.name_any(), PatchParams::default());
    sites.patch(&name, &params, &patch).await?;
    let maps = Api::<ConfigMap>::namespaced(context.client.clone(), "default");
    match maps.delete(&name, &DeleteParams::default()).await {
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        deleted => drop(deleted?),
    }
    Ok(Cleanup::Done)
}

/// Whether the Secret exists.
async fn has_secret(context: &Context<State>) -> Result<bool, Error> {
    let secrets = Api::<Secret>::namespaced(context.client.clone(), "shop");
    Ok(secrets.get_opt("credentials").await?.is_some())
}

async fn reconcile(site: Arc<Site>, context: Context<State>) -> Result<Action, Error> {
    let mistake = context.state.mistake;
    let name = site.name_any();
    let is_single = site.spec.more.is_none();
    match mistake {
        Mistake::GenerationOnly if is_observed(&site) => return Ok(Action::await_change()),
        Mistake::FinalizerKept => add_finalizer(&site, &context).await?,
        Mistake::SecretNotWatched if !has_secret(&context).await? => {
            let status = report(&site, false, "SecretMissing", "create it");
            context.report(&*site, status).await?;
            return Ok(Action::await_change());
        }
        Mistake::FinalizerFirst => copy(&site, &context).await?,
        Mistake::Panics if is_single => panic!("no second page"),
        Mistake::Hangs if is_single => std::future::pending().await,
        _ => {}
    }
    match publish(&site, &context).await {
        Err(_) if mistake == Mistake::Swallowed => {}
        published => published?,
    }
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
async fn publish(site: &Site, context: &Context<State>) -> Result<(), Error> {
    let mistake = context.state.mistake;
    let namespace = match mistake {
        Mistake::Elsewhere => "default".to_owned(),
        _ => site.namespace().unwrap_or_default(),
    };
    let maps = Api::<ConfigMap>::namespaced(context.client.clone(), &namespace);
    let name = match mistake {
        Mistake::OnePage => "page".to_owned(),
        Mistake::RandomName => format!("{}-{}", site.name_any(), fastrand::u32(..)),
        _ => site.name_any(),
    };
    let page = match mistake {
        Mistake::Remembered => {
            let mut pages = context.state.pages.lock().unwrap();
            let first = pages.entry(site.name_any());
            first.or_insert_with(|| site.spec.page.clone()).clone()
        }
        _ => site.spec.page.clone(),
    };
    let mut data = BTreeMap::from([("page".to_owned(), page)]);
    let more = site.spec.more.clone();
    let more = more.filter(|_| mistake != Mistake::MoreIgnored);
    data.extend(more.map(|more| ("more".to_owned(), more)));
    if mistake == Mistake::Timed {
        data.insert("time".to_owned(), rop_runtime::now().to_string());
    }
    let map = ConfigMap {
        metadata: named(&name),
        data: Some(data),
        ..ConfigMap::default()
    };
    match mistake {
        Mistake::AppliedOnce if maps.get_opt(&name).await?.is_some() => Ok(()),
        Mistake::KeyKept => keep_keys(site, &maps, map).await,
        Mistake::NoOwner | Mistake::Elsewhere => {
            let label = BTreeMap::from([(MANAGED_BY.to_owned(), IDENTITY.name().to_owned())]);
            let map = ConfigMap {
                metadata: ObjectMeta {
                    labels: Some(label),
                    ..map.metadata
                },
                ..map
            };
            let params = PatchParams::apply(IDENTITY.name()).force();
            maps.patch(&name, &params, &Patch::Apply(&map)).await?;
            Ok(())
        }
        _ => context.apply(site, map).await.map(drop),
    }
}

/// Copies the page into another namespace.
async fn copy(site: &Site, context: &Context<State>) -> Result<(), Error> {
    let mut copy = ConfigMap {
        metadata: named(site.name_any()),
        data: Some(BTreeMap::from([(
            "page".to_owned(),
            site.spec.page.clone(),
        )])),
        ..ConfigMap::default()
    };
    copy.metadata.namespace = Some("default".to_owned());
    context.apply(site, copy).await.map(drop)
}

/// Changes keys without removing others.
async fn keep_keys(site: &Site, maps: &Api<ConfigMap>, mut map: ConfigMap) -> Result<(), Error> {
    let name = map.name_any();
    let label = (MANAGED_BY.to_owned(), IDENTITY.name().to_owned());
    map.metadata.labels = Some(BTreeMap::from([label]));
    let Some(there) = maps.get_opt(&name).await? else {
        map.metadata.owner_references =
            kube::Resource::controller_owner_ref(site, &()).map(|owner| vec![owner]);
        maps.create(&PostParams::default(), &map).await?;
        return Ok(());
    };
    if !is_owned(&there, site) {
        return Err(Error::terminal("Taken", "the page is another's"));
    }
    if there.data != map.data || there.metadata.labels != map.metadata.labels {
        let patch = Patch::Merge(json!({
            "metadata": { "uid": there.metadata.uid, "labels": map.metadata.labels },
            "data": map.data,
        }));
        maps.patch(&name, &PatchParams::default(), &patch).await?;
    }
    Ok(())
}

fn is_observed(site: &Site) -> bool {
    let status = site.status.clone().unwrap_or_default();
    status.observed_generation == site.metadata.generation
}

async fn add_finalizer(site: &Site, context: &Context<State>) -> Result<(), Error> {
    if site.finalizers().is_empty() {
        let namespace = site.namespace().unwrap_or_default();
        let sites = Api::<Site>::namespaced(context.client.clone(), &namespace);
        let finalizers = ["app.example.com/cleanup"];
        let patch = Patch::Merge(json!({ "metadata": { "finalizers": finalizers } }));
        let name = site.name_any();
        sites.patch(&name, &PatchParams::default(), &patch).await?;
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
    let message = match mistake {
        Mistake::TimedMessage => format!("it can be read at {}", rop_runtime::now()),
        _ => "it can be read".to_owned(),
    };
    let mut status = report(site, is_ready, reason, &message);
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
    let mut children = vec!["configmaps", "secrets"];
    let mut rules = vec![rule("app.example.com", &["*"])];
    if mistake == Mistake::Forbidden {
        rules.push(json!({ "apiGroups": [""], "resources": ["services"], "verbs": ["list", "watch", "get"] }));
    } else {
        children.push("services");
    }
    rules.push(rule("", &children));
    if mistake == Mistake::WideRole {
        rules.push(json!({ "apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"] }));
    }
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
    let credentials = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "credentials", "namespace": "shop" },
    });
    let state = move || State {
        mistake,
        pages: Mutex::default(),
    };
    Simulation::new(IDENTITY, register, state)
        .crds([Site::crd()])
        .objects([site])
        .given([credentials])
        .role(&role(mistake))
}

/// Finds a mistake, and returns the number of seeds that this took. The cluster without faults is none.
#[track_caller]
fn found(mistake: Mistake, invariant: &str) -> Broken {
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
    broken
}

#[test]
fn an_operator_without_a_mistake_holds() {
    simulation(Mistake::None).seeds(0..12).run();
}

#[test]
fn a_field_without_an_effect_is_named() {
    for (mistake, expected) in [
        (Mistake::None, &[][..]),
        (Mistake::MoreIgnored, &["sites.spec.more"]),
    ] {
        assert_eq!(simulation(mistake).ineffective_fields(), expected);
    }
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
    found(Mistake::AppliedOnce, REPAIRED);
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
    let broken = found(Mistake::Forbidden, "every request is permitted by the role");
    let marker = "add `// +kubebuilder:rbac:groups=core,resources=services,verbs=create`";
    assert!(broken.message.ends_with(marker), "{broken}");
}

#[test]
fn an_object_that_never_gets_ready_is_found() {
    found(Mistake::NeverReady, "samples get ready in a calm cluster");
}

#[test]
fn a_page_that_is_remembered_is_found() {
    found(Mistake::Remembered, "all children match the specs");
}

#[test]
fn a_reconcile_of_new_generations_only_is_found() {
    found(Mistake::GenerationOnly, REPAIRED);
}

#[test]
fn a_child_without_an_owner_is_found() {
    found(Mistake::NoOwner, REPAIRED);
}

#[test]
fn a_child_in_another_namespace_is_found() {
    found(Mistake::Elsewhere, REPAIRED);
}

#[test]
fn a_random_name_is_found() {
    found(Mistake::RandomName, REPAIRED);
}

#[test]
fn a_time_in_a_child_is_found() {
    found(Mistake::Timed, "all children match the specs");
}

#[test]
fn a_time_in_a_message_is_found() {
    found(Mistake::TimedMessage, "no busy loop");
}

#[test]
fn an_error_that_is_ignored_is_found() {
    found(Mistake::Swallowed, "all children match the specs");
}

#[test]
fn a_finalizer_that_stays_is_found() {
    found(
        Mistake::FinalizerKept,
        "objects can be deleted and created again",
    );
}

#[test]
fn a_panic_is_found() {
    found(Mistake::Panics, "no reconcile panics");
}

#[test]
fn a_reconcile_that_never_ends_is_found() {
    found(Mistake::Hangs, "every reconcile ends");
}

#[test]
fn a_secret_that_is_read_and_not_watched_is_found() {
    found(
        Mistake::SecretNotWatched,
        "a read that fails or is stale changes nothing",
    );
}

#[test]
fn a_finalizer_that_is_removed_first_is_found() {
    found(
        Mistake::FinalizerFirst,
        "a crash at any point changes nothing",
    );
}

#[test]
fn a_permission_that_is_never_used_is_named() {
    for (mistake, expected) in [
        (Mistake::None, &[][..]),
        (
            Mistake::WideRole,
            &["groups=core,resources=pods,verbs=list;watch"],
        ),
    ] {
        let report = simulation(mistake).seeds(0..1).report();
        assert_eq!(report.never_used, expected);
    }
}

#[test]
fn every_point_of_a_crash_is_simulated() {
    let figures = simulation(Mistake::None).calm().figures;
    assert_eq!((figures.points, figures.points_found), (6, 6));
}
