//! Registries: what is pushed to them and pulled from them, over the OCI distribution protocol.
//!
//! A registry may be hostile. What it answers is limited in size and in pace (`src/http/`), credentials go to it and to
//! no other host without TLS, and what it hands out has the digest and the size that was asked for.

mod authorization;
mod challenge;
mod credentials;
mod endpoint;
mod exchange;
mod failure;
mod helper;
mod limits;
mod login;
mod manifest;
mod pull;
mod push;
mod referrers;
mod retry;
mod transport;

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout_at;

use crate::error::{Code, Context, Result};
use crate::http::Client;
use crate::project::name::Image;

use authorization::{Authorization, Purpose};
use endpoint::Endpoint;
use failure::{Failure, Fault};
use login::Login;

pub(crate) use credentials::{LoginFile, login_files};
pub(crate) use failure::NO_REGISTRY;

const NO_AUTHORITY: &str = "on Linux, install the package `ca-certificates`, or set \
    `SSL_CERT_FILE` to a file of CA certificates";

/// How to speak to registries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// Whether to do without TLS.
    pub(super) insecure: bool,
    /// How long a registry may keep silent.
    pub(super) patience: Duration,
    /// How long all may take, if that is limited.
    pub(super) limit: Option<Duration>,
}

/// A repository in a registry.
pub(super) struct Registry {
    client: Client,
    endpoint: Endpoint,
    login: Login,
    authorization: Authorization,
    /// By when all has to be there.
    deadline: Option<Deadline>,
    runtime: Runtime,
}

/// The end of a time.
#[derive(Clone, Copy, Debug)]
struct Deadline {
    at: Instant,
    time: Duration,
}

impl Registry {
    /// Gets ready to push an image.
    ///
    /// # Errors
    /// The user's credentials cannot be read.
    pub(super) fn to_push(image: &Image, manner: Manner) -> Result<Self> {
        Self::new(image, Purpose::Push, manner)
    }

    /// Gets ready to ask for an image.
    ///
    /// # Errors
    /// As [`Self::to_push`].
    pub(super) fn to_pull(image: &Image, manner: Manner) -> Result<Self> {
        Self::new(image, Purpose::Pull, manner)
    }

    fn new(image: &Image, purpose: Purpose, manner: Manner) -> Result<Self> {
        let host = image.registry();
        let client = Client::new(manner.patience)
            .context(Code::TlsFailed, || "failed to set up TLS")
            .map_err(|error| error.hint(NO_AUTHORITY))?;
        let scheme = transport::scheme(host, manner);
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Self {
            client,
            endpoint: Endpoint::new(scheme, host, image.repository())?,
            login: credentials::of(host, manner.patience)?,
            authorization: Authorization::new(purpose),
            deadline: manner.limit.map(|time| Deadline {
                at: Instant::now() + time,
                time,
            }),
            runtime: runtime.context(Code::SystemError, || "failed to set up the network")?,
        })
    }

    /// Asks whether the registry is there and takes the credentials, as far as it says so before
    /// anything is pushed.
    ///
    /// # Errors
    /// It does not answer, or refuses.
    pub(super) fn greet(&self) -> Result<()> {
        self.wait(|| self.authorize()).map(drop)
    }

    /// The digest that a name in the repository leads to.
    ///
    /// # Errors
    /// The registry does not answer, or has no such name.
    pub(super) fn digest(&self, image: &Image) -> Result<String> {
        self.wait(|| self.manifest_digest(image.tag().unwrap_or("latest")))
    }

    /// Does something until it is done or cannot be.
    fn wait<T, F>(&self, attempt: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<T, Fault>>,
    {
        let failure = |fault| Failure::new(fault, self);
        let done = retry::until_done(|| async { attempt().await.map_err(failure) });
        let done = async {
            match self.deadline {
                Some(Deadline { at, time }) => timeout_at(at.into(), done)
                    .await
                    .unwrap_or_else(|_| Err(Failure::late(self, time))),
                None => done.await,
            }
        };
        self.runtime.block_on(done).map_err(|failure| failure.error)
    }
}

#[cfg(test)]
mod tests;
