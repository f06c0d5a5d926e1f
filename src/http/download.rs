//! Downloads from servers that may be slow, broken or hostile.

use std::io;
use std::time::Duration;

use reqwest::{Method, Url};
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::error::{Code, Context, Error, Result};

use super::{Answer, Client, Failure, shown};

/// What is at a URL, as text, of at most `limit` bytes.
pub(crate) fn text(url: &str, limit: u64, patience: Duration) -> Result<String> {
    let text = bytes(url, limit, patience)?;
    String::from_utf8(text).context(Code::DownloadCorrupt, || format!("`{url}` is not UTF-8"))
}

/// What is at a URL, of at most `limit` bytes.
fn bytes(url: &str, limit: u64, patience: Duration) -> Result<Vec<u8>> {
    get(url, patience, async |answer: Answer| {
        answer.bytes(limit).await
    })
}

/// The same, within a time for the whole.
pub(crate) fn bytes_within(url: &str, limit: u64, time: Duration) -> Result<Vec<u8>> {
    get_within(Some(time), url, time, async |answer: Answer| {
        answer.bytes(limit).await
    })
}

/// Hands what is at a URL to `keep` as it arrives, with at most `limit` bytes; `begin` is told how many there are.
pub(crate) fn each(
    url: &str,
    limit: u64,
    patience: Duration,
    begin: impl FnOnce(Option<u64>),
    keep: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<()> {
    get(url, patience, async |answer: Answer| {
        begin(answer.length());
        answer.each(limit, keep).await
    })
}

/// Reads the answer to a request, if it is no error.
fn get<T>(
    url: &str,
    patience: Duration,
    read: impl AsyncFnOnce(Answer) -> Result<T, Failure>,
) -> Result<T> {
    get_within(None, url, patience, read)
}

fn get_within<T>(
    time: Option<Duration>,
    url: &str,
    patience: Duration,
    read: impl AsyncFnOnce(Answer) -> Result<T, Failure>,
) -> Result<T> {
    let address: Url = url.parse().context(Code::DownloadFailed, || {
        format!("`{}` is not a URL", shown(url))
    })?;
    let url = &shown(url);
    let client = Client::new(patience).context(Code::TlsFailed, || "failed to set up TLS")?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let load = async {
        let answer = client
            .send(client.request(Method::GET, address))
            .await
            .context(Code::DownloadFailed, || format!("cannot reach `{url}`"))?;
        match answer.status() {
            status if status.is_success() => read(answer)
                .await
                .map_err(|failure| incomplete(url, failure)),
            status if status.is_redirection() => Err(Error::new(
                Code::DownloadFailed,
                format!("`{url}` answers {status} without a `Location`"),
            )
            .hint("pass the URL that it redirects to")),
            status => Err(Error::new(
                Code::DownloadFailed,
                format!("`{url}` answers {status}"),
            )),
        }
    };
    runtime
        .context(Code::SystemError, || "failed to set up the network")?
        .block_on(async {
            let Some(time) = time else {
                return load.await;
            };
            timeout(time, load).await.unwrap_or_else(|_| {
                let seconds = time.as_secs();
                let message = format!("the download of `{url}` did not end within {seconds} s");
                Err(Error::new(Code::DownloadFailed, message).hint("allow more time: `--timeout`"))
            })
        })
}

fn incomplete(url: &str, failure: Failure) -> Error {
    let may_pass = !matches!(failure, Failure::TooLarge(_));
    let error = Error::new(Code::DownloadFailed, failure)
        .context(format!("the download of `{url}` was interrupted"));
    if may_pass {
        error.hint("try again")
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    const SHORT: Duration = Duration::from_millis(300);

    /// A server that answers with a head, and with a byte again and again with pauses.
    fn server(head: &'static str, pause: Duration) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                thread::spawn(move || {
                    let _ = stream.read(&mut [0; 1024]);
                    let mut sent = stream.write_all(head.as_bytes());
                    while sent.is_ok() {
                        thread::sleep(pause);
                        sent = stream.write_all(b"a");
                    }
                });
            }
        });
        format!("http://{address}/list")
    }

    fn error(url: &str) -> String {
        let error = text(url, 1000, SHORT).expect_err("no answer");
        error.chain().collect::<Vec<_>>().join(": ")
    }

    #[test]
    fn no_cause_has_the_query() {
        for url in [
            "http://127.0.0.1:1/a?token=SECRET",
            "ftp://host/a?token=SECRET",
            "http://[::1/a?token=SECRET",
        ] {
            let error = error(url);
            assert!(!error.contains("SECRET"), "{error}");
        }
    }

    #[test]
    fn a_silent_server_holds_nobody() {
        let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = silent.local_addr().expect("an address");
        let error = error(&format!("http://{address}/list"));
        assert!(error.contains("no data for"), "{error}");
    }

    #[test]
    fn a_byte_now_and_then_holds_nobody() {
        let pause = Duration::from_millis(20);
        let slow = error(&server(
            "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n",
            pause,
        ));
        assert!(slow.contains("bytes a second"), "{slow}");
        let in_head = error(&server("HTTP/1.1 200 OK\r\nX: ", pause));
        assert!(in_head.contains("no data for"), "{in_head}");
    }

    #[test]
    fn a_steady_answer_ends_in_time() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n";
        let steady = server(head, Duration::from_micros(100));
        let start = Instant::now();
        let error = bytes_within(&steady, 10_000_000, 10 * SHORT).expect_err("it does not end");
        let message = error.chain().next().unwrap_or_default();
        assert!(message.contains("did not end within"), "{message}");
        assert!(start.elapsed() < Duration::from_mins(1));
    }

    #[test]
    fn a_redirect_leads_somewhere() {
        let lost = error(&server(
            "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
            SHORT,
        ));
        assert!(lost.contains("302 Found without a `Location`"), "{lost}");
    }

    #[test]
    fn an_endless_answer_is_not_read_to_its_end() {
        let endless = error(&server("HTTP/1.1 200 OK\r\n\r\n", Duration::ZERO));
        assert!(endless.contains("more than 1000 bytes"), "{endless}");
        let message = error(&server(
            "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
            SHORT,
        ));
        assert!(message.contains("more than 1000 bytes"), "{message}");
    }
}
