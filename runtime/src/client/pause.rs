//! Pauses if the API server responds with 429 and a delay.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::future::BoxFuture;
use hyper::header::RETRY_AFTER;
use hyper::{Response, StatusCode};
use tokio::time::{Instant, Sleep, sleep_until};
use tower::{Layer, Service};
use tracing::debug;

/// The maximum pause. All requests wait, including those of watches, but the response may concern only one of them: an
/// eviction, a webhook, a flow of API priority and fairness. A failed request is retried later, as its own error says.
const LONGEST: Duration = Duration::from_secs(5);

/// Adds the pause to a client.
#[derive(Clone, Debug, Default)]
pub(super) struct PauseLayer;

impl<S> Layer<S> for PauseLayer {
    type Service = Pause<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Pause {
            inner,
            until: Arc::default(),
            sleep: None,
        }
    }
}

/// A client that pauses.
pub(super) struct Pause<S> {
    inner: S,
    until: Arc<Mutex<Option<Instant>>>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl<S, R, B> Service<R> for Pause<S>
where
    S: Service<R, Response = Response<B>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let until = self
            .until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(until) = until {
            self.sleep = Some(Box::pin(sleep_until(until)));
        }
        if let Some(sleep) = &mut self.sleep {
            ready!(sleep.as_mut().poll(context));
            self.sleep = None;
        }
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let (answer, until) = (self.inner.call(request), Arc::clone(&self.until));
        Box::pin(async move {
            let answer = answer.await?;
            if let Some(pause) = pause(&answer) {
                debug!(?pause, "the API server is busy");
                let until = &mut *until.lock().unwrap_or_else(PoisonError::into_inner);
                *until = (*until).max(Some(Instant::now() + pause));
            }
            Ok(answer)
        })
    }
}

/// The delay that a response asks for, if any.
fn pause<B>(answer: &Response<B>) -> Option<Duration> {
    if answer.status() != StatusCode::TOO_MANY_REQUESTS {
        return None;
    }
    let seconds = answer
        .headers()
        .get(RETRY_AFTER)?
        .to_str()
        .ok()?
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::FutureExt;
    use tower::{ServiceExt, service_fn};

    use super::*;

    async fn answer(seconds: &'static str) -> Result<Response<()>, Infallible> {
        let answer = Response::builder()
            .status(StatusCode::TOO_MANY_REQUESTS)
            .header(RETRY_AFTER, seconds);
        Ok(answer.body(()).expect("an answer"))
    }

    #[tokio::test]
    async fn after_a_busy_answer_the_next_request_waits() {
        let mut client = PauseLayer.layer(service_fn(answer));
        for seconds in ["", "soon", "0"] {
            let ready = client.ready().now_or_never().expect("no pause");
            let _ = ready.expect("a client").call(seconds).await;
        }
        let ready = client.ready().await.expect("a client");
        let _ = ready.call("5").await;
        assert!(client.ready().now_or_never().is_none());
    }

    #[tokio::test]
    async fn no_pause_is_long() {
        let answer = answer("3600").await.expect("an answer");
        assert_eq!(pause(&answer), Some(Duration::from_secs(5)));
        let other = Response::builder().status(503).header(RETRY_AFTER, "5");
        assert_eq!(pause(&other.body(()).expect("an answer")), None);
    }
}
