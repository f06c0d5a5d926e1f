//! Whether an API server is ready, asked without kubectl: each time would take 60 ms of a processor, and it is asked
//! twenty times a second.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::blocking::Client;
use reqwest::tls::Certificate;

use crate::disk::read;
use crate::tls;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Asks an API server as its administrator.
#[derive(Debug)]
pub(super) struct Ready {
    token: String,
    /// Made when there is a certificate to trust.
    client: OnceLock<Client>,
}

impl Ready {
    pub(super) fn new(token: String) -> Self {
        let client = OnceLock::new();
        Self { token, client }
    }

    /// Whether the administrator can read a path of the API server at this port, which shows this certificate.
    pub(super) fn answers(&self, authority: &Path, port: u16, path: &str) -> bool {
        let Some(client) = self.client.get().or_else(|| {
            let new_client = client(authority)?;
            Some(self.client.get_or_init(|| new_client))
        }) else {
            return false;
        };
        let request = client.get(format!("https://127.0.0.1:{port}{path}"));
        let answer = request.bearer_auth(&self.token).send();
        answer.is_ok_and(|answer| answer.status().is_success())
    }
}

/// `None` as long as there is no certificate.
fn client(authority: &Path) -> Option<Client> {
    let pem = read(authority).ok()?;
    let authority = Certificate::from_pem_bundle(&pem).ok()?;
    if authority.is_empty() {
        return None;
    }
    tls::set_up();
    let client = Client::builder()
        .tls_certs_only(authority)
        .no_proxy()
        .timeout(TIMEOUT);
    client.build().ok()
}
