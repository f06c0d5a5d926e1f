//! The `plan` controller of `Tenant` on a real API server.

use tenant_operator_api::platform::v1::Tenant;

use k8s_openapi::api::core::v1::ResourceQuota;
use kube::Api;
use serde_json::json;

use crate::support::{becomes, cluster, create, edit, sample};

#[tokio::test]
async fn the_plan_sets_the_cpus_and_the_spec_the_pods() {
    let Some(cluster) = cluster() else { return };
    let client = cluster.client().await;
    let objects: Api<Tenant> = Api::all(client.clone());
    let mut object: Tenant = sample("platform_v1_tenant.yaml");
    object.spec.account = "acme-plan".to_owned();
    let name = &create(&objects, &object).await.unwrap();
    let quotas: Api<ResourceQuota> = Api::namespaced(client, &format!("{name}-dev"));
    becomes(&quotas, "tenant", "/spec/hard/requests.cpu", "4").await;
    becomes(&quotas, "tenant", "/spec/hard/pods", "20").await;

    let spec = json!({ "hard": { "pods": "1", "requests.cpu": "1" } });
    edit(&quotas, "tenant", json!({ "spec": spec })).await;
    becomes(&quotas, "tenant", "/spec/hard/requests.cpu", "4").await;
    becomes(&quotas, "tenant", "/spec/hard/pods", "20").await;
}
