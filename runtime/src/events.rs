//! Publishes events about objects, for `kubectl describe`.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::debug;

use crate::error::in_full;

/// Number of events of a type that can be sent at once.
const BURST: u32 = 25;
const REFILL: Duration = Duration::from_secs(1);

/// The API server rejects longer notes.
const LONGEST_NOTE: usize = 1024;

/// Queues events, which are sent asynchronously and never delay a reconcile.
pub(crate) struct Events {
    sender: Sender<Message>,
    normal: Bucket,
    warnings: Bucket,
}

pub(crate) type Message = (Event, ObjectReference);

impl Events {
    /// Returns the queue and its receiver for [`publish`].
    pub(crate) fn new() -> (Self, Receiver<Message>) {
        let (sender, outbox) = channel(2 * BURST as usize);
        let events = Self {
            sender,
            normal: Bucket::default(),
            warnings: Bucket::default(),
        };
        (events, outbox)
    }

    /// Queues an event about an object and optionally a child. Drops some if there are too many, so
    /// that they do not double the load of the API server: the status has the important
    /// information.
    pub(crate) fn send(
        &self,
        type_: EventType,
        about: ObjectReference,
        child: Option<ObjectReference>,
        reason: &str,
        note: String,
    ) {
        let bucket = match type_ {
            EventType::Normal => &self.normal,
            EventType::Warning => &self.warnings,
        };
        if !bucket.take(Instant::now()) {
            return debug!(reason, note, "event dropped");
        }
        let event = Event {
            type_,
            reason: reason.to_owned(),
            note: Some(shortened(note)),
            action: "Reconcile".to_owned(),
            secondary: child,
        };
        // The queue is full if the API server is slow.
        if self.sender.try_send((event, about)).is_err() {
            debug!(reason, "event dropped");
        }
    }
}

/// Sends events until `stop` is cancelled and the queue is empty. Equal events are merged into one
/// with a count. None is interrupted, because it could arrive when another replica is the leader.
pub(crate) async fn publish(
    reporter: &str,
    client: Client,
    mut outbox: Receiver<Message>,
    stop: CancellationToken,
) {
    let recorder = Recorder::new(client, Reporter::from(reporter.to_owned()));
    loop {
        let message = tokio::select! {
            biased;
            message = outbox.recv() => message,
            () = stop.cancelled() => None,
        };
        let Some((event, about)) = message else {
            return;
        };
        if let Err(error) = recorder.publish(&event, &about).await {
            debug!(
                error = in_full(&error),
                reason = event.reason,
                "event not sent"
            );
        }
    }
}

fn shortened(mut note: String) -> String {
    let mut end = note.len().min(LONGEST_NOTE);
    while !note.is_char_boundary(end) {
        end -= 1;
    }
    note.truncate(end);
    note
}

/// Holds [`BURST`] tokens at most, and gets another one every [`REFILL`].
#[derive(Default)]
struct Bucket(Mutex<Option<(f64, Instant)>>);

impl Bucket {
    fn take(&self, now: Instant) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (tokens, since) = state.unwrap_or((f64::from(BURST), now));
        let gained = (now - since).as_secs_f64() / REFILL.as_secs_f64();
        let tokens = (tokens + gained).min(f64::from(BURST));
        let is_left = tokens >= 1.0;
        *state = Some((if is_left { tokens - 1.0 } else { tokens }, now));
        is_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_storm_is_thinned_out() {
        let bucket = Bucket::default();
        let start = Instant::now();
        let sent = (0..1000).filter(|_| bucket.take(start)).count();
        assert_eq!(sent, BURST as usize);
        assert!(bucket.take(start + REFILL));
        assert!(!bucket.take(start + REFILL));
    }

    #[test]
    fn long_notes_are_cut_between_characters() {
        let note = shortened("é".repeat(LONGEST_NOTE));
        assert_eq!(note.len(), LONGEST_NOTE);
        assert_eq!(
            shortened(format!("x{}", "é".repeat(LONGEST_NOTE))).len(),
            LONGEST_NOTE - 1
        );
        assert_eq!(shortened("short".to_owned()), "short");
    }
}
