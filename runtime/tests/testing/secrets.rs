//! Secrets that are applied with `stringData`.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt};
use rop_runtime::testing::FakeApi;
use rop_runtime::{Action, Context, Error, Identity, Manager};
use serde_json::json;

/// A Secret with the data of a map.
async fn reconcile(map: Arc<ConfigMap>, context: Context) -> Result<Action, Error> {
    let mut secret = Secret::default();
    secret.metadata.name = Some(map.name_any());
    secret.string_data.clone_from(&map.data);
    let applied = context.apply(&*map, secret).await?;
    assert!(applied.data.is_some(), "{applied:?}");
    Ok(Action::await_change())
}

fn register(manager: &mut Manager<()>) {
    manager.controller(reconcile).owns::<Secret>().start();
}

fn map(data: &[(&str, &str)]) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = Some("web".to_owned());
    map.metadata.namespace = Some("shop".to_owned());
    let owned = |&(key, text): &(&str, &str)| (key.to_owned(), text.to_owned());
    map.data = Some(data.iter().map(owned).collect());
    map
}

/// The texts of the Secret.
fn texts(api: &FakeApi<()>) -> Vec<(String, String)> {
    let data = api.get::<Secret>("web").and_then(|secret| secret.data);
    let text = |bytes| String::from_utf8(bytes).expect("a text");
    let all = data.unwrap_or_default().into_iter();
    all.map(|(key, value)| (key, text(value.0))).collect()
}

#[tokio::test]
async fn what_others_change_is_repaired_and_what_is_left_out_is_removed() {
    let api = FakeApi::new(Identity::new("example", "1.0.0"), (), register);
    api.put(&map(&[("host", "a"), ("user", "b")]));
    api.reconcile("web").await.unwrap();
    let pair = |key: &str, text: &str| (key.to_owned(), text.to_owned());
    assert_eq!(texts(&api), [pair("host", "a"), pair("user", "b")]);

    let secrets = Api::<Secret>::namespaced(api.client(), "shop");
    let patch = Patch::Merge(json!({ "stringData": { "host": "x" } }));
    let params = PatchParams::default();
    secrets.patch("web", &params, &patch).await.unwrap();
    api.reconcile("web").await.unwrap();
    assert_eq!(texts(&api), [pair("host", "a"), pair("user", "b")]);

    api.put(&map(&[("host", "a")]));
    api.reconcile("web").await.unwrap();
    assert_eq!(texts(&api), [pair("host", "a")]);
    assert!(!api.writes().is_empty());
    api.reconcile("web").await.unwrap();
    assert_eq!(api.writes(), [""; 0]);
}
