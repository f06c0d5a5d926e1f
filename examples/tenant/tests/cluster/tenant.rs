//! A `Tenant` on a real API server.

use tenant_operator_api::platform::v1::Tenant;

use k8s_openapi::api::core::v1::{Namespace, Secret};
use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::api::{DeleteParams, PostParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::support::{NAMESPACE, becomes, cluster, create, create_invalid, edit, sample};

const READY: &str = "/status/conditions/0/status";
const REASON: &str = "/status/conditions/0/reason";
const CONFIG: &str = "/data/.dockerconfigjson";

/// Returns the sample with this account and Secret.
fn fixture(account: &str, secret: &str) -> Tenant {
    let mut object: Tenant = sample("platform_v1_tenant.yaml");
    object.spec.account = account.to_owned();
    object.spec.pull_secret.name = secret.to_owned();
    object
}

fn objects(client: kube::Client) -> Api<Tenant> {
    Api::all(client)
}

#[tokio::test]
async fn each_environment_follows_the_spec() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let sources: Api<Secret> = Api::namespaced(client.clone(), NAMESPACE);
    let objects = objects(client.clone());

    // Created, before the Secret.
    let name = &create(&objects, &fixture("acme-1", "late")).await.unwrap();
    becomes(&objects, name, REASON, "SecretMissing").await;
    let bindings: Api<RoleBinding> = Api::namespaced(client.clone(), &format!("{name}-dev"));
    becomes(&bindings, "tenant", "/subjects/0/name", "shop-team").await;
    let mut source: Secret = sample("registry.yaml");
    source.metadata.name = Some("late".to_owned());
    let shared = "platform.example.com/shared".to_owned();
    source.labels_mut().insert(shared, "true".to_owned());
    sources
        .create(&PostParams::default(), &source)
        .await
        .unwrap();
    becomes(&objects, name, READY, "True").await;

    // The Secret is rotated.
    let copies: Api<Secret> = Api::namespaced(client, &format!("{name}-prod"));
    becomes(&copies, "registry", CONFIG, "eyJhdXRocyI6e319").await;
    let data = json!({ ".dockerconfigjson": "e30=" });
    edit(&sources, "late", json!({ "data": data })).await;
    becomes(&copies, "registry", CONFIG, "e30=").await;

    // An environment is removed. There is no namespace controller here, so its namespace stays in Terminating.
    let spec = json!({ "environments": [{ "name": "prod" }] });
    edit(&objects, name, json!({ "spec": spec })).await;
    let dev = &format!("{name}-dev");
    becomes(&namespaces, dev, "/status/phase", "Terminating").await;
    becomes(&objects, name, "/status/observedGeneration", 2).await;

    // Deleted.
    objects
        .delete(name, &DeleteParams::default())
        .await
        .unwrap();
    becomes(&objects, name, "/metadata/name", Value::Null).await;
}

#[tokio::test]
async fn an_account_pays_for_one_tenant() {
    let Some(cluster) = cluster() else { return };
    let objects = objects(cluster.client().await);
    let object = fixture("acme-2", "registry");
    let name = &create(&objects, &object).await.unwrap();
    // From now on, the cache of the webhook contains it.
    becomes(
        &objects,
        name,
        "/metadata/finalizers/0",
        "platform.example.com/cleanup",
    )
    .await;
    create_invalid(&objects, &object).await;
}
