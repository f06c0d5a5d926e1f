//! Reads one pod in three ways, and asks what else there is to read.

use anyhow::Context;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{DynamicObject, GetParams, GroupVersionKind, Request};
use kube::{Api, Client, Discovery};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;

    // By its path. The answer is whatever JSON comes.
    let path = Request::new("/api/v1/namespaces/default/pods");
    let request = path.get("web", &GetParams::default())?;
    let pod: Value = client.request(request).await?;
    println!("request: {}", pod["spec"]["containers"][0]["image"]);

    // By its type, which knows the path.
    let pods: Api<Pod> = Api::namespaced(client.clone(), "default");
    let spec = pods.get("web").await?.spec.context("a pod has a spec")?;
    println!("typed: {:?}", spec.containers[0].image);

    // What the API server has, and where.
    let discovery = Discovery::new(client.clone()).run_aggregated().await?;
    let kind = GroupVersionKind::gvk("", "v1", "Pod");
    let (resource, _) = discovery.resolve_gvk(&kind).context("no such kind")?;
    println!("discovery: {}", resource.plural);

    // By what was found, for kinds that nobody knew when this was compiled.
    let pods: Api<DynamicObject> = Api::namespaced_with(client, "default", &resource);
    let pod = pods.get("web").await?;
    println!("dynamic: {}", pod.data["spec"]["containers"][0]["image"]);
    Ok(())
}
