//! An operator of sites with one mistake of its author.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{
    ConfigMap, EnvFromSource, Namespace, Secret, SecretEnvSource, Service,
};
use k8s_openapi::api::networking::v1::Ingress;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::core::NamespaceResourceScope;
use kube::{CustomResource, CustomResourceExt, Resource, ResourceExt};
use rop_runtime::conditions::READY;
use rop_runtime::simulation::Simulation;
use rop_runtime::{Action, Cleanup, Context, Error, EventType, Manager, Watch};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::children::{copy, copy_of, publish};
use super::rollouts::{delete_services, reported, wait};
use crate::operator::{self, IDENTITY};

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
    pub(super) page: String,
    /// A second page, if there is one.
    pub(super) more: Option<String>,
    #[schemars(range(min = 1, max = 100))]
    pub(super) port: Option<i32>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SiteStatus {
    observed_generation: Option<i64>,
    page: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pages: Vec<String>,
    #[serde(default)]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub(super) conditions: Vec<Condition>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mistake {
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
    /// Each reconcile has an event, and asks for the next one.
    EventEachTime,
    /// Reconciles panic if the second page is empty.
    EmptyPanics,
    /// Nothing is reported for the highest port.
    HighestIgnored,
    /// The cleanup removes the finalizer before it deletes what it is for.
    FinalizerFirst,
    /// A page is owned by a Secret.
    WrongOwner,
    /// A page is applied by force, also over another's.
    Forced,
    /// A page is replaced, with what others have added.
    ReplacesAll,
    /// A page with a generated name is created if the cache has none.
    CreatedFromCache,
    /// The pages of other sites are deleted.
    PrunesOthers,
    /// Reconciles panic if a request fails.
    Unwraps,
    /// A page has the time of the computer.
    WallClock,
    /// The status has all pages that there were.
    ListGrows,
    /// The status is reported before the children exist.
    StatusFirst,
    /// The cleanup ignores errors.
    CleanupIgnores,
    /// The cleanup deletes nothing if the status was never reported.
    CleanupByStatus,
    /// The Service is headless for the lowest port.
    Headless,
    /// A Job is created again whenever it has expired.
    JobExpires,
    /// A Job reads a Secret that nobody creates.
    SecretMissing,
    /// The copy in another namespace has the name of the site only.
    CopyByName,
    /// A page is immutable, and applied again when it changes.
    Immutable,
    /// A reconcile blocks its thread once, for some seconds.
    Blocks,
    /// A reconcile never gives its thread back.
    BlocksForEver,
    /// Labels and annotations of a site are those of the operator only.
    WipesLabels,
    /// The status is replaced, with the conditions of others.
    ReplacesStatus,
    /// The Pods of all sites have the same labels, which their Services select.
    SelectsAll,
    /// The Service selects other labels than the Pods have.
    SelectsNone,
    /// The Service leads to a port that no container has.
    ClosedPort,
    /// The Service leads to a port by another protocol than its container has.
    OtherProtocol,
    /// A probe uses a port that its container does not have.
    ClosedProbe,
    /// An Ingress leads to a port that the Service does not have.
    WrongBackend,
    /// An autoscaler scales a Deployment that does not exist.
    ScalesNothing,
    /// An autoscaler scales a Deployment whose replicas the operator sets.
    Fights,
    /// The Pods of a `CronJob` need a Secret that nobody creates.
    ScheduleWithoutSecret,
    /// A budget selects no Pods.
    BudgetOfNone,
    /// A failed rollout is reported for ever.
    StaysDegraded,
    /// A reconcile waits for the rollout.
    WaitsForRollout,
    /// The rollout of the lowest port is never reported as complete.
    NeverRolledOut,
    /// The cleanup deletes the Services of all sites.
    TakesServices,
    /// The Pods keep the environment variables of an old page.
    OldVariables,
    /// The Service is deleted and created again for another port.
    ServiceReplaced,
    /// The name of a page is cut off.
    CutOff,
    /// The name of the copy in another namespace is joined from two others, so that two sites can have the same.
    Joined,
    /// The same, with the name before the namespace.
    JoinedBehind,
    /// The Service leads to the number of another port than the container lists, unless the spec is that of the sample.
    ClosedNumber,
    /// A label of the Namespace stays.
    MarksNamespace,
    /// A label of the Namespace stays if the spec has another port.
    MarksPort,
    /// Not a mistake: the cleanup removes the label of the Namespace.
    CleansNamespace,
    /// Not a mistake: the container lists another port than that of the Service.
    MetricsPort,
    /// Not a mistake: the API server refuses the Service of some specs that the CRD allows.
    Impossible,
}

impl Mistake {
    /// Whether sites have a copy in another namespace, and a cleanup that deletes it.
    fn copies(self) -> bool {
        matches!(
            self,
            Self::FinalizerFirst
                | Self::CleanupIgnores
                | Self::CleanupByStatus
                | Self::CopyByName
                | Self::Joined
                | Self::JoinedBehind
        )
    }

    /// Whether sites report the rollout of their Deployment.
    fn reports_rollouts(self) -> bool {
        matches!(
            self,
            Self::StaysDegraded | Self::WaitsForRollout | Self::NeverRolledOut
        )
    }

    /// Whether sites have a cleanup.
    fn cleans(self) -> bool {
        self.copies()
            || matches!(
                self,
                Self::MarksPort | Self::CleansNamespace | Self::TakesServices
            )
    }

    /// Whether sites label their Namespace.
    fn marks(self) -> bool {
        matches!(
            self,
            Self::MarksNamespace | Self::MarksPort | Self::CleansNamespace
        )
    }

    /// Whether sites have a Deployment.
    fn runs(self) -> bool {
        matches!(
            self,
            Self::SelectsAll
                | Self::SelectsNone
                | Self::ClosedPort
                | Self::ClosedNumber
                | Self::OtherProtocol
                | Self::ClosedProbe
                | Self::WrongBackend
                | Self::ScalesNothing
                | Self::Fights
                | Self::ScheduleWithoutSecret
                | Self::BudgetOfNone
                | Self::StaysDegraded
                | Self::WaitsForRollout
                | Self::NeverRolledOut
                | Self::MetricsPort
                | Self::OldVariables
        )
    }
}

/// The memory of a process.
pub(super) struct State {
    pub(super) mistake: Mistake,
    pub(super) pages: Mutex<BTreeMap<String, String>>,
}

fn register(manager: &mut Manager<State>) {
    let mistake = manager.state().mistake;
    let controller = manager.controller(reconcile).owns::<Service>();
    let controller = match mistake {
        Mistake::NotWatched => controller,
        _ if mistake.copies() => controller.owns_with::<ConfigMap>(Watch::new().everywhere()),
        Mistake::CreatedFromCache => controller.owns_whole::<ConfigMap>(),
        Mistake::JobExpires | Mistake::SecretMissing => {
            controller.owns::<ConfigMap>().owns::<Job>()
        }
        _ if mistake.runs() => controller
            .owns::<ConfigMap>()
            .owns::<Deployment>()
            .owns::<Ingress>()
            .owns::<HorizontalPodAutoscaler>()
            .owns::<PodDisruptionBudget>()
            .owns::<CronJob>(),
        _ => controller.owns::<ConfigMap>(),
    };
    let controller = controller.on_failure(failed);
    match mistake {
        _ if mistake.cleans() => controller.finalizer(clean_up).start(),
        _ => controller.start(),
    }
}

/// Deletes the copy of the page in another namespace.
async fn clean_up(site: Arc<Site>, context: Context<State>) -> Result<Cleanup, Error> {
    let mistake = context.state.mistake;
    if mistake == Mistake::TakesServices {
        delete_services(&site, &context).await?;
        return Ok(Cleanup::Done);
    }
    if mistake.marks() {
        mark(&site, &context, None).await?;
        return Ok(Cleanup::Done);
    }
    let copy = copy_of(&site, mistake);
    if mistake == Mistake::CleanupByStatus && site.status.is_none() {
        return Ok(Cleanup::Done);
    }
    if matches!(
        mistake,
        Mistake::CopyByName | Mistake::CleanupByStatus | Mistake::Joined | Mistake::JoinedBehind
    ) {
        return context.remove_child(&*site, &copy).await;
    }
    if mistake == Mistake::CleanupIgnores {
        let _ = context.remove_child(&*site, &copy).await;
        return Ok(Cleanup::Done);
    }
    let sites = near::<Site>(&site, &context);
    let patch = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    let (name, params) = (site.name_any(), PatchParams::default());
    sites.patch(&name, &params, &patch).await?;
    let maps = Api::<ConfigMap>::namespaced(context.client.clone(), "default");
    match maps
        .delete(&copy.name_any(), &DeleteParams::default())
        .await
    {
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        deleted => drop(deleted?),
    }
    Ok(Cleanup::Done)
}

/// Whether the Secret exists.
async fn has_secret(site: &Site, context: &Context<State>) -> Result<bool, Error> {
    Ok(near::<Secret>(site, context)
        .get_opt("credentials")
        .await?
        .is_some())
}

/// The API of a type in the namespace of a site.
pub(super) fn near<K>(site: &Site, context: &Context<State>) -> Api<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
{
    let namespace = site.namespace().unwrap_or_default();
    Api::namespaced(context.client.clone(), &namespace)
}

async fn reconcile(site: Arc<Site>, context: Context<State>) -> Result<Action, Error> {
    let mistake = context.state.mistake;
    let name = site.name_any();
    let is_single = site.spec.more.is_none();
    let mut rollout = None;
    match mistake {
        Mistake::GenerationOnly if is_observed(&site) => return Ok(Action::await_change()),
        Mistake::FinalizerKept => add_finalizer(&site, &context).await?,
        Mistake::SecretNotWatched if !has_secret(&site, &context).await? => {
            let status = report(&site, false, "SecretMissing", "create it");
            context.report(&*site, status).await?;
            return Ok(Action::await_change());
        }
        _ if mistake.copies() => {
            copy(&site, &context).await?;
        }
        Mistake::JobExpires => {
            context.apply(&*site, job(&name)).await?;
        }
        Mistake::SecretMissing if !Box::pin(has_run(&site, &context)).await? => {
            let status = report(&site, false, "Running", "the Job is not complete");
            context.report(&*site, status).await?;
            return Ok(Action::await_change());
        }
        _ if mistake.runs() => {
            let deployment = context.apply(&*site, deployment(&name, mistake)).await?;
            Box::pin(front(&site, &context)).await?;
            rollout = Some(wait(&site, &context, deployment).await?);
        }
        Mistake::ServiceReplaced => remove_other_service(&site, &context).await?,
        _ if mistake.marks() => {
            mark(&site, &context, Some("site")).await?;
        }
        Mistake::StatusFirst => {
            context.report(&*site, status(&site, mistake)).await?;
        }
        Mistake::EmptyPanics if site.spec.more.as_deref() == Some("") => panic!("no text"),
        Mistake::HighestIgnored if site.spec.port == Some(100) => {
            return Ok(Action::await_change());
        }
        Mistake::Panics if is_single => panic!("no second page"),
        Mistake::Blocks if !BLOCKED.swap(true, Ordering::Relaxed) => block(Duration::from_secs(14)),
        Mistake::BlocksForEver => block(Duration::MAX),
        Mistake::WipesLabels => label(&site, &context).await?,
        Mistake::Hangs if is_single => std::future::pending().await,
        _ => {}
    }
    match publish(&site, &context).await {
        Err(_) if mistake == Mistake::Swallowed => {}
        published => published?,
    }
    let service = site.spec.port.map(|port| service(&name, port, mistake));
    if service.is_some() || mistake != Mistake::ServiceKept {
        context.apply_or_delete(&*site, &name, service).await?;
    }
    let mut status = status(&site, mistake);
    if let Some(deployment) = rollout.filter(|_| mistake.reports_rollouts()) {
        status = reported(&site, mistake, &deployment, status);
    }
    if mistake == Mistake::ReplacesStatus {
        replace_status(&site, &context, status).await?;
    } else {
        context.report(&*site, status).await?;
    }
    Ok(match mistake {
        Mistake::EventEachTime => {
            let note = format!("it was published at {}", rop_runtime::now());
            context.event(&*site, EventType::Normal, "Published", note);
            Action::requeue(Duration::from_secs(4))
        }
        Mistake::Restless => Action::requeue(Duration::from_millis(50)),
        _ => Action::await_change(),
    })
}

/// A Job that is deleted ten seconds after its end.
fn job(name: &str) -> Job {
    child(json!({
        "metadata": { "name": name },
        "spec": {
            "ttlSecondsAfterFinished": 10,
            "template": { "spec": {
                "containers": [{ "name": "main", "image": "busybox" }], "restartPolicy": "Never",
            } },
        },
    }))
}

fn service(name: &str, port: i32, mistake: Mistake) -> Service {
    let port = match mistake {
        Mistake::InvalidService => 0,
        Mistake::Impossible | Mistake::StatusFirst if port % 2 == 1 => 0,
        _ => port,
    };
    let mut service = operator::service(name, port);
    if let Some(spec) = &mut service.spec {
        match mistake {
            Mistake::SelectsAll | Mistake::SelectsNone => {
                spec.selector = Some(BTreeMap::from([("app".to_owned(), "site".to_owned())]));
            }
            Mistake::ClosedPort => {
                let ports = spec.ports.iter_mut().flatten();
                ports.for_each(|port| {
                    port.target_port = Some(IntOrString::String("web".to_owned()));
                });
            }
            Mistake::OtherProtocol => {
                let ports = spec.ports.iter_mut().flatten();
                ports.for_each(|port| {
                    port.target_port = Some(IntOrString::String("http".to_owned()));
                    port.protocol = Some("UDP".to_owned());
                });
            }
            Mistake::Headless if port == 1 => spec.cluster_ip = Some("None".to_owned()),
            _ => {}
        }
    }
    service
}

fn deployment(name: &str, mistake: Mistake) -> Deployment {
    let mut labels = json!({ "app": name });
    if mistake == Mistake::SelectsAll {
        labels = json!({ "app": "site", "site": name });
    }
    let mut container = json!({ "name": "main", "image": "busybox" });
    match mistake {
        Mistake::ClosedPort | Mistake::ClosedNumber | Mistake::OtherProtocol => {
            container["ports"] = json!([{ "name": "http", "containerPort": 80 }]);
        }
        Mistake::ClosedProbe => {
            container["readinessProbe"] = json!({ "httpGet": { "port": "http" } });
        }
        Mistake::MetricsPort => {
            container["ports"] = json!([{ "name": "metrics", "containerPort": 9187 }]);
        }
        Mistake::OldVariables => {
            container["envFrom"] = json!([{ "configMapRef": { "name": name } }]);
        }
        _ => {}
    }
    child(json!({
        "metadata": { "name": name },
        "spec": {
            "replicas": (mistake == Mistake::Fights).then_some(1),
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [container] },
            },
        },
    }))
}

/// Applies what a site has beside its Deployment in some mistakes.
async fn front(site: &Site, context: &Context<State>) -> Result<(), Error> {
    let name = site.name_any();
    match context.state.mistake {
        Mistake::WrongBackend if site.spec.port.is_some() => {
            let ingress: Ingress = child(json!({
                "metadata": { "name": name },
                "spec": { "defaultBackend": { "service": { "name": name, "port": { "number": 8080 } } } },
            }));
            context.apply(site, ingress).await?;
        }
        mistake @ (Mistake::ScalesNothing | Mistake::Fights) => {
            let scaled = match mistake {
                Mistake::Fights => &*name,
                _ => "site",
            };
            let target = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": scaled });
            let autoscaler: HorizontalPodAutoscaler = child(json!({
                "metadata": { "name": name }, "spec": { "scaleTargetRef": target, "maxReplicas": 3 },
            }));
            context.apply(site, autoscaler).await?;
        }
        Mistake::ScheduleWithoutSecret => {
            let pod = json!({
                "restartPolicy": "Never",
                "containers": [{
                    "name": "main", "image": "busybox", "envFrom": [{ "secretRef": { "name": "settings" } }],
                }],
            });
            let job = json!({ "spec": { "template": { "spec": pod } } });
            let schedule: CronJob = child(json!({
                "metadata": { "name": name }, "spec": { "schedule": "0 3 * * *", "jobTemplate": job },
            }));
            Box::pin(context.apply(site, schedule)).await?;
        }
        Mistake::BudgetOfNone => {
            let budget: PodDisruptionBudget = child(json!({
                "metadata": { "name": name },
                "spec": { "minAvailable": 1, "selector": { "matchLabels": { "site": name } } },
            }));
            context.apply(site, budget).await?;
        }
        _ => {}
    }
    Ok(())
}

fn child<K: DeserializeOwned>(object: Value) -> K {
    serde_json::from_value(object).expect("a child")
}

/// Deletes the Service if it has another port.
async fn remove_other_service(site: &Site, context: &Context<State>) -> Result<(), Error> {
    let services = near::<Service>(site, context);
    let name = site.name_any();
    let there = services.get_opt(&name).await?.and_then(|it| it.spec);
    let ports = there.and_then(|spec| spec.ports).unwrap_or_default();
    if ports.iter().any(|port| Some(port.port) != site.spec.port) {
        services.delete(&name, &DeleteParams::default()).await?;
    }
    Ok(())
}

/// Sets the label of a site in its Namespace, or removes it.
async fn mark(site: &Site, context: &Context<State>, to: Option<&str>) -> Result<(), Error> {
    let namespaces = Api::<Namespace>::all(context.client.clone());
    let name = site.namespace().unwrap_or_default();
    let label = match site.spec.port {
        Some(port) if context.state.mistake == Mistake::MarksPort => {
            format!("port-{port}.example.com/{}", site.name_any())
        }
        _ => format!("example.com/{}", site.name_any()),
    };
    let current = namespaces.get_metadata(&name).await?;
    if current.labels().get(&label).map(String::as_str) == to {
        return Ok(());
    }
    let patch = Patch::Merge(json!({ "metadata": { "labels": { label: to } } }));
    let params = PatchParams::default();
    namespaces.patch(&name, &params, &patch).await?;
    Ok(())
}

/// Applies a Job whose Pod reads a Secret. Returns whether it is complete.
async fn has_run(site: &Site, context: &Context<State>) -> Result<bool, Error> {
    let mut job = job(&site.name_any());
    let spec = job.spec.get_or_insert_default();
    spec.ttl_seconds_after_finished = None;
    let pod = spec.template.spec.get_or_insert_default();
    pod.containers[0].env_from = Some(vec![EnvFromSource {
        secret_ref: Some(SecretEnvSource {
            name: "settings".to_owned(),
            optional: None,
        }),
        ..EnvFromSource::default()
    }]);
    let applied = context.apply(site, job).await?;
    Ok(applied
        .status
        .is_some_and(|status| status.succeeded == Some(1)))
}

fn is_observed(site: &Site) -> bool {
    let status = site.status.clone().unwrap_or_default();
    status.observed_generation == site.metadata.generation
}

/// Whether a reconcile has blocked its thread.
static BLOCKED: AtomicBool = AtomicBool::new(false);

#[expect(clippy::disallowed_methods, reason = "it is the mistake")]
fn block(time: Duration) {
    std::thread::sleep(time);
}

/// Replaces the labels and annotations of a site.
async fn label(site: &Site, context: &Context<State>) -> Result<(), Error> {
    let labels = BTreeMap::from([("app".to_owned(), "site".to_owned())]);
    if *site.labels() == labels && site.annotations().is_empty() {
        return Ok(());
    }
    let mut labelled = site.clone();
    labelled.metadata.labels = Some(labels);
    labelled.metadata.annotations = None;
    labelled.metadata.managed_fields = None;
    let sites = near::<Site>(site, context);
    sites
        .replace(&site.name_any(), &PostParams::default(), &labelled)
        .await?;
    Ok(())
}

/// Replaces the status, unless it is the same.
async fn replace_status(
    site: &Site,
    context: &Context<State>,
    mut status: SiteStatus,
) -> Result<(), Error> {
    status
        .conditions
        .retain(|condition| condition.type_ == READY);
    if site.status.as_ref() == Some(&status) {
        return Ok(());
    }
    let sites = near::<Site>(site, context);
    let patch = Patch::Merge(json!({ "status": status }));
    let name = site.name_any();
    sites
        .patch_status(&name, &PatchParams::default(), &patch)
        .await?;
    Ok(())
}

async fn add_finalizer(site: &Site, context: &Context<State>) -> Result<(), Error> {
    if site.finalizers().is_empty() {
        let sites = near::<Site>(site, context);
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
        Mistake::ListGrows => {
            let mut pages = before.pages;
            if pages.last() != Some(&site.spec.page) {
                pages.push(site.spec.page.clone());
            }
            status.pages = pages;
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
        pages: Vec::new(),
        conditions: conditions.into(),
    }
}

/// The permissions that the operator needs, except for one mistake.
fn role(mistake: Mistake) -> String {
    let rule = |group: &str, resources: &[&str]| json!({ "apiGroups": [group], "resources": resources, "verbs": ["*"] });
    let mut children = vec!["configmaps"];
    if mistake.marks() {
        children.push("namespaces");
    }
    if matches!(mistake, Mistake::SecretNotWatched | Mistake::WrongOwner) {
        children.push("secrets");
    }
    let mut rules = vec![rule("app.example.com", &["*"])];
    if mistake == Mistake::Forbidden {
        rules.push(json!({ "apiGroups": [""], "resources": ["services"], "verbs": ["list", "watch", "get"] }));
    } else {
        children.push("services");
    }
    if mistake.runs() {
        rules.push(rule("apps", &["deployments"]));
        rules.push(rule("networking.k8s.io", &["ingresses"]));
        rules.push(rule("autoscaling", &["horizontalpodautoscalers"]));
        rules.push(rule("policy", &["poddisruptionbudgets"]));
        rules.push(rule("batch", &["cronjobs"]));
    }
    if matches!(mistake, Mistake::JobExpires | Mistake::SecretMissing) {
        rules.push(rule("batch", &["jobs"]));
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

/// The object of the user.
pub(super) fn sample() -> Value {
    json!({
        "apiVersion": "app.example.com/v1", "kind": "Site",
        "metadata": { "name": "site", "namespace": "shop" },
        "spec": { "page": "hello", "port": 80, "more": "goodbye" },
    })
}

pub(super) fn simulation(mistake: Mistake) -> Simulation {
    let credentials = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "credentials", "namespace": "shop" },
    });
    let state = move || State {
        mistake,
        pages: Mutex::default(),
    };
    Simulation::new(IDENTITY, register, state)
        .crds([Site::crd()])
        .objects([sample()])
        .given([credentials])
        .role(&role(mistake))
}
