//! Fills a cache from a watch.

use std::collections::HashSet;
use std::sync::Arc;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::core::error_boundary::InvalidObject;
use kube::runtime::events::EventType;
use kube::runtime::watcher::Event;
use tracing::error;

use super::Cache;
use crate::breakage::{Breakage, broken};
use crate::events::Events;
use crate::informer::{Follower, Raw, Sink, map};
use crate::key::Key;
use crate::kinds::{ChildKind, Reconciled};
use crate::synced::Synced;

/// Fills a cache from the watch of one namespace, or of all.
pub(crate) struct CacheSink<T> {
    pub(crate) cache: Arc<Cache<T>>,
    pub(crate) kind: ChildKind,
    pub(crate) namespace: Option<String>,
    /// The objects of a list that is not complete yet.
    pub(crate) listed: HashSet<Key>,
    /// Set when the first list is complete.
    pub(crate) synced: Synced,
    pub(crate) events: Arc<Events>,
}

impl<T: Reconciled> CacheSink<T> {
    pub(crate) fn take(&mut self, event: Event<Result<T, Box<InvalidObject>>>) {
        match event {
            Event::Init => self.listed.clear(),
            Event::InitApply(object) => {
                let key = self.keep(object, true);
                self.listed.insert(key);
            }
            Event::InitDone => {
                // Objects that are no longer listed were deleted while the watch was interrupted.
                let listed = std::mem::take(&mut self.listed);
                for key in self.cache.keys_in(self.namespace.as_deref()) {
                    if !listed.contains(&key) && !broken(Breakage::GhostsKept) {
                        self.cache.delete(&key);
                    }
                }
                self.synced.set();
            }
            Event::Apply(object) => {
                self.keep(object, false);
            }
            Event::Delete(object) => {
                let meta = object.as_ref().map_or_else(|bad| &bad.metadata, T::meta);
                let name = meta.name.as_deref().unwrap_or_default();
                let key = Key::new(meta.namespace.as_deref(), name);
                // The deletion event still shows the finalizer that was removed last.
                let is_held = meta
                    .finalizers
                    .as_ref()
                    .is_some_and(|list| !list.is_empty());
                if is_held && meta.deletion_timestamp.is_none() {
                    // The object was not deleted: it no longer matches the selector.
                    self.cache.leave(&key);
                } else {
                    self.cache.delete(&key);
                }
            }
        }
    }

    fn keep(&self, object: Result<T, Box<InvalidObject>>, listed: bool) -> Key {
        match object {
            Ok(mut object) => {
                // No reconcile needs them, and they take memory.
                object.meta_mut().managed_fields = None;
                self.kind.set_types(&mut object);
                let key = Key::of(&object);
                self.cache.apply(Arc::new(object), listed);
                key
            }
            Err(invalid) => {
                let InvalidObject { error, metadata } = *invalid;
                let name = metadata.name.as_deref().unwrap_or_default();
                let key = Key::new(metadata.namespace.as_deref(), name);
                if self.cache.cannot_read(&key, &error) {
                    let about = ObjectReference {
                        api_version: Some(self.kind.resource.api_version.clone()),
                        kind: Some(self.kind.resource.kind.clone()),
                        name: metadata.name.clone(),
                        namespace: metadata.namespace.clone(),
                        uid: metadata.uid.clone(),
                        ..ObjectReference::default()
                    };
                    let note = format!("ignored because it cannot be read: {error}");
                    self.events
                        .send(EventType::Warning, about, None, "Unreadable", note);
                    error!(
                        kind = &*self.kind.name,
                        object = %key,
                        error,
                        "ignored: the object does not match its Rust type, which may be newer than the object"
                    );
                }
                key
            }
        }
    }
}

impl<T: Reconciled> Follower for CacheSink<T> {
    fn has(&self, object: &Raw) -> bool {
        self.cache.has(&Key::of(object))
    }
}

impl<T: Reconciled> Sink for CacheSink<T> {
    fn seen(&mut self, event: Event<&Raw>) {
        let seen = match event {
            Event::Apply(raw) | Event::InitApply(raw) => Some(raw),
            _ => None,
        };
        self.take(map(event, Raw::read));
        if let Some(raw) = seen {
            self.cache.keep_conditions(Key::of(raw), raw.text());
        }
    }
}
