//! The client of the billing service, which knows the account and the CPU limit of each tenant.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, Method, Response, StatusCode};

/// The operations of the billing service. All are idempotent. `tenant` is a UID, because names can be reused.
#[async_trait]
pub trait Billing: Send + Sync {
    /// Checks that billing accepts the token of the operator.
    async fn ping(&self) -> Result<(), Error>;

    /// Charges a tenant to an account.
    async fn open(&self, account: &str, tenant: &str) -> Result<(), Error>;

    /// Stops charging a tenant to an account. Does nothing if the account does not pay for the tenant.
    async fn close(&self, account: &str, tenant: &str) -> Result<(), Error>;

    /// Returns all open accounts with their tenants.
    async fn accounts(&self) -> Result<BTreeMap<String, String>, Error>;

    /// Returns the number of CPUs that the plan of an account allows in each namespace.
    async fn cpus(&self, account: &str) -> Result<u32, Error>;
}

/// An error of the billing service.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the account pays for another tenant")]
    Taken,
    #[error("billing rejected the token of the operator")]
    Refused,
    #[error("billing is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        Self::Unavailable(error.into())
    }
}

/// All errors are transient: the user of a Tenant cannot fix them.
impl From<Error> for rop_runtime::Error {
    fn from(error: Error) -> Self {
        Self::transient(error)
    }
}

/// In-memory billing, for tests and development.
#[derive(Default)]
pub struct InMemory {
    /// The tenant that each account pays for.
    pub tenants: Mutex<BTreeMap<String, String>>,
    /// The CPUs of accounts with a special plan.
    pub cpus: Mutex<BTreeMap<String, u32>>,
    /// Whether it rejects the token of the operator.
    pub is_refusing: AtomicBool,
}

#[async_trait]
impl Billing for InMemory {
    async fn ping(&self) -> Result<(), Error> {
        if self.is_refusing.load(Relaxed) {
            Err(Error::Refused)
        } else {
            Ok(())
        }
    }

    async fn open(&self, account: &str, tenant: &str) -> Result<(), Error> {
        let mut tenants = self.tenants.lock().expect("no panic");
        let paid = tenants.entry(account.to_owned());
        if paid.or_insert_with(|| tenant.to_owned()) == tenant {
            Ok(())
        } else {
            Err(Error::Taken)
        }
    }

    async fn close(&self, account: &str, tenant: &str) -> Result<(), Error> {
        let mut tenants = self.tenants.lock().expect("no panic");
        tenants.retain(|known, paid| known != account || paid != tenant);
        Ok(())
    }

    async fn accounts(&self) -> Result<BTreeMap<String, String>, Error> {
        Ok(self.tenants.lock().expect("no panic").clone())
    }

    async fn cpus(&self, account: &str) -> Result<u32, Error> {
        let cpus = self.cpus.lock().expect("no panic");
        Ok(cpus.get(account).copied().unwrap_or(4))
    }
}

/// A client of the HTTP API of billing.
pub struct Http {
    client: Client,
    url: String,
    token: String,
}

impl Http {
    /// Creates a client for the service at `url`, which authenticates with `token`.
    ///
    /// # Errors
    /// Fails if TLS cannot be initialized.
    pub fn new(url: &str, token: String) -> reqwest::Result<Self> {
        let client = Client::builder().timeout(Duration::from_secs(10)).build()?;
        let url = url.trim_end_matches('/').to_owned();
        Ok(Self { client, url, token })
    }

    async fn send(&self, method: Method, path: &str) -> Result<Response, Error> {
        let url = format!("{}/{path}", self.url);
        let request = self.client.request(method.clone(), url);
        let answer = request.bearer_auth(&self.token).send().await?;
        match answer.status() {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(Error::Refused),
            StatusCode::CONFLICT => Err(Error::Taken),
            StatusCode::NOT_FOUND if method == Method::DELETE => Ok(answer),
            _ => Ok(answer.error_for_status()?),
        }
    }
}

#[async_trait]
impl Billing for Http {
    async fn ping(&self) -> Result<(), Error> {
        self.send(Method::GET, "ping").await.map(drop)
    }

    async fn open(&self, account: &str, tenant: &str) -> Result<(), Error> {
        let path = format!("accounts/{account}/tenants/{tenant}");
        self.send(Method::PUT, &path).await.map(drop)
    }

    async fn close(&self, account: &str, tenant: &str) -> Result<(), Error> {
        let path = format!("accounts/{account}/tenants/{tenant}");
        self.send(Method::DELETE, &path).await.map(drop)
    }

    async fn accounts(&self) -> Result<BTreeMap<String, String>, Error> {
        Ok(self.send(Method::GET, "accounts").await?.json().await?)
    }

    async fn cpus(&self, account: &str) -> Result<u32, Error> {
        let path = format!("accounts/{account}/cpus");
        Ok(self.send(Method::GET, &path).await?.json().await?)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;

    /// Returns the result of a request that is answered with this status.
    async fn close(status: &'static str) -> Result<(), Error> {
        rop_runtime::install_crypto_provider();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1024]).unwrap();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(head.as_bytes()).unwrap();
        });
        let billing = Http::new(&url, "token".to_owned()).unwrap();
        let answer = billing.close("acme-17", "uid").await;
        server.join().unwrap();
        answer
    }

    #[tokio::test]
    async fn a_status_is_an_error() {
        assert!(close("204 No Content").await.is_ok());
        assert!(close("404 Not Found").await.is_ok());
        assert!(matches!(
            close("401 Unauthorized").await,
            Err(Error::Refused)
        ));
        assert!(matches!(close("409 Conflict").await, Err(Error::Taken)));
        let failure = close("500 Internal Server Error").await;
        assert!(matches!(failure, Err(Error::Unavailable(_))));
    }
}
