//! Reads a pod in three ways, and discovers the resources of the API server.

use anyhow::Context;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DynamicObject, GetParams, GroupVersionKind, Request};
use kube::{Api, Client, Discovery};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;

    // By path: the response is plain JSON.
    let path = Request::new("/api/v1/namespaces/default/pods");
    let request = path.get("web", &GetParams::default())?;
    let pod: Value = client.request(request).await?;
    println!("request: {}", pod["spec"]["containers"][0]["image"]);

    // By type: the type determines the path.
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    let spec = pods.get("web").await?.spec.context("a pod has a spec")?;
    println!("typed: {:?}", spec.containers[0].image);

    // Discovery: the resources that the API server serves.
    let discovery = Discovery::new(client.clone()).run_aggregated().await?;
    let kind = GroupVersionKind::gvk("", "v1", "Pod");
    let (resource, _) = discovery.resolve_gvk(&kind).context("no such kind")?;
    println!("discovery: {}", resource.plural);

    // Dynamically, for kinds that were not known at compile time.
    let pods: Api<DynamicObject> = Api::namespaced_with(client, "default", &resource);
    let pod = pods.get("web").await?;
    println!("dynamic: {}", pod.data["spec"]["containers"][0]["image"]);
    Ok(())
}
