//! A controller of a kind that is known only at run time.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams};
use kube::discovery::Scope;

use super::*;
use crate::Cleanup;

/// Applies a greeting for each object, and reports it in the status.
async fn greet_and_say(
    object: Arc<DynamicObject>,
    context: Context<Seen>,
) -> Result<Action, Error> {
    let status = json!({ "observedGeneration": object.metadata.generation });
    context.report_dynamic(&object, status).await?;
    greet(object, context).await
}

/// Applies a greeting for each object.
async fn greet(object: Arc<DynamicObject>, context: Context<Seen>) -> Result<Action, Error> {
    context.state.lock().unwrap().push(object.name_any());
    let mut greeting = ConfigMap::default();
    greeting.metadata.name = Some(format!("{}-greeting", object.name_any()));
    greeting.data = Some([("text".to_owned(), object.data["spec"].to_string())].into());
    context.apply(&*object, greeting).await?;
    Ok(Action::await_change())
}

async fn part(object: Arc<DynamicObject>, context: Context<Seen>) -> Result<Cleanup, Error> {
    let note = format!("{} goes", object.name_any());
    context.state.lock().unwrap().push(note);
    Ok(Cleanup::Done)
}

fn carts() -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("shop.example.com", "v1", "Cart"))
}

/// A server that serves carts.
fn server() -> ApiServer {
    let server = ApiServer::new();
    server.add_namespace("shop");
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
            "status": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        },
    });
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "carts.shop.example.com" },
        "spec": {
            "group": "shop.example.com",
            "names": { "kind": "Cart", "plural": "carts", "singular": "cart", "listKind": "CartList" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": schema },
                "subresources": { "status": {} },
            }],
        },
    });
    server.add_crd(&serde_json::from_value(crd).unwrap());
    server
}

#[tokio::test(start_paused = true)]
async fn it_owns_children_reports_a_status_and_cleans_up() {
    let server = server();
    let api = Api::<DynamicObject>::namespaced_with(server.client(), "shop", &carts());
    let mut cart = DynamicObject::new("web", &carts());
    cart.data = json!({ "spec": { "size": 1 } });
    api.create(&PostParams::default(), &cart).await.unwrap();
    let operator = run(server.client(), |manager| {
        let controller = manager.controller_dynamic(carts(), Scope::Namespaced, greet_and_say);
        controller.owns::<ConfigMap>().finalizer(part).start();
    });
    let seen = operator.seen().await;
    assert!(
        !seen.is_empty() && seen.iter().all(|name| name == "web"),
        "{seen:?}"
    );
    let web = api.get("web").await.unwrap();
    assert_eq!(web.data["status"], json!({ "observedGeneration": 1 }));
    assert_eq!(web.finalizers(), ["shop.example.com/cleanup"]);
    let maps = Api::<ConfigMap>::namespaced(server.client(), "shop");
    let greeting = maps.get("web-greeting").await.unwrap();
    let owner = &greeting.owner_references()[0];
    let kind = (&*owner.api_version, &*owner.kind);
    assert_eq!(kind, ("shop.example.com/v1", "Cart"));
    assert_eq!(Some(&owner.uid), web.uid().as_ref());

    // A deleted child is created again, a change of the spec is applied, and then nothing is written.
    let params = DeleteParams::default();
    maps.delete("web-greeting", &params).await.unwrap();
    operator.seen().await;
    let bigger = Patch::Merge(json!({ "spec": { "size": 2 } }));
    let plain = PatchParams::default();
    api.patch("web", &plain, &bigger).await.unwrap();
    operator.seen().await;
    let greeting = maps.get("web-greeting").await.unwrap();
    assert_eq!(greeting.data.unwrap()["text"], r#"{"size":2}"#);
    let status = &api.get("web").await.unwrap().data["status"];
    assert_eq!(*status, json!({ "observedGeneration": 2 }));
    assert_eq!(operator.seen().await, [""; 0]);

    api.delete("web", &params).await.unwrap();
    assert_eq!(operator.seen().await, ["web goes"]);
    assert!(api.get_opt("web").await.unwrap().is_none());
    operator.end().await;
}

/// In lists of built-in kinds, the API server omits the kind of each object.
#[tokio::test(start_paused = true)]
async fn it_may_be_of_a_kind_of_kubernetes() {
    let server = server();
    let operator = run(server.client(), |manager| {
        let namespaces = ApiResource::erase::<Namespace>(&());
        let controller = manager.controller_dynamic(namespaces, Scope::Cluster, greet);
        let maps = Watch::<ConfigMap>::new().everywhere();
        controller.owns_with(maps).start();
    });
    assert!(operator.seen().await.contains(&"shop".to_owned()));
    let list = Api::<ConfigMap>::all(server.client())
        .list(&ListParams::default())
        .await
        .unwrap();
    let greeting = list
        .items
        .iter()
        .find(|map| map.name_any() == "shop-greeting")
        .expect("a greeting");
    let owner = &greeting.owner_references()[0];
    assert_eq!((&*owner.api_version, &*owner.kind), ("v1", "Namespace"));
    operator.end().await;
}

#[tokio::test]
async fn it_can_be_tested_without_a_server() {
    let api = FakeApi::new(IDENTITY, Seen::default(), |manager| {
        let controller = manager.controller_dynamic(carts(), Scope::Namespaced, greet_and_say);
        controller.owns::<ConfigMap>().start();
    });
    api.put_dynamic(
        &carts(),
        &DynamicObject::new("web", &carts()).within("shop"),
    );
    api.reconcile("web").await.unwrap();
    let web = api.get_dynamic(&carts(), "shop/web").unwrap();
    assert!(web.data["status"].is_object());
    assert!(api.get::<ConfigMap>("web-greeting").is_some());
    let stranger = DynamicObject::new("a", &ApiResource::erase::<Secret>(&()));
    let error = api.context().report_dynamic(&stranger, json!({})).await;
    let expected =
        "the controller neither reconciles nor owns `Secret` of `v1`: add `.owns_dynamic(…)`";
    assert_eq!(error.unwrap_err().to_string(), expected);
}

/// A cart and a basket of the same name are two objects.
#[tokio::test]
async fn what_is_set_on_one_kind_is_not_taken_for_that_of_another() {
    fn baskets() -> ApiResource {
        ApiResource::from_gvk(&GroupVersionKind::gvk("shop.example.com", "v1", "Basket"))
    }
    async fn mark(cart: Arc<DynamicObject>, context: Context<Seen>) -> Result<Action, Error> {
        let labels = |names: &[&str]| ObjectMeta {
            labels: Some(
                names
                    .iter()
                    .map(|&name| (name.to_owned(), String::new()))
                    .collect(),
            ),
            ..ObjectMeta::default()
        };
        let is_first = context.state.lock().unwrap().is_empty();
        let wanted: &[&str] = if is_first { &["a", "b"] } else { &["a"] };
        context.apply_metadata(&*cart, labels(wanted)).await?;
        let mut basket = DynamicObject::new(&cart.name_any(), &baskets());
        basket.metadata.namespace = cart.namespace();
        let basket = context.apply(&*cart, basket).await?;
        context.apply_metadata(&basket, labels(&["a"])).await?;
        context.state.lock().unwrap().push(cart.name_any());
        Ok(Action::await_change())
    }
    let api = FakeApi::new(IDENTITY, Seen::default(), |manager| {
        let controller = manager.controller_dynamic(carts(), Scope::Namespaced, mark);
        controller
            .owns_dynamic(baskets(), Scope::Namespaced)
            .start();
    });
    let web = DynamicObject::new("web", &carts()).within("shop");
    api.put_dynamic(&carts(), &web);
    for _ in 0..2 {
        api.reconcile("web").await.unwrap();
    }
    let web = api.get_dynamic(&carts(), "web").unwrap();
    assert_eq!(web.labels().keys().collect::<Vec<_>>(), ["a"]);
    let _ = api.writes();
    api.reconcile("web").await.unwrap();
    let writes = api.writes();
    assert!(
        !writes.iter().any(|write| write.contains("carts")),
        "{writes:?}"
    );
}
