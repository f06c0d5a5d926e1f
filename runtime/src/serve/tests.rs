//! Clients that are slow, silent or speak nonsense, beside one that is not.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use futures::future;
use hyper::StatusCode;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::sync::CancellationToken;

use super::{CONNECTIONS, PATIENCE, serve, text};
use crate::certificate::Certificate;
use crate::certificate::tests::{Folder, Pair, connect};

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

async fn start(certificate: Option<&Certificate>) -> Server {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let hello = |_| future::ready(text(StatusCode::OK, "hello"));
    let stop = CancellationToken::new();
    let tls = certificate.map(Certificate::acceptor);
    let task = tokio::spawn(serve(listener, tls, hello, stop.clone()));
    Server {
        address,
        stop,
        task,
    }
}

/// Sends something and reads until the server closes the connection.
fn send(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = Vec::new();
    // What the server no longer reads ends in an error.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_silent_client_holds_up_nobody() {
    let (folder, pair) = (Folder::new("silent"), Pair::new());
    folder.write(&pair, &pair);
    let certificate = Certificate::load(Some(folder.files())).unwrap();
    let server = start(Some(&certificate)).await;
    let silent: Vec<_> = (1..CONNECTIONS)
        .map(|_| TcpStream::connect(server.address).unwrap())
        .collect();
    let start = Instant::now();
    assert!(connect(server.address, &pair.der).await.is_ok());
    assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
    drop(silent);
}

#[tokio::test]
async fn slow_headers_and_nonsense_are_cut_off() {
    let server = start(None).await;
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

#[tokio::test]
async fn what_comes_too_many_waits_until_there_is_room() {
    let server = start(None).await;
    let silent: Vec<_> = (0..CONNECTIONS)
        .map(|_| TcpStream::connect(server.address).unwrap())
        .collect();
    let (start, address) = (Instant::now(), server.address);
    let answer = spawn_blocking(move || send(address, REQUEST))
        .await
        .unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(start.elapsed() > PATIENCE / 2, "{:?}", start.elapsed());
    drop(silent);
}

#[tokio::test]
async fn open_connections_do_not_hold_up_the_shutdown() {
    let server = start(None).await;
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
