//! Clients that are slow, silent or send nonsense, beside one that does not.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::{Request, StatusCode};
use tokio::net::TcpSocket;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::connections::CONNECTIONS;
use super::{IDLE, PATIENCE, listen, serve, text};
use crate::certificate::Certificate;
use crate::certificate::tests::{Folder, Pair, connect};

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const LAST_REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
/// A request whose answer takes half of [`PATIENCE`].
const SLOW_REQUEST: &[u8] = b"GET /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

fn start(certificate: Option<&Certificate>) -> Server {
    let listener = listen((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    let hello = async |request: Request<Incoming>| {
        if request.uri().path() == "/slow" {
            sleep(PATIENCE / 2).await;
        }
        text(StatusCode::OK, "hello")
    };
    let stop = CancellationToken::new();
    let tls = certificate.map(Certificate::acceptor);
    let task = tokio::spawn(serve(listener, tls, IDLE, hello, stop.clone()));
    Server {
        address,
        stop,
        task,
    }
}

/// Sends bytes, and reads until the server closes the connection.
fn send(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    // What the server no longer reads ends in an error.
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

/// Sends a request on its own connection, and gives how long the answer took.
async fn probe(address: SocketAddr) -> Duration {
    let start = Instant::now();
    let answer = spawn_blocking(move || send(address, LAST_REQUEST));
    let answer = answer.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    start.elapsed()
}

#[tokio::test]
async fn a_probe_is_answered_at_once_beside_silent_connections() {
    for count in [CONNECTIONS, 1_000] {
        let server = start(None);
        let silent = silent(server.address, count).await;
        let took = probe(server.address).await;
        assert!(took < PATIENCE / 2, "{count}: {took:?}");
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
    });
    let idle = idle.await.unwrap();
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

// Other systems have one address of loopback.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_flood_closes_connections_of_its_own_address() {
    let server = start(None);
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let other = socket.connect(server.address).await.unwrap();
    let mut other = other.into_std().unwrap();
    other.set_nonblocking(false).unwrap();
    let flood = silent(server.address, CONNECTIONS * 4).await;
    probe(server.address).await;
    let answer = spawn_blocking(move || {
        other.write_all(REQUEST).unwrap();
        let mut answer = [0; 256];
        let length = other.read(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    });
    let answer = answer.await.unwrap();
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
