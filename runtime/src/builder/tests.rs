//! What triggers a reconcile besides changes of the object itself, with an API server in memory.

mod dynamic;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::testing::FakeApi;
use crate::testing::api_server::ApiServer;
use crate::{
    Action, Context, Error, Identity, Manager, ManagerError, ObjectRef, Options, Trigger, Watch,
};

const IDENTITY: Identity = Identity::new("app", "1.0.0");

/// The names of the objects that were reconciled.
type Seen = Mutex<Vec<String>>;

async fn reconcile(object: Arc<Namespace>, context: Context<Seen>) -> Result<Action, Error> {
    context.state.lock().unwrap().push(object.name_any());
    Ok(Action::await_change())
}

/// A running operator.
struct Running {
    client: Client,
    seen: Box<dyn Fn() -> Vec<String>>,
    stop: CancellationToken,
    running: JoinHandle<Result<(), ManagerError>>,
}

/// Starts an operator in a cluster with the namespaces `shop` and `vault`.
async fn start(register: impl FnOnce(&mut Manager<Seen>)) -> Running {
    let server = ApiServer::new();
    server.add_namespace("shop");
    server.add_namespace("vault");
    let running = run(server.client(), register);
    let all = running.seen().await;
    assert!(all.contains(&"shop".to_owned()), "{all:?}");
    running
}

fn run(client: Client, register: impl FnOnce(&mut Manager<Seen>)) -> Running {
    let options = Options::default();
    let mut manager =
        Manager::with_client(IDENTITY, options, Seen::default(), client.clone()).unwrap();
    register(&mut manager);
    let (state, stop) = (Arc::clone(&manager.state), manager.shutdown_token());
    Running {
        client,
        seen: Box::new(move || std::mem::take(&mut *state.lock().unwrap())),
        stop,
        running: tokio::spawn(manager.run()),
    }
}

impl Running {
    /// The names of the objects that were reconciled since the last call.
    async fn seen(&self) -> Vec<String> {
        sleep(Duration::from_secs(10)).await;
        (self.seen)()
    }

    async fn create(&self, name: &str, labels: serde_json::Value) {
        let metadata = json!({ "name": name, "labels": labels });
        let secret: Secret = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
        let api = Api::<Secret>::namespaced(self.client.clone(), "vault");
        api.create(&PostParams::default(), &secret).await.unwrap();
    }

    async fn end(self) {
        self.stop.cancel();
        self.running.await.unwrap().unwrap();
    }
}

/// The Secret that a namespace refers to.
fn credentials(namespace: &Namespace) -> Option<ObjectRef<Secret>> {
    let name = format!("{}-credentials", namespace.name_any());
    (namespace.name_any() == "shop").then(|| ObjectRef::new(&name).within("vault"))
}

#[tokio::test(start_paused = true)]
async fn an_object_is_reconciled_for_what_it_refers_to_in_another_namespace() {
    let operator = start(|manager| {
        let controller = manager.controller(reconcile);
        controller.refers_to_in::<Secret, _>(credentials).start();
    })
    .await;
    operator.create("other", json!({})).await;
    assert_eq!(operator.seen().await, [""; 0]);
    operator.create("shop-credentials", json!({})).await;
    assert_eq!(operator.seen().await, ["shop"]);
    let api = Api::<Secret>::namespaced(operator.client.clone(), "vault");
    let patch = Patch::Merge(json!({ "stringData": { "a": "b" } }));
    let params = PatchParams::default();
    api.patch("shop-credentials", &params, &patch)
        .await
        .unwrap();
    assert_eq!(operator.seen().await, ["shop"]);
    operator.end().await;
}

#[tokio::test(start_paused = true)]
async fn of_what_is_referred_to_a_part_can_be_watched() {
    let operator = start(|manager| {
        let shared = Watch::<Secret>::new().labels("shared=yes");
        let controller = manager.controller(reconcile);
        controller.refers_to_in_with(shared, credentials).start();
    })
    .await;
    operator.create("shop-credentials", json!({})).await;
    assert_eq!(operator.seen().await, [""; 0]);
    let api = Api::<Secret>::namespaced(operator.client.clone(), "vault");
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "shared": "yes" } } }));
    let params = PatchParams::default();
    api.patch("shop-credentials", &params, &patch)
        .await
        .unwrap();
    assert_eq!(operator.seen().await, ["shop"]);
    operator.end().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_is_reconciled_when_it_is_triggered() {
    let (trigger, triggered) = Trigger::new();
    let operator = start(|manager| {
        let controller = manager.controller(reconcile).triggered_by(triggered);
        let panics = futures::stream::poll_fn(|_| panic!("on purpose"));
        controller.triggered_by(panics).start();
    })
    .await;
    trigger.reconcile(&ObjectRef::new("shop"));
    trigger.reconcile(&ObjectRef::new("absent"));
    assert_eq!(operator.seen().await, ["shop"]);
    // The namespace of a reference to a cluster-scoped object is ignored.
    trigger.reconcile(&ObjectRef::new("vault").within("shop"));
    assert_eq!(operator.seen().await, ["vault"]);
    operator.end().await;
}

#[tokio::test]
async fn a_cluster_scoped_object_cannot_refer_to_a_name_alone() {
    let mut faults = Vec::new();
    let _ = FakeApi::new(IDENTITY, Seen::default(), |manager| {
        let controller = manager.controller(reconcile);
        controller.refers_to::<ConfigMap, _>(|_| None).start();
        faults = std::mem::take(&mut manager.faults);
    });
    let expected = "a Namespace has no namespace in which it could refer to a ConfigMap by name: use \
                    `.refers_to_in::<ConfigMap, _>(…)`, with references that name the namespace";
    assert_eq!(faults, [expected]);
}

/// For example a period from a spec that is 0.
#[tokio::test(start_paused = true)]
async fn what_is_reconciled_again_at_once_leaves_time_for_the_rest() {
    async fn again(object: Arc<Namespace>, context: Context<Seen>) -> Result<Action, Error> {
        context.state.lock().unwrap().push(object.name_any());
        Ok(Action::requeue(Duration::ZERO))
    }
    let operator = start(|manager| manager.controller(again).start()).await;
    let seen = operator.seen().await;
    let of_shop = seen.iter().filter(|name| *name == "shop").count();
    assert!((100..=1001).contains(&of_shop), "{of_shop} in 10 s");
    operator.end().await;
}

/// The clock advances here: if it is paused, it waits until all tasks are idle.
#[tokio::test]
async fn a_stream_that_never_ends_leaves_time_for_the_rest() {
    let server = ApiServer::new();
    let operator = run(server.client(), |manager| {
        let endless = futures::stream::repeat(ObjectRef::new("absent"));
        let controller = manager.controller(reconcile);
        controller.triggered_by(endless).start();
    });
    while (operator.seen)().is_empty() {
        sleep(Duration::from_millis(1)).await;
    }
    operator.end().await;
}
