//! Loads the certificate from the Secret, in every replica.

use std::pin::pin;

use futures::StreamExt;
use kube::runtime::{WatchStreamExt, watcher};
use tracing::warn;

use super::Managed;
use super::authority::Material;
use crate::certificate::{Certificate, Content};
use crate::error::in_full;

impl Managed {
    /// Uses the content of the Secret, whenever it changes.
    pub(crate) async fn follow(self, mut certificate: Certificate) {
        let secrets = self.secrets(&self.client);
        let watched = watcher::watch_object(secrets, &self.secret).default_backoff();
        let mut watched = pin!(watched);
        while let Some(event) = watched.next().await {
            let data = match event {
                Ok(secret) => secret.and_then(|secret| secret.data),
                Err(error) => {
                    let secret = &self.secret;
                    warn!(%secret, error = in_full(&error), "cannot watch the webhook certificate");
                    continue;
                }
            };
            // A deleted Secret is created again; until then, the last certificate stays in use.
            if let Some(material) = data.as_ref().and_then(Material::of) {
                let content = Content::new(material.certificate, material.key);
                certificate.replace(content, &format!("Secret {}", self.secret));
            }
        }
    }
}
