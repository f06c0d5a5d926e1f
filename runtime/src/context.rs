//! What every reconcile gets beside its object.

use std::sync::Arc;

use kube::runtime::events::EventType;
use kube::{Client, Resource};
use tokio::sync::mpsc::Receiver;

use super::children::Children;
use super::events::{Events, Message};
use super::own_writes::OwnWrites;

/// What every reconcile gets beside its object. How it writes is in `apply` and `remove`.
pub struct Context {
    /// The connection to the API server. What is written through it needs the lease, where there is
    /// an election.
    pub client: Client,
    pub(super) children: Arc<Children>,
    pub(super) events: Events,
    pub(super) own_writes: OwnWrites,
}

impl Context {
    /// A context that knows of no child yet, and where its events come out.
    #[must_use]
    pub fn new(client: Client) -> (Self, Receiver<Message>) {
        let (events, outbox) = Events::new();
        let context = Self {
            client,
            children: Arc::default(),
            events,
            own_writes: OwnWrites::default(),
        };
        (context, outbox)
    }

    /// The namespace of an object's children: its own, or the operator's for a cluster-scoped object.
    #[must_use]
    pub fn namespace<'a>(&'a self, object: &'a impl Resource) -> &'a str {
        let own = object.meta().namespace.as_deref();
        own.unwrap_or_else(|| self.client.default_namespace())
    }

    /// Tells who looks at an object (`kubectl describe`) that something happened. `reason` is one word
    /// in CamelCase, `note` a sentence.
    pub fn event<K>(&self, object: &K, type_: EventType, reason: &str, note: impl Into<String>)
    where
        K: Resource<DynamicType = ()>,
    {
        let about = object.object_ref(&());
        self.events.send(type_, about, None, reason, note.into());
    }
}
