//! A transient error is retried and not reported. A terminal error is reported at once, whichever request is rejected.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, ResourceExt as _};
use rop_runtime::testing::FakeApi;
use rop_runtime::{Action, Context, Error, Identity, Manager};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize, CustomResource, JsonSchema)]
#[kube(
    group = "shop.example.com",
    version = "v1",
    kind = "Cart",
    namespaced,
    status = "CartStatus"
)]
struct CartSpec {}

#[derive(Clone, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
struct CartStatus {
    reason: String,
}

async fn reconcile(cart: Arc<Cart>, context: Context<()>) -> Result<Action, Error> {
    let mut map = ConfigMap::default();
    map.metadata.name = Some(cart.name_any());
    map.metadata.namespace = cart.namespace();
    context.apply(&*cart, map).await?;
    report(&cart, &context, "Ready").await?;
    Ok(Action::await_change())
}

async fn report(cart: &Cart, context: &Context<()>, reason: &str) -> Result<(), Error> {
    let reason = reason.to_owned();
    context.report(cart, CartStatus { reason }).await.map(drop)
}

fn failed(_: &Cart, error: &Error) -> CartStatus {
    let reason = error.reason().to_owned();
    CartStatus { reason }
}

fn register(manager: &mut Manager<()>) {
    manager
        .controller(reconcile)
        .owns::<ConfigMap>()
        .on_failure(failed)
        .start();
}

fn api() -> FakeApi<()> {
    let api = FakeApi::new(Identity::new("shop-operator", "1.0.0"), (), register);
    api.install::<Cart>();
    let mut cart = Cart::new("web", CartSpec {});
    cart.metadata.namespace = Some("shop".to_owned());
    api.put(&cart);
    api
}

fn reason(api: &FakeApi<()>) -> Option<String> {
    let cart: Cart = api.get("web").expect("the object");
    cart.status.map(|status| status.reason)
}

/// Of a child, and of the object's own status.
const REFUSED: [&str; 2] = ["/configmaps/", "/status"];

#[tokio::test]
async fn a_transient_error_is_retried_and_not_reported() {
    for path in REFUSED {
        for code in [409, 429, 500] {
            let api = api();
            api.refuse_next("PATCH", path, code);
            let error = api.reconcile("web").await.unwrap_err();
            assert!(error.is_transient(), "{path}: {code}");
            assert_eq!(reason(&api), None, "{path}: {code}");
            api.reconcile("web").await.unwrap();
            assert_eq!(reason(&api).as_deref(), Some("Ready"), "{path}: {code}");
        }
    }
}

#[tokio::test]
async fn a_terminal_error_is_reported() {
    for path in REFUSED {
        let api = api();
        api.refuse_next("PATCH", path, 403);
        let error = api.reconcile("web").await.unwrap_err();
        assert!(!error.is_transient(), "{path}");
        assert_eq!(reason(&api).as_deref(), Some("Forbidden"), "{path}");
    }
}
