//! The response to a watch: in order, but delayed, and sometimes truncated.

use std::io;
use std::time::Duration;

use futures::stream;
use http_body::{Body, Frame};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Bytes;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};
use tower::BoxError;

use super::body::AnswerBody;
use super::fate::Fates;
use crate::simulation::process::outside;
use crate::simulation::world::World;

type Parts = UnboundedSender<(Instant, io::Result<Bytes>)>;

/// The stream of a watch as the process receives it.
pub(super) fn delivered<B>(world: World, process: &str, body: B) -> AnswerBody
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    let (sender, parts) = unbounded_channel();
    let name = process.to_owned();
    let breaks_at = world
        .fates(Fates::watch_breaks)
        .map(|after| Instant::now() + after);
    outside(async move { pump(&world, &name, body, breaks_at, sender).await });
    let stream = stream::unfold(parts, async |mut parts| {
        let (at, part): (Instant, io::Result<Bytes>) = parts.recv().await?;
        sleep_until(at).await;
        Some((part.map(Frame::data).map_err(BoxError::from), parts))
    });
    StreamBody::new(Box::pin(stream)).boxed_unsync()
}

/// Reads the events of the API server, and delays them.
async fn pump<B>(
    world: &World,
    process: &str,
    mut body: B,
    breaks_at: Option<Instant>,
    parts: Parts,
) where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    let mut last = Instant::now();
    let mut is_silent = false;
    let never = Duration::from_secs(86_400);
    loop {
        let breaks = sleep_until(breaks_at.unwrap_or_else(|| Instant::now() + never));
        let frame = tokio::select! {
            biased;
            () = parts.closed() => return,
            () = breaks => {
                let _ = parts.send((last.max(Instant::now()), Err(io::ErrorKind::ConnectionReset.into())));
                return;
            }
            frame = body.frame() => frame,
        };
        let Some(frame) = frame else { return };
        let Some(part) = frame.ok().and_then(|frame| frame.into_data().ok()) else {
            continue;
        };
        is_silent |= world.fates(Fates::goes_silent);
        if is_silent {
            // Until it times out.
            continue;
        }
        if let Some(until) = world.cut_off_until(process) {
            let _ = parts.send((until, Err(io::ErrorKind::ConnectionReset.into())));
            return;
        }
        let late = world.fates(Fates::event_late);
        last = last.max(Instant::now() + late);
        if parts.send((last, Ok(part))).is_err() {
            return;
        }
    }
}
