use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::image::platform::Platform;
use crate::project::name::Image;
use crate::ui::Ui;

use super::{Manner, Registry};

/// A server that answers each request with a head, and with a byte now and then.
fn server(head: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let head = format!("HTTP/1.1 {head}\r\n\r\n");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let head = head.clone();
            thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let mut sent = stream.write_all(head.as_bytes());
                while sent.is_ok() {
                    thread::sleep(Duration::from_millis(20));
                    sent = stream.write_all(b"a");
                }
            });
        }
    });
    address
}

/// What comes of an attempt to pull an image from a host.
fn failure(host: &str, patience: Duration, limit: Duration) -> Error {
    let image: Image = format!("{host}/a:v1").parse().expect("an image");
    let manner = Manner {
        insecure: true,
        patience,
        limit: Some(limit),
    };
    let platform = Platform::host().expect("a platform");
    let pulled = Registry::whole(&image, platform, manner, 1 << 20, &Ui::default());
    pulled.expect_err("no image")
}

#[test]
fn a_pull_ends_in_time() {
    let host = server("200 OK\r\nContent-Length: 1000");
    let start = Instant::now();
    let error = failure(&host, Duration::from_mins(5), Duration::from_millis(500));
    assert!(start.elapsed() < Duration::from_secs(30));
    let message = error.chain().next().unwrap_or_default();
    assert!(
        message.ends_with("did not send everything within 0 s"),
        "{message}"
    );
    assert!(error.hints().join(" ").contains("--timeout"));
}

/// `--timeout` is the limit, too.
#[test]
fn a_hint_names_the_flag() {
    let host = server("200 OK\r\nX: ");
    let error = failure(&host, Duration::from_secs(2), Duration::from_mins(5));
    let hints = error.hints().join(" ");
    assert_eq!(
        hints,
        "on a slow link, wait longer than 300 s with `--timeout`"
    );
    let host = server("503 Unavailable\r\nContent-Length: 1");
    let error = failure(&host, Duration::from_mins(1), Duration::from_mins(5));
    let hints = error.hints().join(" ");
    assert_eq!(hints, "run the command again later");
}

#[test]
fn who_denies_is_named() {
    let other = server("403 Forbidden\r\nContent-Length: 1");
    let host = server(&format!(
        "307 Temporary Redirect\r\nLocation: http://{other}/x\r\nContent-Length: 0"
    ));
    let error = failure(&host, Duration::from_mins(1), Duration::from_mins(5));
    let message = error.chain().next().unwrap_or_default();
    let expected =
        format!("`http://{other}`, to which the registry `{host}` redirects, responded 403");
    assert!(message.starts_with(&expected), "{message}");
    assert!(!error.hints().join(" ").contains("log in"));
}
