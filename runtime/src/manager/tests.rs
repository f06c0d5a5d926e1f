//! A replica that is not the leader.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::{Request, StatusCode};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::core::PartialObjectMeta;
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tower::service_fn;

use crate::testing::api_server::{ApiServer, User};
use crate::{
    Action, Context, Error, Identity, Manager, ManagerError, Options, RunsOn, Store, Watch,
};

const IDENTITY: Identity = Identity::new("app", "1.0.0");

#[derive(Default)]
struct State {
    reconciled: Mutex<Vec<String>>,
    context: Mutex<Option<Context<Self>>>,
}

async fn reconcile(object: Arc<Namespace>, context: Context<State>) -> Result<Action, Error> {
    context
        .state
        .reconciled
        .lock()
        .unwrap()
        .push(object.name_any());
    Ok(Action::await_change())
}

/// Shows what a task of every replica sees.
async fn show(context: Context<State>) -> Result<(), Error> {
    *context.state.context.lock().unwrap() = Some(context.clone());
    Ok(())
}

struct Replica {
    state: Arc<State>,
    depth: Box<dyn Fn() -> String>,
    stop: CancellationToken,
    running: JoinHandle<Result<(), ManagerError>>,
}

/// A replica that reads namespaces, which its controller watches too.
fn replica(client: &Client, is_warm: bool) -> Replica {
    let mut options = Options::default();
    options.election.leader_elect = true;
    options.election.leader_elect_warm_standby = is_warm;
    let mut manager =
        Manager::with_client(IDENTITY, options, State::default(), client.clone()).unwrap();
    manager.controller(reconcile).reads::<ConfigMap>().start();
    manager.reads::<Namespace>();
    manager.task("show", RunsOn::EveryReplica, show);
    let (state, stop) = (Arc::clone(&manager.state), manager.shutdown_token());
    let metrics = manager.metrics.clone();
    Replica {
        state,
        depth: Box::new(move || {
            let text = metrics.text().unwrap();
            let mut lines = text.lines();
            let depth = lines.find(|line| line.starts_with("workqueue_depth{"));
            depth.unwrap_or_default().to_owned()
        }),
        stop,
        running: tokio::spawn(manager.run()),
    }
}

impl Replica {
    fn reconciled(&self) -> Vec<String> {
        let mut names = std::mem::take(&mut *self.state.reconciled.lock().unwrap());
        names.retain(|name| name.starts_with("shop"));
        names
    }

    /// The namespaces that a task sees, and how many config maps.
    fn sees(&self) -> (Vec<String>, usize) {
        let context = self.state.context.lock().unwrap();
        let context = context.as_ref().expect("a task");
        let namespaces = context.cached::<Namespace>().unwrap().list();
        let mut names: Vec<_> = namespaces
            .iter()
            .map(|namespace| namespace.name_any())
            .collect();
        names.retain(|name| name.starts_with("shop"));
        (names, context.cached::<ConfigMap>().unwrap().list().len())
    }

    async fn end(self) {
        self.stop.cancel();
        self.running.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_stands_by_has_what_the_manager_reads_and_reconciles_all_when_it_leads() {
    takes_over(false).await;
}

#[tokio::test(start_paused = true)]
async fn one_that_stands_by_can_have_what_the_controllers_watch_too() {
    takes_over(true).await;
}

async fn takes_over(is_warm: bool) {
    let server = ApiServer::new();
    let client = server.client();
    let namespaces = Api::<Namespace>::all(client.clone());
    let create = async |name: &str| {
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some(name.to_owned());
        let created = namespaces.create(&PostParams::default(), &namespace).await;
        created.unwrap();
        let mut map = ConfigMap::default();
        map.metadata.name = Some("a".to_owned());
        let maps = Api::<ConfigMap>::namespaced(client.clone(), name);
        maps.create(&PostParams::default(), &map).await.unwrap();
    };
    let leads = replica(&client, is_warm);
    sleep(Duration::from_secs(10)).await;
    let stands_by = replica(&client, is_warm);
    for name in ["shop-a", "shop-b", "shop-c"] {
        create(name).await;
    }
    namespaces
        .delete("shop-c", &DeleteParams::default())
        .await
        .unwrap();
    sleep(Duration::from_secs(10)).await;
    let both = ["shop-a", "shop-b"].map(str::to_owned).to_vec();
    assert_eq!(leads.sees(), (both.clone(), 2));
    assert_eq!(
        stands_by.sees(),
        (both.clone(), if is_warm { 2 } else { 0 })
    );
    assert!(leads.reconciled().starts_with(&both));
    assert!(stands_by.reconciled().is_empty());
    assert!(
        (stands_by.depth)().ends_with(" 0"),
        "{}",
        (stands_by.depth)()
    );

    leads.end().await;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(stands_by.reconciled(), both);
    assert_eq!(stands_by.sees().1, 2);
    create("shop-d").await;
    sleep(Duration::from_secs(10)).await;
    assert_eq!(stands_by.reconciled(), ["shop-d"]);
    stands_by.end().await;
}

#[tokio::test(start_paused = true)]
async fn of_metadata_nothing_else_is_sent() {
    type Secrets = PartialObjectMeta<Secret>;
    let server = ApiServer::new();
    server.add_namespace("shop");
    let secrets = Api::<Secret>::namespaced(server.client(), "shop");
    let create = async |name: &str| {
        let secret = json!({ "metadata": { "name": name }, "stringData": { "key": "hidden" } });
        let secret = serde_json::from_value(secret).unwrap();
        secrets
            .create(&PostParams::default(), &secret)
            .await
            .unwrap();
    };
    create("before").await;
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let noted = Arc::clone(&asked);
    let service = service_fn(move |request: Request<kube::client::Body>| {
        let (server, noted) = (server.clone(), Arc::clone(&noted));
        async move {
            let (parts, body) = request.into_parts();
            let accept = parts.headers["accept"].to_str().unwrap().to_owned();
            noted.lock().unwrap().push(accept);
            let request = Request::from_parts(parts, body.collect_bytes().await?);
            Ok::<_, kube::Error>(server.answer(&User::admin(), request))
        }
    });
    let client = Client::new(service, "default");
    let mut manager =
        Manager::with_client(IDENTITY, Options::default(), State::default(), client).unwrap();
    manager.reads::<Secrets>();
    manager.task("show", RunsOn::EveryReplica, show);
    let (state, stop) = (Arc::clone(&manager.state), manager.shutdown_token());
    let running = tokio::spawn(manager.run());
    sleep(Duration::from_secs(10)).await;
    create("while").await;
    sleep(Duration::from_secs(10)).await;
    let context = state.context.lock().unwrap().clone().unwrap();
    let seen = context.cached::<Secrets>().unwrap().list();
    let names: Vec<_> = seen.iter().map(|object| object.name_any()).collect();
    assert_eq!(names, ["before", "while"]);
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    assert!(asked.len() > 1);
    assert!(
        asked
            .iter()
            .all(|accept| accept.contains(";as=PartialObjectMetadata")),
        "{asked:?}"
    );
    let error = context
        .cached::<PartialObjectMeta<ConfigMap>>()
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("`manager.reads::<PartialObjectMeta<ConfigMap>>()`"),
        "{error}"
    );
    stop.cancel();
    running.await.unwrap().unwrap();
}

async fn greet(namespace: Arc<Namespace>, context: Context<State>) -> Result<Action, Error> {
    greeting(&namespace, &context, "hello").await
}

async fn part(namespace: Arc<Namespace>, context: Context<State>) -> Result<Action, Error> {
    greeting(&namespace, &context, "goodbye").await
}

async fn greeting(
    namespace: &Namespace,
    context: &Context<State>,
    name: &str,
) -> Result<Action, Error> {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(name.to_owned());
    map.metadata.namespace = Some(namespace.name_any());
    context.apply(namespace, map).await?;
    Ok(Action::await_change())
}

/// Two controllers own a type, one of them also watches it, and the manager reads all of it.
#[tokio::test(start_paused = true)]
async fn there_is_one_watch_for_all_that_want_a_type() {
    let server = ApiServer::new();
    for name in ["default", "shop"] {
        server.add_namespace(name);
    }
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let (noted, served) = (Arc::clone(&asked), server.clone());
    let service = service_fn(move |request: Request<kube::client::Body>| {
        let (server, noted) = (served.clone(), Arc::clone(&noted));
        async move {
            let (parts, body) = request.into_parts();
            let (path, query) = (parts.uri.path(), parts.uri.query().unwrap_or_default());
            noted
                .lock()
                .unwrap()
                .push(format!("{} {path}?{query}", parts.method));
            let request = Request::from_parts(parts, body.collect_bytes().await?);
            Ok::<_, kube::Error>(server.answer(&User::admin(), request))
        }
    });
    let client = Client::new(service, "default");
    let mut manager =
        Manager::with_client(IDENTITY, Options::default(), State::default(), client).unwrap();
    let owned = || Watch::<ConfigMap>::new().everywhere();
    let first = manager.controller(greet).owns_with(owned());
    first
        .watches(|_: &ConfigMap, _: &Store<Namespace>| Vec::new())
        .start();
    manager
        .controller(part)
        .named("part")
        .owns_with(owned())
        .start();
    manager.reads::<ConfigMap>();
    manager.task("show", RunsOn::EveryReplica, show);
    let (state, stop) = (Arc::clone(&manager.state), manager.shutdown_token());
    let running = tokio::spawn(manager.run());
    sleep(Duration::from_secs(10)).await;

    let maps = Api::<ConfigMap>::namespaced(server.client(), "shop");
    let context = state.context.lock().unwrap().clone().unwrap();
    let seen = || {
        let maps = context.cached::<ConfigMap>().unwrap().list();
        let in_shop = maps
            .iter()
            .filter(|map| map.metadata.namespace.as_deref() == Some("shop"));
        in_shop.map(|map| map.name_any()).collect::<Vec<_>>()
    };
    assert_eq!(seen(), ["goodbye", "hello"]);
    for name in ["goodbye", "hello"] {
        maps.delete(name, &DeleteParams::default()).await.unwrap();
        sleep(Duration::from_secs(10)).await;
        maps.get(name).await.unwrap();
    }
    // A child that is no longer selected is applied again.
    let unlabelled = json!({ "metadata": { "labels": null } });
    let patch = Patch::Merge(unlabelled);
    maps.patch("hello", &PatchParams::default(), &patch)
        .await
        .unwrap();
    sleep(Duration::from_secs(10)).await;
    let labels = maps.get("hello").await.unwrap().metadata.labels;
    assert_eq!(labels.unwrap()["app.kubernetes.io/managed-by"], "app");

    let asked = std::mem::take(&mut *asked.lock().unwrap());
    let of_maps: Vec<_> = asked
        .iter()
        .filter(|request| request.starts_with("GET /api/v1/configmaps?"))
        .collect();
    assert_eq!(of_maps.len(), 2, "a list and a watch: {of_maps:?}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_type_is_owned_once() {
    let server = ApiServer::new();
    let mut manager = Manager::with_client(
        IDENTITY,
        Options::default(),
        State::default(),
        server.client(),
    )
    .unwrap();
    let labelled = |value: &str| Watch::<ConfigMap>::new().labels(format!("color={value}"));
    let controller = manager.controller(reconcile).owns_with(labelled("blue"));
    controller.owns_with(labelled("red")).start();
    let error = manager.run().await.unwrap_err().to_string();
    let expected =
        "the controller `namespace` owns configmaps twice: combine both selections in one";
    assert!(error.contains(expected), "{error}");
}

/// A missing CRD delays every task of the leader, and nothing else would report it.
#[tokio::test(start_paused = true)]
async fn a_task_says_what_it_waits_for() {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Log {
        fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(line)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let log = Log::default();
    let writer = log.clone();
    let lines = tracing_subscriber::fmt().with_writer(move || writer.clone());
    let _lines = tracing::subscriber::set_default(lines.finish());
    let client = crate::testing::client(|_, _, _| (StatusCode::NOT_FOUND, String::new()));
    let mut manager =
        Manager::with_client(IDENTITY, Options::default(), State::default(), client).unwrap();
    manager.reads::<Secret>();
    manager.controller(reconcile).reads::<ConfigMap>().start();
    manager.task("show", RunsOn::Leader, show);
    let stop = manager.shutdown_token();
    let running = tokio::spawn(manager.run());
    sleep(Duration::from_secs(60)).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let expected = "the task show is waiting for the first list of configmaps, namespaces, secrets";
    assert_eq!(log.matches(expected).count(), 1, "{log}");
}
