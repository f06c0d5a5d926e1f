//! The events of a watch on their way, one JSON document in a line each.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming};
use tokio::sync::mpsc;
use tokio::sync::watch::Receiver;

use super::{Fault, Request, Shared};
use crate::support::net::BoxError;

const EXPIRED: &[u8] = br#"{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version","reason":"Expired","code":410}}
"#;

/// Passes the events of a watch on as they come, until it is cut.
pub(super) fn relay(
    shared: Arc<Shared>,
    request: Request,
    from: Incoming,
    cut: Receiver<()>,
) -> Events {
    let (to, events) = mpsc::channel(1);
    tokio::spawn(async move {
        if let Err(error) = pass_on(&shared, &request, from, cut, &to).await {
            // Whoever waits for events sees the connection reset, or is gone.
            let _ = to.send(Err(error)).await;
        }
    });
    Events(events)
}

async fn pass_on(
    shared: &Shared,
    request: &Request,
    mut from: Incoming,
    mut cut: Receiver<()>,
    to: &mpsc::Sender<Result<Bytes, BoxError>>,
) -> Result<(), BoxError> {
    let mut text = Vec::new();
    loop {
        let frame = tokio::select! {
            frame = from.frame() => frame,
            _ = cut.changed() => return Err("cut".into()),
            () = to.closed() => return Ok(()),
        };
        let Some(frame) = frame else { return Ok(()) };
        text.extend_from_slice(&frame?.into_data().unwrap_or_default());
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let event = Bytes::from_owner(text.drain(..=end).collect::<Vec<_>>());
            // A bookmark only says how far the watch is.
            let fault = if event.starts_with(br#"{"type":"BOOKMARK""#) {
                None
            } else {
                shared.fault(request, true)
            };
            if let Some((rule, _)) = &fault {
                rule.happened();
            }
            match fault.map(|(_, fault)| fault) {
                Some(Fault::Expired) => {
                    to.send(Ok(Bytes::from_static(EXPIRED))).await?;
                    return Ok(());
                }
                Some(Fault::Torn) => {
                    to.send(Ok(event.slice(..event.len() / 2))).await?;
                    return Err("cut".into());
                }
                Some(Fault::Twice) => to.send(Ok(event.clone())).await?,
                Some(Fault::Late(time)) => tokio::time::sleep(time).await,
                _ => {}
            }
            to.send(Ok(event)).await?;
        }
    }
}

/// The body of a watch's answer.
pub(super) struct Events(mpsc::Receiver<Result<Bytes, BoxError>>);

impl Body for Events {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let event = self.0.poll_recv(context);
        event.map(|event| event.map(|event| event.map(Frame::data)))
    }
}
