//! Registries: what is pushed to them and pulled from them, over the OCI distribution protocol.

mod credentials;
mod failure;
mod pull;
mod push;
mod referrers;
mod retry;
mod transport;

use std::future::Future;
use std::time::Duration;

use oci_client::client::ClientConfig;
use oci_client::manifest::ImageIndexEntry;
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, Reference, RegistryOperation};
use oci_spec::image::{Arch, Os};
use tokio::runtime::{Builder, Runtime};

use crate::error::{Context, Result};
use crate::project::name::Image;
use crate::tls;

use super::platform::Platform;
use failure::Failure;

const NO_AUTHORITY: &str = "on Linux the package `ca-certificates` has the authorities that machines trust; `SSL_CERT_FILE` names a file of others";

/// How to speak to registries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// Whether to do without TLS.
    pub(super) insecure: bool,
    /// How long a registry may keep silent.
    pub(super) patience: Duration,
}

/// A repository in a registry.
pub(super) struct Registry {
    client: Client,
    auth: RegistryAuth,
    runtime: Runtime,
    host: String,
    repository: String,
    patience: Duration,
}

impl Registry {
    /// Gets ready to speak to the registry of an image.
    ///
    /// # Errors
    /// The user's credentials cannot be read.
    pub(super) fn new(image: &Image, platform: Option<Platform>, manner: Manner) -> Result<Self> {
        tls::set_up();
        let host = image.registry().to_owned();
        let config = ClientConfig {
            protocol: transport::protocol(&host, manner),
            connect_timeout: Some(manner.patience),
            read_timeout: Some(manner.patience),
            use_monolithic_push: true,
            platform_resolver: platform.map(|platform| {
                let resolve = move |entries: &[ImageIndexEntry]| choose(entries, platform);
                Box::new(resolve) as Box<_>
            }),
            user_agent: concat!("rop/", env!("CARGO_PKG_VERSION")),
            ..ClientConfig::default()
        };
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Self {
            client: Client::try_from(config)
                .context(|| "failed to set TLS up")
                .map_err(|error| error.hint(NO_AUTHORITY))?,
            auth: credentials::of(&host)?,
            runtime: runtime.context(|| "failed to set the network up")?,
            host,
            repository: image.repository(),
            patience: manner.patience,
        })
    }

    /// Asks whether the registry is there and takes the credentials, as far as it says so before
    /// anything is pushed.
    ///
    /// # Errors
    /// It does not answer, or refuses.
    pub(super) fn greet(&self) -> Result<()> {
        let reference = self.tagged("latest");
        self.wait(|| async {
            let operation = RegistryOperation::Push;
            self.client.auth(&reference, &self.auth, operation).await
        })
        .map(drop)
    }

    /// The digest that a name in the repository leads to.
    ///
    /// # Errors
    /// The registry does not answer, or has no such name.
    pub(super) fn digest(&self, image: &Image) -> Result<String> {
        let reference = self.tagged(image.tag().unwrap_or("latest"));
        self.wait(|| self.client.fetch_manifest_digest(&reference, &self.auth))
    }

    /// A name in the repository: that of a tag or a digest, which have the same place in addresses.
    fn tagged(&self, name: &str) -> Reference {
        Reference::with_tag(self.host.clone(), self.repository.clone(), name.to_owned())
    }

    /// Does something until it is done or cannot be.
    fn wait<T, F>(&self, attempt: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<T, oci_client::errors::OciDistributionError>>,
    {
        let failure = |error| Failure::new(error, &self.host, &self.auth, self.patience);
        let done = retry::until_done(|| async { attempt().await.map_err(failure) });
        self.runtime.block_on(done).map_err(|failure| failure.error)
    }
}

/// The image for a platform among several.
fn choose(entries: &[ImageIndexEntry], platform: Platform) -> Option<String> {
    let fits = |entry: &&ImageIndexEntry| {
        entry.platform.as_ref().is_some_and(|found| {
            found.os == Os::Linux
                && Arch::from(found.architecture.to_string().as_str()) == platform.architecture()
        })
    };
    entries.iter().find(fits).map(|entry| entry.digest.clone())
}
