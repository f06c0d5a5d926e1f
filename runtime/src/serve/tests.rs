//! Clients that are slow, silent or send garbage, next to a correct client.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use futures::future::join_all;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::{Body, Bytes};
use hyper::client::conn::{http1, http2};
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::connections::CONNECTIONS;
use super::{Answer, IDLE, PATIENCE, listen, serve, text};
use crate::certificate::Certificate;
use crate::certificate::tests::{Folder, Pair, connect, connect_with};

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const LAST_REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
/// A request whose response takes half of [`PATIENCE`].
const SLOW_REQUEST: &[u8] = b"GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/// A request whose body never ends.
const ENDLESS: &[u8] = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1";
/// The size of a response that exceeds the buffers of the system.
const LARGE: usize = 16 << 20;

struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

fn start(certificate: Option<&Certificate>) -> Server {
    let listener = listen((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let tls = certificate.map(Certificate::acceptor);
    let task = tokio::spawn(serve(listener, tls, IDLE, hello, stop.clone()));
    Server {
        address,
        stop,
        task,
    }
}

async fn hello<B: Body<Data: Send, Error: std::fmt::Debug>>(request: Request<B>) -> Answer {
    let path = request.uri().path().to_owned();
    let Ok(body) = request.into_body().collect().await else {
        return text(StatusCode::REQUEST_TIMEOUT, "slow");
    };
    match &*path {
        "/slow" => sleep(PATIENCE / 2).await,
        "/large" => return text(StatusCode::OK, "x".repeat(LARGE)),
        _ => drop(body),
    }
    text(StatusCode::OK, "hello")
}

/// Sends bytes, and reads until the server closes the connection.
fn send(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    // Bytes that the server does not read cause an error.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_silent_client_does_not_hold_up_others() {
    let (folder, pair) = (Folder::new("silent"), Pair::new());
    folder.write(&pair, &pair);
    let certificate = Certificate::load(Some(folder.files())).unwrap();
    let server = start(Some(&certificate));
    let silent = silent(server.address, CONNECTIONS - 1).await;
    let start = Instant::now();
    assert!(connect(server.address, &pair.der).await.is_ok());
    assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
    drop(silent);
}

#[tokio::test]
async fn slow_headers_and_nonsense_are_cut_off() {
    let server = start(None);
    for bytes in [
        b"GET / HTTP/1.1\r\nHost:".as_slice(),
        b"\x16\x03\x01 hello",
        REQUEST,
    ] {
        let (start, address) = (Instant::now(), server.address);
        let answer = spawn_blocking(move || send(address, bytes)).await.unwrap();
        assert_eq!(
            answer.starts_with("HTTP/1.1 200"),
            bytes == REQUEST,
            "{answer}"
        );
        assert!(start.elapsed() < PATIENCE * 3, "{:?}", start.elapsed());
    }
}

/// Connections that send nothing.
async fn silent(address: SocketAddr, count: usize) -> Vec<TcpStream> {
    let connect = move |_| TcpStream::connect(address).unwrap();
    let silent = spawn_blocking(move || (0..count).map(connect).collect());
    silent.await.unwrap()
}

/// Connections that have each sent these bytes.
async fn opened(address: SocketAddr, count: usize, sent: &'static [u8]) -> Vec<TcpStream> {
    let mut open = silent(address, count).await;
    for stream in &mut open {
        stream.write_all(sent).unwrap();
    }
    open
}

/// Sends a request on its own connection, and returns how long the response took.
async fn probe(address: SocketAddr) -> Duration {
    let start = Instant::now();
    let answer = spawn_blocking(move || send(address, LAST_REQUEST))
        .await
        .unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    start.elapsed()
}

#[tokio::test]
async fn a_probe_is_answered_at_once_beside_silent_connections() {
    for count in [CONNECTIONS, 1_000] {
        let server = start(None);
        let silent = silent(server.address, count).await;
        let took = probe(server.address).await;
        assert!(took < PATIENCE, "{count}: {took:?}");
        drop(silent);
    }
}

#[tokio::test]
async fn a_probe_is_answered_at_once_beside_idle_connections() {
    let server = start(None);
    let address = server.address;
    let idle = spawn_blocking(move || {
        let connect = |_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(REQUEST).unwrap();
            let _ = stream.read(&mut [0; 256]).unwrap();
            stream
        };
        (0..CONNECTIONS).map(connect).collect::<Vec<_>>()
    })
    .await
    .unwrap();
    let took = probe(address).await;
    assert!(took < PATIENCE / 4, "{took:?}");
    drop(idle);
}

#[tokio::test]
async fn an_answer_under_way_is_not_given_up_for_another() {
    let server = start(None);
    let address = server.address;
    let ask = |_| spawn_blocking(move || send(address, SLOW_REQUEST));
    let busy: Vec<_> = (0..CONNECTIONS).map(ask).collect();
    sleep(PATIENCE / 4).await;
    let took = probe(address).await;
    assert!(took < PATIENCE / 2, "{took:?}");
    for answer in busy {
        assert!(answer.await.unwrap().starts_with("HTTP/1.1 200"));
    }
}

// Other systems have only one loopback address.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_flood_closes_connections_of_its_own_address() {
    let server = start(None);
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let mut other = socket
        .connect(server.address)
        .await
        .unwrap()
        .into_std()
        .unwrap();
    other.set_nonblocking(false).unwrap();
    let flood = silent(server.address, CONNECTIONS * 4).await;
    probe(server.address).await;
    let answer = spawn_blocking(move || {
        other.write_all(REQUEST).unwrap();
        let mut answer = [0; 256];
        let length = other.read(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    })
    .await
    .unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop(flood);
}

#[tokio::test]
async fn open_connections_do_not_hold_up_the_shutdown() {
    let server = start(None);
    let mut idle = TcpStream::connect(server.address).unwrap();
    idle.write_all(REQUEST).unwrap();
    idle.set_nonblocking(true).unwrap();
    while idle.peek(&mut [0]).is_err() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let start = Instant::now();
    server.stop.cancel();
    server.task.await.unwrap();
    assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
    let _ = idle.shutdown(Shutdown::Both);
}

#[tokio::test]
async fn bodies_that_never_end_keep_nobody_out() {
    for count in [200, CONNECTIONS * 2] {
        let server = start(None);
        let endless = opened(server.address, count, ENDLESS).await;
        let took = probe(server.address).await;
        assert!(took < PATIENCE, "{count}: {took:?}");
        drop(endless);
    }
}

#[tokio::test]
async fn a_body_has_a_time_limit() {
    let server = start(None);
    let (start, address) = (Instant::now(), server.address);
    let answer = spawn_blocking(move || send(address, ENDLESS))
        .await
        .unwrap();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(start.elapsed() < PATIENCE * 2, "{:?}", start.elapsed());
}

/// Many clients that reuse their connections.
#[tokio::test]
async fn connections_in_use_are_not_closed() {
    let server = start(None);
    let mut senders = Vec::new();
    for _ in 0..200 {
        let stream = tokio::net::TcpStream::connect(server.address)
            .await
            .unwrap();
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        senders.push(sender);
    }
    for round in 0..5 {
        for sender in &mut senders {
            sender.ready().await.unwrap();
            let request = Request::get("/")
                .header("host", "a")
                .body(Empty::<Bytes>::new())
                .unwrap();
            let answer = sender.send_request(request).await;
            assert_eq!(answer.unwrap().status(), StatusCode::OK, "{round}");
        }
    }
}

/// Next to a flood of connections of the same client, which reads slowly.
#[tokio::test]
async fn a_large_answer_is_sent_whole() {
    let server = start(None);
    let address = server.address;
    let large = spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        let request = b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        stream.write_all(request).unwrap();
        let mut answer = vec![0; 1 << 10];
        stream.read_exact(&mut answer).unwrap();
        std::thread::sleep(PATIENCE / 2);
        let _ = stream.read_to_end(&mut answer);
        answer.len()
    });
    sleep(PATIENCE / 8).await;
    let flood = silent(address, CONNECTIONS * 4).await;
    probe(address).await;
    assert!(large.await.unwrap() > LARGE);
    drop(flood);
}

/// An HTTP/2 request of a client that never has room for the response: the preface, SETTINGS with a window of 0,
/// HEADERS.
const UNTAKEN: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\
    \x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\
    \x00\x00\x06\x01\x05\x00\x00\x00\x01\x82\x87\x84\x41\x01a";

#[tokio::test]
async fn answers_that_nobody_takes_keep_nobody_out() {
    let (folder, pair) = (Folder::new("untaken"), Pair::new());
    folder.write(&pair, &pair);
    let certificate = Certificate::load(Some(folder.files())).unwrap();
    let server = start(Some(&certificate));
    let mut untaken = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut stream = connect_with(server.address, &pair.der, &["h2"])
            .await
            .unwrap();
        stream.write_all(UNTAKEN).await.unwrap();
        untaken.push(stream);
    }
    sleep(PATIENCE / 8).await;
    let start = Instant::now();
    for _ in 0..3 {
        let mut stream = connect_with(server.address, &pair.der, &["http/1.1"])
            .await
            .unwrap();
        stream.write_all(LAST_REQUEST).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert!(answer.starts_with(b"HTTP/1.1 200"));
    }
    assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
    drop(untaken);
}

#[tokio::test]
async fn many_requests_share_a_connection_of_http2() {
    let (folder, pair) = (Folder::new("http2"), Pair::new());
    folder.write(&pair, &pair);
    let certificate = Certificate::load(Some(folder.files())).unwrap();
    let server = start(Some(&certificate));
    let stream = connect_with(server.address, &pair.der, &["h2"])
        .await
        .unwrap();
    let stream = TokioIo::new(stream);
    let (sender, connection) = http2::handshake(TokioExecutor::new(), stream)
        .await
        .unwrap();
    let connection = tokio::spawn(connection);
    let ask = |path: &str, body: usize| {
        let request = Request::post(format!("https://a{path}"));
        let body = Full::new(Bytes::from("x".repeat(body)));
        let mut sender = sender.clone();
        let request = request.body(body).unwrap();
        async move {
            let answer = sender.send_request(request).await.unwrap();
            answer.into_body().collect().await.unwrap().to_bytes().len()
        }
    };
    let start = Instant::now();
    let slow = join_all((0..50).map(|_| ask("/slow", 10)));
    let (slow, large, quick) = tokio::join!(slow, ask("/large", 1 << 20), ask("/", 0));
    assert_eq!(slow, [5; 50]);
    assert_eq!((large, quick), (LARGE, 5));
    assert!(start.elapsed() < PATIENCE * 2, "{:?}", start.elapsed());
    // It is closed after it has been unused for some time.
    let _ = ask;
    connection.await.unwrap().unwrap();
    assert!(start.elapsed() >= IDLE);
}
