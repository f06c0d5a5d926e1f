//! Downloads, by HTTP.

use std::time::Duration;

use reqwest::blocking::{Client, Response};

use crate::error::{Context, Error, Result};
use crate::tls;

/// How long a server may take to answer, and to send some more.
const TIMEOUT: Duration = Duration::from_secs(30);

/// What is at a URL, as text.
pub(super) fn text(url: &str) -> Result<String> {
    let text = get(url)?.text();
    text.context(|| format!("`{url}` did not arrive in one piece"))
}

/// The answer to a request, where it is no error.
pub(super) fn get(url: &str) -> Result<Response> {
    tls::set_up();
    let client = Client::builder()
        .user_agent(concat!("rop/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(TIMEOUT)
        .timeout(None)
        .build();
    let answer = client.and_then(|client| client.get(url).send());
    let answer = answer.context(|| format!("`{url}` cannot be reached"))?;
    match answer.status() {
        status if status.is_success() => Ok(answer),
        status => Err(Error::new(format!("`{url}` answers {status}"))),
    }
}
