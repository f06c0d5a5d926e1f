//! Counts the pods of the cluster every ten seconds.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube::api::ListParams;
use kube::{Api, Client};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let pods: Api<Pod> = Api::all(client);
    loop {
        let found = pods.list(&ListParams::default()).await?;
        println!("There are {} pods in the cluster", found.items.len());
        tokio::time::sleep(Duration::from_secs(10)).await;
    }
}
