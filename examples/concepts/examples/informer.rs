//! Caches the pods of the cluster, and prints what changes.

use std::pin::pin;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::watcher::{Config, Event};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, ResourceExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?;
    let pods: Api<Pod> = Api::all(client);
    let (store, writer) = reflector::store();
    let events = watcher(pods, Config::default())
        .default_backoff()
        .reflect(writer);

    let mut events = pin!(events);
    while let Some(event) = events.next().await {
        let news = match event {
            Ok(Event::Init | Event::InitApply(_)) => continue,
            Ok(Event::InitDone) => "listed".to_owned(),
            Ok(Event::Apply(pod)) => format!("{} was added or changed", pod.name_any()),
            Ok(Event::Delete(pod)) => format!("{} was deleted", pod.name_any()),
            Err(error) => format!("retrying: {error}"),
        };
        println!("{news}; pods in the store: {}", store.len());
    }
    Ok(())
}
