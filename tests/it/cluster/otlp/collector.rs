//! A collector of traces: OTLP over HTTP, as far as a test has to know it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, server};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::protobuf::{Field, fields};
use crate::support::net::{BoxError, local, runtime};

/// A span that came.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    /// The name of the service that sent it.
    pub(super) service: String,
    /// In hexadecimal digits, as in logs.
    pub(super) trace: String,
    /// The id of the span that it is a part of; empty where it is none's.
    pub(super) parent: String,
    pub(super) name: String,
    pub(super) attributes: BTreeMap<String, Value>,
}

/// A running collector. Dropping it ends it.
pub(super) struct Collector {
    address: SocketAddr,
    spans: Arc<Mutex<Vec<Span>>>,
    listener: JoinHandle<()>,
}

impl Collector {
    /// Starts one on a port of its own.
    pub(super) fn start() -> Self {
        let listener = runtime().block_on(TcpListener::bind(local(0)));
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let spans = Arc::default();
        let listener = runtime().spawn(listen(listener, Arc::clone(&spans)));
        Self {
            address,
            spans,
            listener,
        }
    }

    /// What `OTEL_EXPORTER_OTLP_ENDPOINT` says.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every span that has come.
    pub(super) fn spans(&self) -> Vec<Span> {
        let spans = self.spans.lock();
        spans.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn listen(listener: TcpListener, spans: Arc<Mutex<Vec<Span>>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let spans = Arc::clone(&spans);
        let service = service_fn(move |request| take(request, Arc::clone(&spans)));
        let connection =
            server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        tokio::spawn(connection);
    }
}

async fn take(
    request: Request<Incoming>,
    spans: Arc<Mutex<Vec<Span>>>,
) -> Result<Response<Full<Bytes>>, BoxError> {
    let is_traces = request.uri().path() == "/v1/traces";
    let body = request.into_body().collect().await?.to_bytes();
    let mut answer = Response::new(Full::default());
    match read(&body).filter(|_| is_traces) {
        Some(came) => {
            let mut spans = spans.lock().unwrap_or_else(PoisonError::into_inner);
            spans.extend(came);
        }
        None => *answer.status_mut() = hyper::StatusCode::BAD_REQUEST,
    }
    Ok(answer)
}

/// The spans of an `ExportTraceServiceRequest`.
fn read(request: &[u8]) -> Option<Vec<Span>> {
    let mut spans = Vec::new();
    for of_resource in messages(request, 1)? {
        let mut service = String::new();
        for resource in messages(of_resource, 1)? {
            let attributes = attributes(resource, 1)?;
            attributes
                .get("service.name")?
                .as_str()?
                .clone_into(&mut service);
        }
        for of_scope in messages(of_resource, 2)? {
            for span in messages(of_scope, 2)? {
                spans.push(Span {
                    service: service.clone(),
                    trace: hexadecimal(messages(span, 1)?.first()?),
                    parent: hexadecimal(messages(span, 4)?.first().copied().unwrap_or_default()),
                    name: text(messages(span, 5)?.first()?),
                    attributes: attributes(span, 9)?,
                });
            }
        }
    }
    Some(spans)
}

/// The values of a field that holds messages, texts or bytes.
fn messages(message: &[u8], number: u64) -> Option<Vec<&[u8]>> {
    let values = fields(message)?.into_iter();
    let values = values.filter(|(of, _)| *of == number);
    let values = values.map(|(_, field)| match field {
        Field::Bytes(bytes) => Some(bytes),
        Field::Number(_) => None,
    });
    values.collect()
}

/// The attributes that a field of a message holds, but for those that are neither texts nor whole
/// numbers.
fn attributes(message: &[u8], number: u64) -> Option<BTreeMap<String, Value>> {
    let mut found = BTreeMap::new();
    for attribute in messages(message, number)? {
        let key = text(messages(attribute, 1)?.first()?);
        let value = match fields(messages(attribute, 2)?.first()?)?[..] {
            [(1, Field::Bytes(value))] => json!(text(value)),
            [(3, Field::Number(value))] => json!(value),
            _ => continue,
        };
        found.insert(key, value);
    }
    Some(found)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
