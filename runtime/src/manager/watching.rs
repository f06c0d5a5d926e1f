//! A watch before it starts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Client;

use super::RunsOn;
use crate::health::Failures;
#[cfg(any(test, feature = "testing"))]
use crate::informer::{Feed, Raw};
use crate::informer::{Informer, Selection, Sink, subscribers};
use crate::kinds::ChildKind;

/// Whether every replica watches, and not only the leader.
pub(super) type Everywhere = Arc<AtomicBool>;

/// A watch before it starts.
pub(super) struct Watching {
    kind: ChildKind,
    namespace: Option<String>,
    selection: Selection,
    wanted: Vec<(Selection, Box<dyn Sink>)>,
    everywhere: Vec<Everywhere>,
}

impl Watching {
    /// Creates the watch of a kind in a namespace, or in all, for one sink.
    pub(super) fn new(
        kind: &ChildKind,
        namespace: Option<String>,
        selection: Selection,
        sink: Box<dyn Sink>,
        everywhere: &Everywhere,
    ) -> Self {
        Self {
            kind: kind.clone(),
            namespace,
            selection: selection.clone(),
            wanted: vec![(selection, sink)],
            everywhere: vec![Arc::clone(everywhere)],
        }
    }

    pub(super) fn runs_on(&self) -> RunsOn {
        let everywhere = self.everywhere.iter();
        if everywhere.clone().any(|flag| flag.load(Ordering::Relaxed)) {
            RunsOn::EveryReplica
        } else {
            RunsOn::Leader
        }
    }

    /// Whether this watch delivers everything that `other` needs.
    fn covers(&self, other: &Self) -> bool {
        self.kind.name == other.kind.name
            && self.kind.resource.version == other.kind.resource.version
            && self.namespace == other.namespace
            && self.selection.covers(&other.selection)
    }

    /// Its name in reports.
    pub(super) fn name(&self) -> String {
        let kind = &self.kind.name;
        match &self.namespace {
            Some(namespace) => format!("{kind} in {namespace}"),
            None => kind.to_string(),
        }
    }

    pub(super) fn run(self, client: Client, failures: Arc<Failures>) -> BoxFuture<'static, ()> {
        let informer = Informer {
            name: self.name(),
            kind: Arc::clone(&self.kind.name),
            selection: self.selection.clone(),
            failures,
        };
        let (kind, namespace) = (self.kind, self.namespace);
        let sink = subscribers(&self.selection, self.wanted);
        let api = move |client| kind.api(client, namespace.as_deref());
        informer.run(client, api, sink).boxed()
    }

    /// The same watch, driven by a test.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn feed(self, client: &Client) -> Feed {
        let namespace = self.namespace.as_deref();
        let api: kube::Api<Raw> = self.kind.api(client.clone(), namespace);
        let sink = subscribers(&self.selection, self.wanted);
        Feed::new(api.resource_url().to_owned(), &self.selection, sink)
    }
}

/// The fewest watches that deliver the same.
pub(super) fn shared(wanted: Vec<Watching>) -> Vec<Watching> {
    let mut shared: Vec<Watching> = Vec::new();
    for mut next in wanted {
        if let Some(wider) = shared.iter_mut().find(|known| known.covers(&next)) {
            wider.wanted.append(&mut next.wanted);
            wider.everywhere.append(&mut next.everywhere);
            continue;
        }
        let (narrower, rest): (Vec<_>, _) =
            shared.into_iter().partition(|known| next.covers(known));
        shared = rest;
        for mut known in narrower {
            next.wanted.append(&mut known.wanted);
            next.everywhere.append(&mut known.everywhere);
        }
        shared.push(next);
    }
    shared
}
