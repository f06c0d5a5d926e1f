//! The watch of one type of child.

use std::collections::HashSet;
use std::sync::Arc;

use futures::{Stream, StreamExt};
use kube::api::ApiResource;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event};
use kube::{Api, ResourceExt};
use tokio::sync::watch::{Receiver, channel};

use super::super::health::Streak;
use super::super::{Child, Context, Primary, Scope, watch};
use super::{Live, Watched};

/// Becomes true once all that there is has been listed.
pub type Ready = Receiver<bool>;

/// Watches the children of type `C` that this operator manages, and passes on each that something
/// happened to: with the owner of kind `K` that it had, where it has none any more.
pub fn watch<K: Primary, C: Child>(
    scope: &Scope,
    context: &Context,
    streak: Arc<Streak>,
) -> (
    impl Stream<Item = watcher::Result<Live>> + Send + use<K, C>,
    Ready,
) {
    let kind = ApiResource::erase::<C>(&());
    let client = watch::client(&context.client, &streak);
    let namespace = scope.namespace();
    let api = match namespace {
        Some(namespace) => Api::namespaced_with(client, namespace, &kind),
        None => Api::all_with(client, &kind),
    };
    let watched = Watched::new::<C>(namespace);
    let children = Arc::clone(&context.children);
    let (ready, is_ready) = channel(false);
    let mut listed = HashSet::new();
    let events =
        watch::events(api, scope.children(), watch::name::<C>(), streak).map(move |event| {
            let event = match event {
                Ok(event) => event,
                Err(error) => {
                    children.failed(&watched);
                    return Err(error);
                }
            };
            children.seen(&watched, &mut listed, &event);
            if matches!(event, Event::InitDone) {
                ready.send_replace(true);
            }
            Ok(event.modify(|child| {
                if let Some(owner) = children.former_owner(&watched, child) {
                    child.owner_references_mut().push(owner.reference::<K>());
                }
            }))
        });
    (events.touched_objects(), is_ready)
}
