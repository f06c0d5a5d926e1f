//! Watches.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures::Stream;
use futures::stream::unfold;
use hyper::body::{Bytes, Frame};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};

use super::ApiServer;
use super::failure::Failure;
use super::list::{expired, is_in, revision_of};
use super::notifier::Notifier;
use super::partial;
use super::request::ResourceRequest;
use super::resource::Resource;
use super::selector::Selector;
use super::state::State;
use super::store::{Change, Happened};

/// The interval of bookmarks, if the watch asks for them.
const BOOKMARKS: Duration = Duration::from_secs(60);

pub(super) struct Watch {
    resource: Arc<Resource>,
    namespace: String,
    selector: Selector,
    only_metadata: bool,
    has_bookmarks: bool,
    /// The events to send.
    pending: VecDeque<Value>,
    /// The revision up to which events were sent.
    seen: u64,
    ends_at: Option<Instant>,
    bookmark_at: Instant,
    notifier: Arc<Notifier>,
    /// The era in which the watch began.
    era: u64,
    is_over: bool,
}

impl State {
    /// Begins a watch.
    pub(super) fn watch(&self, request: &ResourceRequest) -> Result<Watch, Failure> {
        let query = &request.query;
        let (labels, fields) = (query.get("labelSelector"), query.get("fieldSelector"));
        let selector = Selector::parse(&request.resource, labels, fields)?;
        let has_bookmarks = query.is_set("allowWatchBookmarks");
        let sends_initial = query.is_set("sendInitialEvents");
        check(request)?;
        let revision = revision_of(request)?;
        let timeout = query
            .get("timeoutSeconds")
            .parse()
            .ok()
            .map(Duration::from_secs);
        let notifier = Arc::clone(&self.notifier);
        let era = notifier.era();
        let mut watch = Watch {
            resource: Arc::clone(&request.resource),
            namespace: request.namespace.clone(),
            selector,
            only_metadata: request.wants_metadata(),
            has_bookmarks,
            pending: VecDeque::new(),
            seen: self.store.revision(),
            ends_at: timeout
                .filter(|wait| !wait.is_zero())
                .map(|wait| Instant::now() + wait),
            bookmark_at: Instant::now() + BOOKMARKS,
            notifier,
            era,
            is_over: false,
        };
        let gets_all = match query.get("sendInitialEvents") {
            "" => matches!(revision, None | Some(0)),
            _ => sends_initial,
        };
        if gets_all {
            watch.send_all(self)?;
            if sends_initial {
                watch
                    .pending
                    .push_back(watch.bookmark(self.store.revision(), true));
            }
        } else if let Some(revision) = revision.filter(|revision| *revision > 0) {
            if revision < self.store.compacted() {
                let failure = expired(revision, self.store.compacted());
                watch
                    .pending
                    .push_back(json!({ "type": "ERROR", "object": failure.status() }));
                watch.is_over = true;
            }
            watch.seen = revision;
        }
        Ok(watch)
    }
}

/// Validates the parameters of a watch.
fn check(request: &ResourceRequest) -> Result<(), Failure> {
    let query = &request.query;
    let refuse = |field: &str, text: &str| {
        let message = format!("ListOptions.meta.k8s.io \"\" is invalid: {field}: {text}");
        let cause = json!({"reason": "FieldValueForbidden", "message": text, "field": field});
        let details = json!({"group": "meta.k8s.io", "kind": "ListOptions", "causes": [cause]});
        Err(Failure::new(422, "Invalid", message).with_details(details))
    };
    let (sends_initial, mode) = (
        query.get("sendInitialEvents"),
        query.get("resourceVersionMatch"),
    );
    if sends_initial.is_empty() && !mode.is_empty() {
        return refuse(
            "resourceVersionMatch",
            "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        );
    }
    if !sends_initial.is_empty() && mode != "NotOlderThan" {
        return refuse(
            "resourceVersionMatch",
            "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        );
    }
    Ok(())
}

impl Watch {
    fn send_all(&mut self, state: &State) -> Result<(), Failure> {
        let objects = state.store.list(&self.resource.storage(), &self.namespace);
        for (_, object) in objects.filter(|(_, object)| self.selector.matches(object)) {
            self.pending.push_back(self.event(state, "ADDED", object)?);
        }
        Ok(())
    }

    fn event(&self, state: &State, type_: &str, object: &Value) -> Result<Value, Failure> {
        let object = state.to_listed(&self.resource, object)?;
        let object = if self.only_metadata {
            partial::of(&object)
        } else {
            object.into_owned()
        };
        // Avoids another copy by `json!`.
        let fields = [("type", json!(type_)), ("object", object)];
        Ok(fields.into_iter().collect())
    }

    fn bookmark(&self, revision: u64, is_end_of_initial: bool) -> Value {
        let (api_version, kind) = if self.only_metadata {
            ("meta.k8s.io/v1".to_owned(), "PartialObjectMetadata")
        } else {
            (self.resource.api_version(), &*self.resource.kind)
        };
        let mut metadata = json!({ "resourceVersion": revision.to_string() });
        if is_end_of_initial {
            metadata["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        let mut object = json!({ "kind": kind, "apiVersion": api_version, "metadata": metadata });
        if self.resource.is_builtin && !self.only_metadata {
            object = super::decoded::bookmark(&self.resource, object);
        }
        json!({ "type": "BOOKMARK", "object": object })
    }

    /// The event of a change for this watch, which only selects some objects.
    ///
    /// # Errors
    /// If the conversion fails.
    fn seen_as(&self, state: &State, change: &Change) -> Result<Option<Value>, Failure> {
        if *change.storage != *self.resource.storage() || !is_in(&change.key, &self.namespace) {
            return Ok(None);
        }
        let matches = |object: &Value| self.selector.matches(object);
        let did = change
            .previous
            .as_ref()
            .is_some_and(|previous| matches(previous));
        let does = change.happened != Happened::Deleted && matches(&change.object);
        let event = |type_: &str, object: &Value| self.event(state, type_, object).map(Some);
        match (did, does, &change.previous) {
            (false, true, _) => event("ADDED", &change.object),
            (true, true, _) => event("MODIFIED", &change.object),
            (true, false, _) if change.happened == Happened::Deleted => {
                event("DELETED", &change.object)
            }
            (true, false, Some(previous)) => {
                // The object is no longer selected: the watch gets its last selected state.
                let mut last = self.event(state, "DELETED", previous)?;
                last["object"]["metadata"]["resourceVersion"] =
                    change.object["metadata"]["resourceVersion"].clone();
                Ok(Some(last))
            }
            (false, false, _) | (true, false, None) => Ok(None),
        }
    }

    /// Adds events for the changes since the last call.
    fn catch_up(&mut self, state: &State) {
        if state.notifier.era() != self.era {
            self.is_over = true;
            return;
        }
        for change in state.store.since(self.seen) {
            let Ok(event) = self.seen_as(state, change) else {
                // A real API server rebuilds the watch cache of this version.
                self.is_over = true;
                return;
            };
            self.pending.extend(event);
        }
        self.seen = self.seen.max(state.store.revision());
        // The watch ends with its CRD, or with a change of the version.
        self.is_over = !state.resources.serves(&self.resource);
    }

    /// Waits for the next event. `None` if the watch has ended.
    async fn next(&mut self, server: &ApiServer) -> Option<Value> {
        loop {
            if let Some(event) = self.pending.pop_front() {
                return Some(event);
            }
            if self.is_over {
                return None;
            }
            let notifier = Arc::clone(&self.notifier);
            let changed = notifier.changed();
            self.catch_up(&server.state());
            if !self.pending.is_empty() || self.is_over {
                continue;
            }
            let ends_at = self.ends_at.unwrap_or(self.bookmark_at + BOOKMARKS);
            tokio::select! {
                biased;
                () = changed => {}
                () = sleep_until(self.bookmark_at.min(ends_at)) => {
                    if Instant::now() >= ends_at && self.ends_at.is_some() {
                        return None;
                    }
                    self.bookmark_at = Instant::now() + BOOKMARKS;
                    if self.has_bookmarks {
                        return Some(self.bookmark(self.seen, false));
                    }
                }
            }
        }
    }

    /// The events as lines of JSON.
    pub(super) fn stream(
        self,
        server: ApiServer,
    ) -> impl Stream<Item = Result<Frame<Bytes>, Infallible>> {
        unfold((self, server), |(mut watch, server)| async move {
            let event = watch.next(&server).await?;
            // In the order of a real API server.
            let (type_, object) = (&event["type"], &event["object"]);
            let line = format!("{{\"type\":{type_},\"object\":{object}}}\n");
            let frame = Frame::data(Bytes::from(line));
            Some((Ok(frame), (watch, server)))
        })
    }
}
