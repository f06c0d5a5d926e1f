//! The webhook certificate that the operator manages in a Secret.
//!
//! Every replica reads the Secret through the API, because a mounted Secret is updated up to a
//! minute later. Only the leader writes it, and injects its CA into the webhook configurations and
//! the CRDs of converted kinds, by name.

mod authority;
mod facts;
mod follow;
mod keeper;

use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client};

pub(crate) use keeper::Keeper;

use super::Handlers;
use crate::{Identity, WebhookOptions};

/// The certificate, and the objects that trust its CA.
#[derive(Clone)]
pub(crate) struct Managed {
    /// Reads in every replica.
    client: Client,
    /// The name of the operator.
    operator: &'static str,
    secret: String,
    namespace: String,
    /// The host names by which the API server calls the operator.
    hosts: Vec<String>,
    mutating: Option<String>,
    validating: Option<String>,
    /// The CRDs of the converted kinds.
    converted: Vec<String>,
}

impl Managed {
    /// Returns the settings from the flags, if the operator is to issue its certificate. `client` only reads.
    pub(crate) fn of(
        options: &WebhookOptions,
        identity: &Identity,
        client: Client,
        handlers: &Handlers,
    ) -> Option<Self> {
        let secret = options
            .webhook_secret_name
            .clone()
            .filter(|_| options.webhook_cert_path.is_none())?;
        let namespace = client.default_namespace().to_owned();
        let service = format!("{}.{namespace}.svc", options.webhook_service_name);
        Some(Self {
            client,
            operator: identity.name(),
            secret,
            namespace,
            // During development, configurations call the operator by URL.
            hosts: vec![service, "localhost".to_owned(), "127.0.0.1".to_owned()],
            mutating: options.mutating_webhook_configuration_name.clone(),
            validating: options.validating_webhook_configuration_name.clone(),
            converted: handlers.conversions().crds(),
        })
    }

    fn secrets(&self, client: &Client) -> Api<Secret> {
        Api::namespaced(client.clone(), &self.namespace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::api_server::ApiServer;

    /// The Secret may belong to cert-manager, for example: it is not changed.
    #[tokio::test]
    async fn a_folder_comes_before_the_secret() {
        let client = ApiServer::new().client();
        let identity = Identity::new("shop", "shop.example.com");
        let mut options = WebhookOptions {
            webhook_secret_name: Some("cert".to_owned()),
            ..WebhookOptions::default()
        };
        let handlers = Handlers::default();
        let managed =
            |options: &_| Managed::of(options, &identity, client.clone(), &handlers).is_some();
        assert!(managed(&options));
        options.webhook_cert_path = Some("/certs".into());
        assert!(!managed(&options));
    }
}
