//! The Rust code of the book's pages "From controller-runtime" and "Extending the runtime". The tests of the book
//! compare the pages with it.
#![cfg(feature = "testing")]
#![allow(dead_code, reason = "some of it is only compiled")]

use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use k8s_openapi::ByteString;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Node, Secret, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::api::{ApiResource, DynamicObject, ObjectMeta};
use kube::core::PartialObjectMeta;
use kube::{Api, CustomResource, Resource, ResourceExt};
use rop_runtime::conditions::{Conditions, READY};
use rop_runtime::testing::FakeApi;
use rop_runtime::{
    Action, Backoff, Cleanup, Context, Error, EventType, Identity, Index, Manager, ObjectRef,
    Options, RunsOn, Trigger, Watch, labels, predicates,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

const IDENTITY: Identity = Identity::new("app-operator", "1.0.0");

/// Desired state of an `AppService`.
#[derive(Clone, CustomResource, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "app.example.com",
    version = "v1",
    kind = "AppService",
    namespaced,
    status = "AppServiceStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
struct AppServiceSpec {
    #[schemars(length(min = 1))]
    host: String,
    #[serde(default)]
    credentials: Option<String>,
    #[serde(default)]
    zone: String,
}

/// Observed state of an `AppService`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct AppServiceStatus {
    #[serde(default)]
    conditions: Vec<Condition>,
}

/// A client of another system.
mod dns {
    #[derive(Debug)]
    pub(crate) struct Client(String);

    #[derive(Debug, thiserror::Error)]
    #[error("the provider does not answer")]
    pub(crate) struct Unavailable;

    impl Client {
        pub(crate) fn new(url: &str) -> Self {
            Self(url.to_owned())
        }

        pub(crate) async fn point(&self, host: &str) -> Result<(), Unavailable> {
            std::future::ready(if self.0.is_empty() || host.is_empty() {
                Err(Unavailable)
            } else {
                Ok(())
            })
            .await
        }

        pub(crate) async fn remove(&self, host: &str) -> Result<(), Unavailable> {
            self.point(host).await
        }

        pub(crate) async fn expire(&self) -> Result<(), Unavailable> {
            self.point("*").await
        }

        pub(crate) fn is_connected(&self) -> bool {
            !self.0.is_empty()
        }
    }
}

/// What every reconcile can use besides its object.
struct State {
    dns: Arc<dns::Client>,
}

impl State {
    fn for_tests() -> Self {
        let dns = Arc::new(dns::Client::new("http://dns"));
        Self { dns }
    }
}

#[derive(Parser)]
struct Args {
    #[command(flatten)]
    runtime: Options,

    /// URL of the DNS provider
    #[arg(long, env)]
    dns_url: String,
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::parse();
    let dns = Arc::new(dns::Client::new(&args.dns_url));
    let state = State { dns };
    let mut manager = Manager::new(IDENTITY, args.runtime, state).await?;
    register(&mut manager);
    manager.run().await?;
    Ok(())
}

fn register(manager: &mut Manager<State>) {
    manager
        .controller(reconcile)
        .owns::<Deployment>()
        .owns::<Service>()
        .refers_to::<Secret, _>(|app: &AppService| app.spec.credentials.clone())
        .on_failure(status::failed)
        .finalizer(cleanup)
        .start();
}

async fn reconcile(app: Arc<AppService>, context: Context<State>) -> Result<Action, Error> {
    if let Some(name) = &app.spec.credentials {
        let (secrets, namespace) = (context.cached::<Secret>()?, app.namespace());
        secrets.require(namespace.as_deref(), name)?;
    }
    context.apply(&*app, resources::deployment(&app)).await?;

    let dns = &context.state.dns;
    let pointed = dns.point(&app.spec.host).await;
    pointed.map_err(Error::transient)?;

    context.report(&*app, status::of(&app)).await?;
    Ok(Action::await_change())
}

async fn cleanup(app: Arc<AppService>, context: Context<State>) -> Result<Cleanup, Error> {
    let dns = &context.state.dns;
    let removed = dns.remove(&app.spec.host).await;
    removed.map_err(Error::transient)?;
    Ok(Cleanup::Done)
}

mod resources {
    use super::*;

    pub(super) fn deployment(app: &AppService) -> Deployment {
        workload(app, "web")
    }

    /// Two Deployments of one object need two selectors.
    pub(super) fn workload(app: &AppService, component: &str) -> Deployment {
        let selector = labels::selector(app, component);
        let mut deployment = Deployment::default();
        deployment.metadata.name = Some(format!("{}-{component}", app.name_any()));
        deployment.spec.selector.match_labels = Some(selector.clone());
        let pod = json!({
            "metadata": { "labels": selector },
            "spec": { "containers": [{ "name": component, "image": "example.com/app:1" }] },
        });
        deployment.spec.template = serde_json::from_value(pod).expect("a pod");
        deployment
    }

    pub(super) fn service(app: &AppService) -> Service {
        let mut service = Service::default();
        service.metadata.name = Some(app.name_any());
        service.spec = serde_json::from_value(json!({ "ports": [{ "port": 80 }] })).ok();
        service
    }

    /// With a password, which a real one would generate.
    pub(super) fn generated(app: &AppService, before: Option<Secret>) -> Secret {
        let generate = || ByteString(b"generated".to_vec());
        let password = before.and_then(|secret| secret.data?.remove("password"));
        let password = password.unwrap_or_else(generate);
        let mut secret = Secret::default();
        secret.metadata.name = Some(app.name_any());
        secret.data = Some([("password".to_owned(), password)].into());
        secret
    }

    pub(super) fn settings(app: &AppService) -> ConfigMap {
        let mut settings = ConfigMap::default();
        settings.metadata.name = Some(app.name_any());
        settings
    }
}

mod status {
    use super::*;

    pub(super) fn of(app: &AppService) -> AppServiceStatus {
        report(app, true, "Reconciled", "the object matches its spec")
    }

    pub(super) fn failed(app: &AppService, error: &Error) -> AppServiceStatus {
        report(app, false, error.reason(), &error.to_string())
    }

    fn report(app: &AppService, ready: bool, reason: &str, message: &str) -> AppServiceStatus {
        let mut status = app.status.clone().unwrap_or_default();
        let mut conditions = Conditions::of(&status.conditions, app.metadata.generation);
        conditions.set(READY, ready, reason, message);
        status.conditions = conditions.into();
        status
    }
}

/// A watch with a mapping.
fn watches(manager: &mut Manager<State>) {
    manager
        .controller(reconcile)
        .watches::<Node>(|node, apps| {
            let zone = node.labels().get("topology.kubernetes.io/zone");
            let apps = apps.by(&BY_ZONE, zone.map_or("", String::as_str));
            let apps = apps.into_iter();
            apps.map(|app| ObjectRef::from_obj(&*app)).collect()
        })
        .start();
}

/// `AppService`s by the zone that they run in.
const BY_ZONE: Index<AppService> = Index::new("zone", |app| vec![app.spec.zone.clone()]);

/// Reads from caches.
fn reads(app: &AppService, context: &Context<State>) -> Result<usize, Error> {
    let nodes = context.cached::<Node>()?;
    let node = nodes.get(None, "node-1");
    let all = nodes.list();

    let apps = context.cached::<AppService>()?;
    let neighbours = apps.by(&BY_ZONE, &app.spec.zone);

    Ok(all.len() + neighbours.len() + usize::from(node.is_some()))
}

fn reading(manager: &mut Manager<State>) {
    manager.controller(reconcile).reads::<Node>().start();
}

fn reading_metadata(manager: &mut Manager<State>) {
    manager
        .controller(reconcile)
        .reads::<PartialObjectMeta<Secret>>()
        .start();
}

fn referring(manager: &mut Manager<State>) {
    manager
        .controller(reconcile)
        .refers_to_in::<Secret, _>(|_: &AppService| [ObjectRef::new("credentials").within("vault")])
        .start();
}

fn triggers(manager: &mut Manager<State>) {
    let (trigger, triggered) = Trigger::new();
    manager
        .controller(reconcile)
        .triggered_by(triggered)
        .start();

    trigger.reconcile(&ObjectRef::new("web").within("shop"));
}

fn blocking(manager: &mut Manager<State>) {
    manager
        .controller(reconcile)
        .owns::<Deployment>()
        .block_owner_deletion()
        .start();
}

fn filters(manager: &mut Manager<State>) {
    manager
        .controller(reconcile)
        .filter(predicates::generation)
        .labels("tier=web")
        .start();
}

fn filter_by(manager: &mut Manager<State>) {
    let shared = Watch::<Secret>::new()
        .labels("app.example.com/shared=yes")
        .filter_by(|old, new| old.data != new.data);
    manager
        .controller(reconcile)
        .watches_with(shared, |_, apps| {
            let apps = apps.list().into_iter();
            apps.map(|app| ObjectRef::from_obj(&*app)).collect()
        })
        .start();
}

fn several(manager: &mut Manager<State>) {
    manager.controller(reconcile).start();
    manager
        .controller(certificates)
        .named("certificates")
        .concurrency(2)
        .timeout(Duration::from_secs(300))
        .backoff(Backoff::exponential(
            Duration::from_secs(5),
            Duration::from_secs(900),
        ))
        .resync(Duration::from_secs(600))
        .start();
}

async fn certificates(app: Arc<AppService>, _: Context<State>) -> Result<Action, Error> {
    let _ = app;
    Ok(Action::requeue(Duration::from_secs(300)))
}

fn foreign(manager: &mut Manager<State>) {
    manager
        .controller(async |node: Arc<Node>, context: Context<State>| {
            context.event(
                &*node,
                EventType::Normal,
                "Seen",
                "the operator has seen it",
            );
            Ok(Action::await_change())
        })
        .start();
}

fn beside(manager: &mut Manager<State>) {
    manager.task("expire-records", RunsOn::Leader, expire);
    manager.reads::<Node>();

    let dns = Arc::clone(&manager.state().dns);
    manager.ready_check("dns", move || {
        if dns.is_connected() {
            Ok(())
        } else {
            Err("the DNS provider does not answer".to_owned())
        }
    });
}

async fn expire(context: Context<State>) -> Result<(), Error> {
    let mut hourly = tokio::time::interval(Duration::from_secs(3600));
    loop {
        tokio::select! {
            () = context.stopping() => return Ok(()),
            _ = hourly.tick() => {}
        }
        if let Err(error) = context.state.dns.expire().await {
            tracing::warn!(%error, "records not expired");
        }
    }
}

mod metrics {
    use super::*;
    use rop_runtime::prometheus_client::metrics::counter::Counter;
    use rop_runtime::prometheus_client::metrics::family::Family;

    #[derive(Default)]
    pub(super) struct State {
        renewals: Counter,
        requests: Family<[(&'static str, String); 2], Counter>,
    }

    pub(super) fn register(manager: &mut Manager<State>) {
        let renewals = manager.state().renewals.clone();
        manager.metrics(|registry| {
            registry.register("certificate_renewals", "Renewed certificates", renewals);
        });
    }

    pub(super) fn renewed(context: &Context<State>) {
        context.state.renewals.inc();
    }

    pub(super) fn requested(context: &Context<State>, zone: &str, result: &str) {
        let labels = [("zone", zone.to_owned()), ("result", result.to_owned())];
        context.state.requests.get_or_create(&labels).inc();
    }
}

mod children {
    use super::*;
    use kube::discovery::Scope;

    /// Two components.
    pub(super) async fn several(app: &AppService, context: &Context<State>) -> Result<(), Error> {
        for component in ["web", "worker"] {
            let deployment = resources::workload(app, component);
            context.apply(app, deployment).await?;
        }
        Ok(())
    }

    pub(super) async fn unforced(app: &AppService, context: &Context<State>) -> Result<(), Error> {
        let settings = resources::settings(app);
        context.apply_without_force(app, settings).await?;
        Ok(())
    }

    pub(super) fn whole(manager: &mut Manager<State>) {
        manager
            .controller(async |app: Arc<AppService>, context: Context<State>| {
                let service = resources::service(&app);
                let service = context.apply(&*app, service).await?;
                let address = service.spec.and_then(|spec| spec.cluster_ip);
                context.event(
                    &*app,
                    EventType::Normal,
                    "Address",
                    address.unwrap_or_default(),
                );
                Ok(Action::await_change())
            })
            .owns_whole::<Service>()
            .start();
    }

    /// What is generated once.
    async fn once(app: Arc<AppService>, context: Context<State>) -> Result<Action, Error> {
        let (name, namespace) = (app.name_any(), app.namespace().unwrap_or_default());
        let secrets = Api::<Secret>::namespaced(context.client.clone(), &namespace);
        let before = secrets.get_opt(&name).await?;
        let secret = resources::generated(&app, before);
        context.apply(&*app, secret).await?;
        Ok(Action::await_change())
    }

    pub(super) fn generating(manager: &mut Manager<State>) {
        manager.controller(once).owns::<Secret>().start();
    }

    /// In another namespace.
    pub(super) fn elsewhere(manager: &mut Manager<State>) {
        manager
            .controller(share)
            .owns_with::<ConfigMap>(Watch::new().everywhere())
            .finalizer(withdraw)
            .start();
    }

    async fn share(app: Arc<AppService>, context: Context<State>) -> Result<Action, Error> {
        let mut settings = resources::settings(&app);
        settings.metadata.namespace = Some("shared".to_owned());
        context.apply(&*app, settings).await?;
        Ok(Action::await_change())
    }

    async fn withdraw(app: Arc<AppService>, context: Context<State>) -> Result<Cleanup, Error> {
        let mut settings = resources::settings(&app);
        settings.metadata.namespace = Some("shared".to_owned());
        context.remove_child(&*app, &settings).await
    }

    /// Cluster-scoped owners.
    pub(super) fn of_the_cluster(manager: &mut Manager<State>) {
        manager
            .controller(greet)
            .owns_with::<ConfigMap>(Watch::new().everywhere())
            .start();
    }

    async fn greet(namespace: Arc<Namespace>, context: Context<State>) -> Result<Action, Error> {
        let mut greeting = ConfigMap::default();
        greeting.metadata.name = Some("greeting".to_owned());
        greeting.metadata.namespace = Some(namespace.name_any());
        context.apply(&*namespace, greeting).await?;
        Ok(Action::await_change())
    }

    pub(super) fn monitors() -> ApiResource {
        ApiResource {
            group: "monitoring.coreos.com".to_owned(),
            version: "v1".to_owned(),
            api_version: "monitoring.coreos.com/v1".to_owned(),
            kind: "ServiceMonitor".to_owned(),
            plural: "servicemonitors".to_owned(),
        }
    }

    /// Known at run time.
    pub(super) fn dynamic(manager: &mut Manager<State>) {
        manager
            .controller(async |app: Arc<AppService>, context: Context<State>| {
                let mut monitor = DynamicObject::new(&app.name_any(), &monitors());
                monitor.data = serde_json::json!({ "spec": { "endpoints": [] } });
                context.apply(&*app, monitor).await?;
                Ok(Action::await_change())
            })
            .owns_dynamic(monitors(), Scope::Namespaced)
            .start();
    }

    /// A controller of a kind known at run time.
    pub(super) fn of_monitors(manager: &mut Manager<State>) {
        manager
            .controller_dynamic(monitors(), Scope::Namespaced, mark)
            .start();
    }

    async fn mark(monitor: Arc<DynamicObject>, context: Context<State>) -> Result<Action, Error> {
        let generation = monitor.metadata.generation;
        let status = serde_json::json!({ "observedGeneration": generation });
        context.report_dynamic(&monitor, status).await?;
        Ok(Action::await_change())
    }
}

fn app(spec: AppServiceSpec) -> AppService {
    let mut app = AppService::new("web", spec);
    app.metadata = ObjectMeta {
        name: Some("web".to_owned()),
        namespace: Some("shop".to_owned()),
        ..ObjectMeta::default()
    };
    app
}

fn fixture() -> AppService {
    app(AppServiceSpec {
        host: "web.example.com".to_owned(),
        credentials: Some("key".to_owned()),
        ..AppServiceSpec::default()
    })
}

#[tokio::test]
async fn a_missing_secret_is_reported() {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.put(&fixture());

    api.reconcile("web").await.unwrap_err();
    let app: AppService = api.get("web").expect("the object");
    let ready = &app.status.expect("a status").conditions[0];
    assert_eq!((&*ready.status, &*ready.reason), ("False", "SecretMissing"));

    let mut secret = Secret::default();
    secret.metadata.name = Some("key".to_owned());
    secret.metadata.namespace = Some("shop".to_owned());
    api.put(&secret);
    api.reconcile("web").await.unwrap();
    assert!(api.get::<Deployment>("web-web").is_some());
}

#[tokio::test]
async fn a_password_is_generated_once() {
    let api = FakeApi::new(IDENTITY, State::for_tests(), children::generating);
    api.put(&fixture());
    api.reconcile("web").await.unwrap();
    assert!(api.get::<Secret>("web").is_some());
    assert_eq!(api.writes().len(), 1);
    api.reconcile("web").await.unwrap();
    assert!(api.writes().is_empty());
}

#[tokio::test]
async fn a_kind_that_is_installed_is_validated() {
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.put(&app(AppServiceSpec::default()));
    let api = FakeApi::new(IDENTITY, State::for_tests(), register);
    api.install::<AppService>();
    let put = || api.put(&app(AppServiceSpec::default()));
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(put));
    let message = refused.expect_err("the host is empty");
    let message = message.downcast::<String>().expect("a text");
    assert!(message.contains("spec.host"), "{message}");
}

#[cfg(feature = "webhook")]
mod webhooks {
    use super::{AppService, Error, FakeApi, IDENTITY, Manager, State, app};
    use rop_runtime::webhook::{Operation, Request, Review, Validator};

    fn default(app: &mut AppService, request: &Request<State>) {
        if app.spec.zone.is_empty() {
            let namespace = request.namespace().unwrap_or("default");
            app.spec.zone = format!("zone-of-{namespace}");
        }
    }

    fn create(app: &AppService, request: &Request<State>) -> Review {
        let mut review = Review::new();
        if app.spec.host.ends_with(".internal") && request.user() != "admin" {
            review.invalid("spec.host", &app.spec.host, "only for admin");
        }
        review
    }

    fn update(app: &AppService, before: &AppService, _: &Request<State>) -> Review {
        let mut review = Review::new();
        if app.spec.zone != before.spec.zone {
            review.forbidden("spec.zone", "it cannot be changed");
        }
        review
    }

    mod waiting {
        use super::{AppService, Error, Manager, Operation, Request, Review, State, Validator};

        async fn create(app: AppService, request: Request<State>) -> Result<Review, Error> {
            let mut review = Review::new();
            let host = &app.spec.host;
            let others = request.cached::<AppService>().await?.list();
            if others.iter().any(|other| other.spec.host == *host) {
                review.invalid("spec.host", host, "another AppService has it");
            }
            Ok(review)
        }

        pub(super) fn register(manager: &mut Manager<State>) {
            manager.reads::<AppService>();
            let validator = Validator::new().create_async(create);
            manager.validating_webhook("/validate-app-example-com-v1-appservice", validator);
        }

        #[tokio::test]
        async fn a_host_belongs_to_one() {
            let app = || {
                super::app(crate::AppServiceSpec {
                    host: "a.example.com".to_owned(),
                    ..crate::AppServiceSpec::default()
                })
            };
            let api = super::FakeApi::new(super::IDENTITY, crate::State::for_tests(), register);
            let request = api.request(Operation::Create);
            assert!(create(app(), request).await.unwrap().is_allowed());
            api.put(&app());
            let request = api.request(Operation::Create);
            assert!(!create(app(), request).await.unwrap().is_allowed());
        }
    }

    // +kubebuilder:webhook:path=/mutate-app-example-com-v1-appservice,mutating=true,groups=app.example.com,resources=appservices,verbs=create;update,versions=v1,name=mappservice-v1.kb.io
    // +kubebuilder:webhook:path=/validate-app-example-com-v1-appservice,mutating=false,groups=app.example.com,resources=appservices,verbs=create;update,versions=v1,name=vappservice-v1.kb.io

    pub(super) fn register(manager: &mut Manager<State>) {
        manager.defaulting_webhook("/mutate-app-example-com-v1-appservice", default);
        let validator = Validator::new().create(create).update(update);
        manager.validating_webhook("/validate-app-example-com-v1-appservice", validator);
    }

    #[test]
    fn an_internal_host_is_for_admin() {
        let app = app(super::AppServiceSpec {
            host: "a.internal".to_owned(),
            ..super::AppServiceSpec::default()
        });
        let request = || Request::new(Operation::Create, State::for_tests());
        assert!(create(&app, &request().by("admin")).is_allowed());
        let review = create(&app, &request().by("alice"));
        assert_eq!(
            review.to_string(),
            "spec.host: Invalid value: \"a.internal\": only for admin"
        );
    }
}

/// A manager accepts each registration, and it works.
#[tokio::test]
async fn every_controller_can_be_registered() {
    for register in [
        watches,
        reading,
        reading_metadata,
        referring,
        triggers,
        blocking,
        filters,
        filter_by,
        several,
        foreign,
    ] {
        let _ = FakeApi::new(IDENTITY, State::for_tests(), register);
    }
    #[cfg(feature = "webhook")]
    let _ = FakeApi::new(IDENTITY, State::for_tests(), webhooks::register);
    let _ = FakeApi::new(IDENTITY, State::for_tests(), beside);
    let _ = FakeApi::new(IDENTITY, metrics::State::default(), metrics::register);
    for register in [children::whole, children::elsewhere, children::dynamic] {
        let api = FakeApi::new(IDENTITY, State::for_tests(), register);
        api.put(&fixture());
        api.reconcile("web").await.unwrap();
        let wrote = api.writes();
        assert!(
            wrote.iter().any(|write| write.starts_with("PATCH")),
            "{wrote:?}"
        );
    }
    let api = FakeApi::new(IDENTITY, State::for_tests(), children::of_monitors);
    let monitors = children::monitors();
    let mut web = DynamicObject::new("web", &monitors).within("shop");
    web.metadata.generation = Some(1);
    api.put_dynamic(&monitors, &web);
    api.reconcile("web").await.unwrap();
    let web = api.get_dynamic(&monitors, "web").expect("the object");
    assert_eq!(web.data["status"]["observedGeneration"], 1);
    let api = FakeApi::new(IDENTITY, State::for_tests(), children::of_the_cluster);
    let mut shop = Namespace::default();
    shop.meta_mut().name = Some("shop".to_owned());
    api.put(&shop);
    api.reconcile("shop").await.unwrap();
    assert!(api.get::<ConfigMap>("greeting").is_some());
}
