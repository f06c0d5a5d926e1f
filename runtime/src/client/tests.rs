use std::sync::{Arc, Mutex};

use hyper::{Method, StatusCode};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams};
use kube::{Api, Config};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::{Connection, Environment, Identity, Options, connect_by, proxy};
use crate::leader::{Flags, NotLeading};
use crate::testing::client;

const IDENTITY: Identity = Identity::new("app", "1.0.0");

fn electing() -> Options {
    Options {
        election: Flags {
            leader_elect: true,
            ..Flags::default()
        },
        ..Options::default()
    }
}

#[tokio::test]
async fn a_given_client_is_guarded_and_counted() {
    let server = client(|method, _, _| {
        assert_eq!(method, Method::GET);
        (StatusCode::OK, r#"{"items":[]}"#.to_owned())
    });
    let connection = Connection::with_client(&IDENTITY, &electing(), &server).unwrap();
    let api = Api::<ConfigMap>::default_namespaced(connection.client);
    assert!(api.list(&ListParams::default()).await.is_ok());
    let error = api.delete("a", &DeleteParams::default()).await.unwrap_err();
    assert!(NotLeading::is_cause_of(&error));
    let text = connection.metrics.text().unwrap();
    assert!(text.contains("leader_election_master_status{name=\"app\"} 0"));
}

/// The head of a request.
async fn head(stream: &mut BufReader<TcpStream>) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await.unwrap() == 0 {
            break;
        }
    }
    head
}

/// Serves each connection with a function, and returns the port.
async fn serve<F>(answer: impl Fn(TcpStream) -> F + Send + 'static) -> u16
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    port
}

/// An API server without objects, which responds to every request with success.
async fn answer(stream: TcpStream) {
    const ANSWER: &str = r#"{"kind":"Status","status":"Success","items":[]}"#;
    let mut stream = BufReader::new(stream);
    while !head(&mut stream).await.is_empty() {
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{ANSWER}",
            ANSWER.len()
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    }
}

/// Forwards the bytes of a tunnel to this port.
async fn pass_on(mut stream: BufReader<TcpStream>, port: u16) {
    let target = TcpStream::connect(("127.0.0.1", port)).await;
    let _ = copy_bidirectional(&mut stream, &mut target.unwrap()).await;
}

#[tokio::test]
async fn reads_and_writes_go_through_a_proxy() {
    let server = serve(answer).await;
    let tunnels = Arc::<Mutex<Vec<String>>>::default();
    let seen = Arc::clone(&tunnels);
    let proxy = serve(move |stream| {
        let seen = Arc::clone(&seen);
        async move {
            let mut stream = BufReader::new(stream);
            let head = head(&mut stream).await;
            seen.lock().unwrap().push(head);
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            pass_on(stream, server).await;
        }
    });
    let proxy = proxy.await;
    // Only the proxy can resolve this name.
    let mut config = Config::new("http://api.example.invalid:6443".parse().unwrap());
    config.proxy_url = Some(
        format!("http://user:secret@127.0.0.1:{proxy}")
            .parse()
            .unwrap(),
    );
    proxy::choose(&mut config, &Environment::default()).unwrap();

    let stop = CancellationToken::new();
    let options = Options::default();
    let connection = connect_by(&IDENTITY, "app-1", &options, &config, stop.clone()).unwrap();
    let api = Api::<ConfigMap>::namespaced(connection.client, "shop");
    assert!(api.list(&ListParams::default()).await.is_ok());
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let heads = std::mem::take(&mut *tunnels.lock().unwrap());
    // One connection for reads, and one for guarded writes.
    assert_eq!(heads.len(), 2, "{heads:?}");
    for head in heads {
        assert!(
            head.starts_with("CONNECT api.example.invalid:6443 HTTP/1.1"),
            "{head}"
        );
        let credentials = "proxy-authorization: basic dxnlcjpzzwnyzxq=";
        assert!(head.to_lowercase().contains(credentials), "{head}");
    }

    let connection = connect_by(&IDENTITY, "app-1", &electing(), &config, stop).unwrap();
    let api = Api::<ConfigMap>::namespaced(connection.client, "shop");
    let error = api.delete("a", &DeleteParams::default()).await.unwrap_err();
    assert!(NotLeading::is_cause_of(&error));
    assert!(tunnels.lock().unwrap().is_empty());
}

#[tokio::test]
async fn reads_and_writes_go_through_a_proxy_of_socks() {
    let server = serve(answer).await;
    let proxy = serve(move |stream| async move {
        let mut stream = BufReader::new(stream);
        // The version and the only authentication method: none.
        let mut hello = [0; 3];
        stream.read_exact(&mut hello).await.unwrap();
        assert_eq!(hello, [5, 1, 0]);
        stream.write_all(&[5, 0]).await.unwrap();
        // Connect to a host by name.
        let mut request = [0; 5];
        stream.read_exact(&mut request).await.unwrap();
        assert_eq!(request[..4], [5, 1, 0, 3]);
        let mut host = vec![0; usize::from(request[4]) + 2];
        stream.read_exact(&mut host).await.unwrap();
        assert!(host.starts_with(b"api.example.invalid"));
        let done = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        stream.write_all(&done).await.unwrap();
        pass_on(stream, server).await;
    });
    let proxy = proxy.await;
    let mut config = Config::new("http://api.example.invalid:6443".parse().unwrap());
    config.proxy_url = Some(format!("socks5://127.0.0.1:{proxy}").parse().unwrap());
    let (options, stop) = (Options::default(), CancellationToken::new());
    let connection = connect_by(&IDENTITY, "app-1", &options, &config, stop).unwrap();
    let api = Api::<ConfigMap>::namespaced(connection.client, "shop");
    assert!(api.list(&ListParams::default()).await.is_ok());
    api.delete("a", &DeleteParams::default()).await.unwrap();
}
