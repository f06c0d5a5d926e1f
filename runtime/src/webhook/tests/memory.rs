//! The memory of a process with webhooks stays limited, whatever it receives.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, io};

use futures::future::join_all;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpSocket;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_util::sync::CancellationToken;

use super::{Endpoint, Folder, Pair, VALIDATES, handlers};
use crate::certificate::tests::secure;
use crate::metrics::Metrics;
use crate::{Identity, WebhookOptions};

/// The limit of a generated `config/manager`.
const LIMIT: usize = 128 << 20;

/// The memory that the other parts of an operator may need.
const REST: usize = 24 << 20;

/// How long everything is sent at the same time.
const TIME: Duration = Duration::from_secs(5);

const CONVERTS: &str = "/convert";

/// Serves until its input ends.
#[ignore = "the other test starts it as a process"]
#[tokio::test]
async fn process() {
    let (folder, pair) = (Folder::new("memory"), Pair::new());
    folder.write(&pair, &pair);
    let options = WebhookOptions {
        webhook_port: 0,
        webhook_cert_path: folder.files().certificate.parent().map(Into::into),
        ..WebhookOptions::default()
    };
    let endpoint = Endpoint::bind(&options, None, handlers())
        .unwrap()
        .unwrap()
        .within(LIMIT);
    let der = pair.der.iter().map(|byte| format!("{byte:02x}"));
    println!(
        "\nserves {} {}",
        endpoint.address().port(),
        der.collect::<String>()
    );
    io::stdout().flush().unwrap();
    let stop = CancellationToken::new();
    let end = stop.clone();
    spawn_blocking(move || {
        let _ = io::stdin().read(&mut [0]);
        end.cancel();
    });
    endpoint
        .serve(Metrics::new(&Identity::new("test", "1.0.0")), stop)
        .await;
}

/// A process of this test, which ends with it.
struct Process {
    child: Child,
    /// Kept, because a program ends if it cannot print: the harness reports tests that take a minute.
    _output: Lines<BufReader<ChildStdout>>,
    address: SocketAddr,
    certificate: CertificateDer<'static>,
}

impl Process {
    fn start() -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            // As in `config/webhook`: otherwise each thread keeps the memory that it has freed.
            .env("MALLOC_ARENA_MAX", "1")
            .args([
                "--ignored",
                "--exact",
                "--nocapture",
                "webhook::tests::memory::process",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = output
            .by_ref()
            .map_while(Result::ok)
            .find(|line| line.starts_with("serves "))
            .expect("it serves");
        let mut words = line.split(' ').skip(1);
        let port = words.next().unwrap().parse().unwrap();
        let hex = words.next().unwrap().as_bytes();
        let byte = |hex: &[u8]| u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap();
        let der: Vec<_> = hex.chunks(2).map(byte).collect();
        Self {
            child,
            _output: output,
            address: (Ipv4Addr::LOCALHOST, port).into(),
            certificate: der.into(),
        }
    }

    /// Its private memory, in bytes.
    fn memory(&self) -> usize {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let kib = line.map(|line| {
            line.trim()
                .trim_end_matches(" kB")
                .parse::<usize>()
                .unwrap()
        });
        kib.unwrap_or_else(|| panic!("it has ended: {status}")) << 10
    }

    /// Sends a body from an address, and returns the status code.
    async fn send(&self, from: [u8; 4], path: &str, body: Bytes) -> Option<u16> {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((IpAddr::from(from), 0).into()).unwrap();
        let stream = socket.connect(self.address).await.ok()?;
        let stream = secure(stream, &self.certificate, &[]).await.ok()?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        let call = super::Call::post(path)
            .header("host", "webhook")
            .header("content-type", "application/json")
            .body(Full::new(body))
            .unwrap();
        let answer = sender.send_request(call).await.ok()?;
        let code = answer.status().as_u16();
        let body = answer.into_body().collect().await.ok()?;
        drop(body);
        Some(code)
    }

    /// Sends the beginning of a body, and then nothing.
    async fn begin(&self, from: [u8; 4], bytes: usize) {
        use tokio::io::AsyncWriteExt;
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((IpAddr::from(from), 0).into()).unwrap();
        let Ok(stream) = socket.connect(self.address).await else {
            return;
        };
        let Ok(mut stream) = secure(stream, &self.certificate, &[]).await else {
            return;
        };
        let head = format!(
            "POST {VALIDATES} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            bytes + 1
        );
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(&vec![b' '; bytes]).await;
        let _ = stream.flush().await;
        sleep(TIME / 4).await;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn admission(operation: &str, object: &Value, old: &Value) -> Bytes {
    let request = json!({
        "uid": "1",
        "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "operation": operation,
        "object": object,
        "oldObject": old,
    });
    let kind = "AdmissionReview";
    let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": kind, "request": request});
    review.to_string().into()
}

fn conversion(objects: &[Value]) -> Bytes {
    let request =
        json!({"uid": "1", "desiredAPIVersion": "shop.example.com/v1", "objects": objects});
    let kind = "ConversionReview";
    let review = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": kind, "request": request});
    review.to_string().into()
}

/// Objects that a tenant may have stored, or rejected.
fn bodies() -> Vec<(&'static str, Bytes)> {
    let map =
        |name: &str, value: Value| json!({"metadata": {"name": "a"}, "data": {}, name: value});
    let app = |annotation: &str, more: Value| {
        json!({
            "apiVersion": "shop.example.com/v2", "kind": "App",
            "metadata": {"name": "a", "annotations": {"shop.example.com/conversion-data.v1": annotation}},
            "spec": {"hour": 1, "minute": 2, "more": more},
        })
    };
    // Each has 3 MB, or the limit of etcd, or a size whose estimate is just below the limit.
    let dense = |count: usize| -> Value { (0..count).map(|_| json!({"": 0})).collect() };
    let numbers = |count: usize| -> Value { (0..count).map(|_| json!(0)).collect() };
    let labels: Value = (0..150_000)
        .map(|at| (at.to_string(), json!("abcdef")))
        .collect();
    let text = json!("x".repeat(3_000_000));
    let small = json!({"metadata": {"name": "a"}, "data": {}});
    let nested = dense(20_000).to_string();
    let mut bodies = Vec::new();
    for path in [VALIDATES, super::DEFAULTS] {
        for object in [
            map("more", dense(370_000)),
            map("more", dense(60_000)),
            map("more", dense(14_000)),
            map("more", numbers(1_500_000)),
            map("more", numbers(300_000)),
            map("metadata", json!({"name": "a", "labels": labels})),
            map("more", text.clone()),
        ] {
            bodies.push((path, admission("CREATE", &object, &Value::Null)));
            bodies.push((path, admission("UPDATE", &object, &object)));
            bodies.push((path, admission("UPDATE", &small, &object)));
        }
    }
    for more in [dense(180_000), dense(13_000), numbers(60_000), text] {
        bodies.push((CONVERTS, conversion(&[app("", more.clone())])));
        bodies.push((
            CONVERTS,
            conversion(&[app(&nested, more.clone()), app("{}", more)]),
        ));
    }
    bodies.push((CONVERTS, conversion(&vec![app("", dense(5_000)); 40])));
    bodies.push((
        VALIDATES,
        format!("[{}{{}}]", "{},".repeat(2_700_000)).into(),
    ));
    bodies
}

/// Everything that one tenant can make the API server send, and bodies of another client, at the same time.
#[tokio::test]
async fn whatever_is_sent_fits_into_the_limit() {
    let process = Process::start();
    let before = process.memory();
    let bodies = bodies();
    let end = Instant::now() + TIME;
    // A busy machine needs longer.
    let is_over = AtomicBool::new(false);
    let goes_on = || !is_over.load(Ordering::Relaxed);
    let senders = join_all((0..6).map(async |at: usize| {
        let mut codes = std::collections::BTreeMap::<_, usize>::new();
        let mut at = at * 9;
        while goes_on() {
            let (path, body) = &bodies[at % bodies.len()];
            let code = process.send([127, 0, 0, 2], path, body.clone()).await;
            *codes.entry(code).or_default() += 1;
            at += 1;
        }
        codes
    }));
    let endless = join_all((0..40).map(async |at: usize| {
        while goes_on() {
            process.begin([127, 0, 0, 3], (1 << 20) >> (at % 4)).await;
        }
    }));
    let others = async {
        let review = admission(
            "CREATE",
            &json!({"metadata": {}, "data": {"a": "b"}}),
            &Value::Null,
        );
        let (mut asked, mut answered) = (0, 0);
        while asked < 4 || Instant::now() < end {
            let answer = process.send([127, 0, 0, 1], VALIDATES, review.clone());
            let code = timeout(Duration::from_secs(30), answer).await;
            asked += 1;
            answered += usize::from(code == Ok(Some(200)));
            sleep(Duration::from_millis(20)).await;
        }
        is_over.store(true, Ordering::Relaxed);
        (asked, answered)
    };
    let peak = async {
        let mut peak = 0;
        while goes_on() {
            peak = peak.max(process.memory());
            sleep(Duration::from_millis(2)).await;
        }
        peak
    };
    let (codes, _, (asked, answered), peak) = tokio::join!(senders, endless, others, peak);
    println!("{before} bytes before, {peak} at most; {answered} of {asked} others; {codes:?}");
    assert!(peak < LIMIT - REST, "{peak}");
    assert_eq!(answered, asked);
}
