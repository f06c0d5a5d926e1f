//! API servers that are slow, or stop responding.

use futures::channel::mpsc;
use futures::{FutureExt, StreamExt, stream};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Bytes;
use hyper::header::RETRY_AFTER;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, PostParams, WatchParams};
use kube::client::{Body, ClientBuilder};
use kube::{Api, Client};
use tower::service_fn;

use super::super::pause::PauseLayer;
use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// A client of an API server that waits before the headers, and before each part of the body.
fn client(headers: Duration, parts: &'static [(Duration, &'static str)]) -> Client {
    client_until(CancellationToken::new(), headers, parts)
}

/// A client whose process shuts down when a token is cancelled.
fn client_until(
    shutdown: CancellationToken,
    headers: Duration,
    parts: &'static [(Duration, &'static str)],
) -> Client {
    let server = service_fn(move |_: Request<Body>| async move {
        sleep(headers).await;
        let parts = stream::iter(parts).then(async |(wait, part)| {
            sleep(*wait).await;
            Ok::<_, BoxError>(Frame::data(Bytes::from_static(part.as_bytes())))
        });
        Ok::<_, BoxError>(Response::new(BodyExt::boxed_unsync(StreamBody::new(parts))))
    });
    ClientBuilder::new(server, "default")
        .with_layer(&LimitLayer {
            writes: LIMIT_OF_WRITES,
            shutdown,
        })
        .build()
}

fn api(client: Client) -> Api<ConfigMap> {
    Api::default_namespaced(client)
}

#[tokio::test(start_paused = true)]
async fn requests_of_all_kinds_end_without_an_answer() {
    let api = api(client(Duration::MAX, &[]));
    let start = Instant::now();
    let error = api.list(&ListParams::default()).await.unwrap_err();
    assert_eq!(start.elapsed(), LIMIT);
    assert_eq!(
        error.to_string(),
        "ServiceError: the API server did not answer `GET /api/v1/namespaces/default/configmaps` within 20s"
    );
    let start = Instant::now();
    let (params, object) = (PostParams::default(), ConfigMap::default());
    let error = api.create(&params, &object).await.unwrap_err().to_string();
    assert!(
        error.contains("`POST /api/v1/namespaces/default/configmaps`"),
        "{error}"
    );
    assert!(error.ends_with("within 40s"), "{error}");
    assert!(api.watch(&WatchParams::default(), "1").await.is_err());
    assert_eq!(start.elapsed(), LIMIT_OF_WRITES + LIMIT);
}

#[tokio::test(start_paused = true)]
async fn a_webhook_may_take_its_time_in_a_write() {
    const WEBHOOK: Duration = Duration::from_secs(30);
    let api = api(client(WEBHOOK, &[(SECOND, r#"{"metadata":{"name":"a"}}"#)]));
    let (params, object) = (PostParams::default(), ConfigMap::default());
    api.create(&params, &object).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_stops_is_given_up() {
    let api = api(client(
        SECOND,
        &[(SECOND, r#"{"items":"#), (Duration::MAX, "[]}")],
    ));
    let start = Instant::now();
    let error = api
        .list(&ListParams::default())
        .await
        .unwrap_err()
        .to_string();
    assert_eq!(start.elapsed(), 2 * SECOND + LIMIT);
    let named =
        "the response of the API server to `GET /api/v1/namespaces/default/configmaps` stalled";
    assert!(error.contains(named), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_waits_less() {
    let shutdown = CancellationToken::new();
    let parts = &[(Duration::MAX, "[]")];
    let silent = api(client_until(shutdown.clone(), Duration::MAX, &[]));
    let stops = api(client_until(shutdown.clone(), Duration::ZERO, parts));
    let start = Instant::now();
    let stop = async {
        sleep(SECOND).await;
        shutdown.cancel();
    };
    let params = ListParams::default();
    let (silent_error, stops_error, ()) =
        futures::join!(silent.list(&params), stops.list(&params), stop);
    assert_eq!(start.elapsed(), SECOND + LIMIT_IN_SHUTDOWN);
    for error in [silent_error.unwrap_err(), stops_error.unwrap_err()] {
        let error = error.to_string();
        assert!(error.ends_with("5s, in the shutdown"), "{error}");
    }
    // Requests that are sent during the shutdown, too.
    assert!(silent.list(&params).await.is_err());
    assert_eq!(start.elapsed(), SECOND + 2 * LIMIT_IN_SHUTDOWN);
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_be_slow_in_total() {
    const PAUSE: Duration = Duration::from_secs(19);
    let parts = &[(PAUSE, r#"{"items":"#), (PAUSE, "["), (PAUSE, "]}")];
    let start = Instant::now();
    let list = api(client(PAUSE, parts)).list(&ListParams::default()).await;
    assert!(list.unwrap().items.is_empty());
    assert_eq!(start.elapsed(), 4 * PAUSE);
}

#[tokio::test(start_paused = true)]
async fn a_watch_may_be_silent() {
    const EVENT: &str = r#"{"type":"ADDED","object":{"metadata":{"name":"a"}}}
"#;
    const PARTS: &[(Duration, &str)] = &[(Duration::from_secs(290), EVENT)];
    let api = api(client(SECOND, PARTS));
    let mut events = api
        .watch(&WatchParams::default(), "1")
        .await
        .unwrap()
        .boxed();
    assert!(events.next().await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_reader_may_be_slow() {
    let (parts, received) = mpsc::unbounded();
    let mut body = LimitedBody {
        inner: StreamBody::new(received),
        limited: Some((
            RequestLine {
                method: Method::GET,
                uri: Uri::from_static("/"),
            },
            CancellationToken::new(),
        )),
        wait: None,
    };
    assert!(body.frame().now_or_never().is_none());
    let part = Frame::data(Bytes::from_static(b"a"));
    parts.unbounded_send(Ok::<_, BoxError>(part)).unwrap();
    tokio::time::advance(2 * LIMIT).await;
    assert!(body.frame().await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_pause_of_a_busy_api_server_does_not_count() {
    const SLOW: Duration = Duration::from_secs(20);
    let server = service_fn(async |_: Request<Body>| {
        sleep(SLOW).await;
        let answer = Response::builder().status(429).header(RETRY_AFTER, "5");
        Ok::<_, BoxError>(answer.body(Body::empty())?)
    });
    let client = ClientBuilder::new(server, "default")
        .with_layer(&LimitLayer {
            writes: LIMIT_OF_WRITES,
            shutdown: CancellationToken::new(),
        })
        .with_layer(&PauseLayer)
        .build();
    let start = Instant::now();
    for _ in 0..2 {
        let error = api(client.clone())
            .list(&ListParams::default())
            .await
            .unwrap_err();
        assert!(
            matches!(&error, kube::Error::Api(answer) if answer.code == 429),
            "{error}"
        );
    }
    assert_eq!(start.elapsed(), 2 * SLOW + Duration::from_secs(5));
}

/// What answers a request is polled with it.
#[tokio::test(start_paused = true)]
async fn a_request_that_nobody_polls_has_its_time_after_that() {
    let server = service_fn(async |_: Request<Body>| {
        sleep(SECOND).await;
        sleep(SECOND).await;
        Ok::<_, BoxError>(Response::new(Body::empty()))
    });
    let layer = LimitLayer {
        writes: LIMIT_OF_WRITES,
        shutdown: CancellationToken::new(),
    };
    let mut client = layer.layer(server);
    let mut answer = client.call(Request::new(Body::empty()));
    assert!((&mut answer).now_or_never().is_none());
    tokio::time::advance(LIMIT * 2).await;
    assert!(answer.await.is_ok());
}
