//! A `CronJob` on a real API server, in each of its served versions.

use cronjob_api::batch::{v1, v2};

use kube::{Api, Client, Resource};
use serde_json::json;

use crate::support::{NAMESPACE, becomes, cluster, create, edit, sample};

#[tokio::test]
async fn v2_and_v1_are_one_object() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let hubs = api::<v1::CronJob>(&client);
    let spokes = api::<v2::CronJob>(&client);

    // Created in one version, read in the other.
    let object = sample("batch_v2_cronjob.yaml");
    let name = &create(&spokes, &object).await.unwrap();
    let hub = hubs.get(name).await.unwrap();
    let spoke = spokes.get(name).await.unwrap();
    assert_eq!(hub.spec, spoke.spec.into());

    // Changed in the storage version.
    let patch = json!({ "metadata": { "labels": { "changed": "yes" } } });
    edit(&hubs, name, patch).await;
    becomes(&spokes, name, "/metadata/labels/changed", "yes").await;
}

/// Returns the API of one version.
fn api<K>(client: &Client) -> Api<K>
where
    K: Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>,
{
    Api::namespaced(client.clone(), NAMESPACE)
}
