//! Bodies of requests and responses.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::Response;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::http::Extensions;
use tokio::time::{Sleep, sleep};
use tokio_util::sync::WaitForCancellationFutureOwned;
use tower::BoxError;

use super::activity::Exchange;
use super::{Answer, PATIENCE};

/// The maximum part of a response that is sent at once: a response counts as sent when its last part is taken.
const PART: usize = 16 << 10;

/// Why the rest of a request is not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Cut {
    /// The body took too long.
    #[error("the request was not received within {PATIENCE:?}")]
    Slow,
    /// The connection was closed to make room for another one.
    #[error("there are too many connections")]
    NoRoom,
}

/// The body of a request, which must arrive in time.
pub(crate) struct Arriving {
    body: Incoming,
    exchange: Arc<Exchange>,
    late: Pin<Box<Sleep>>,
    close: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Arriving {
    pub(super) fn new(body: Incoming, exchange: Arc<Exchange>) -> Self {
        if body.is_end_stream() {
            exchange.arrived();
        }
        Self {
            body,
            late: Box::pin(sleep(PATIENCE)),
            close: Box::pin(exchange.close().cancelled_owned()),
            exchange,
        }
    }
}

impl Body for Arriving {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
            if frame.is_none() || this.body.is_end_stream() {
                this.exchange.arrived();
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let cut = if this.close.as_mut().poll(context).is_ready() {
            Cut::NoRoom
        } else if this.late.as_mut().poll(context).is_ready() {
            Cut::Slow
        } else {
            return Poll::Pending;
        };
        Poll::Ready(Some(Err(cut.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a response. The extensions of the response are kept until the last part is sent.
pub(super) struct Sent {
    rest: Bytes,
    _extensions: Extensions,
    _exchange: Arc<Exchange>,
}

/// Turns a response into one that can be sent.
pub(super) fn sent(mut answer: Answer, exchange: Arc<Exchange>) -> Response<Sent> {
    exchange.sending();
    let extensions = std::mem::take(answer.extensions_mut());
    answer.map(|text| Sent {
        rest: text.into(),
        _extensions: extensions,
        _exchange: exchange,
    })
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.rest.len().min(PART);
        let part = self.rest.split_to(length);
        let is_end = part.is_empty();
        Poll::Ready((!is_end).then(|| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
