//! The flags of the webhook server, with the names of kubebuilder's flags.

use std::path::PathBuf;

use clap::{ArgAction, Args};

#[cfg(feature = "webhook")]
use crate::certificate::Files;

/// The flags of the webhook server. Without the feature `webhook`, the flags do not exist and the
/// fields are ignored.
///
/// ```
/// use rop_runtime::{Options, WebhookOptions};
///
/// let options = Options {
///     webhook: WebhookOptions {
///         webhook_cert_path: Some("/tmp/k8s-webhook-server/serving-certs".into()),
///         ..WebhookOptions::default()
///     },
///     ..Options::default()
/// };
/// # assert_eq!(options.webhook.webhook_port, 9443);
/// ```
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct WebhookOptions {
    /// Serve webhooks; =false if the API server cannot reach the operator
    #[arg(
        long,
        env = "ENABLE_WEBHOOKS",
        value_name = "BOOL",
        action = ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_value_t = true,
        default_missing_value = "true"
    )]
    pub enable_webhooks: bool,

    /// Port of the webhook server
    #[arg(long, value_name = "PORT", default_value_t = 9443)]
    pub webhook_port: u16,

    /// Secret in which the operator stores and renews its certificate, in the operator's namespace
    #[arg(long, env = "WEBHOOK_SECRET_NAME", value_name = "NAME")]
    pub webhook_secret_name: Option<String>,

    /// Service for which the certificate in the Secret is issued
    #[arg(
        long,
        env = "WEBHOOK_SERVICE_NAME",
        value_name = "NAME",
        default_value = "webhook-service"
    )]
    pub webhook_service_name: String,

    /// Mutating webhook configuration into which the operator injects its CA
    #[arg(long, env = "MUTATING_WEBHOOK_CONFIGURATION_NAME", value_name = "NAME")]
    pub mutating_webhook_configuration_name: Option<String>,

    /// Validating webhook configuration into which the operator injects its CA
    #[arg(
        long,
        env = "VALIDATING_WEBHOOK_CONFIGURATION_NAME",
        value_name = "NAME"
    )]
    pub validating_webhook_configuration_name: Option<String>,

    /// Folder of a certificate issued by someone else; replaces the Secret
    #[arg(long, value_name = "FOLDER")]
    pub webhook_cert_path: Option<PathBuf>,

    /// File name of the certificate in --webhook-cert-path
    #[arg(long, value_name = "FILE", default_value = "tls.crt")]
    pub webhook_cert_name: PathBuf,

    /// File name of the key in --webhook-cert-path
    #[arg(long, value_name = "FILE", default_value = "tls.key")]
    pub webhook_cert_key: PathBuf,
}

/// Returns the defaults of the flags, ignoring environment variables.
impl Default for WebhookOptions {
    fn default() -> Self {
        Self {
            enable_webhooks: true,
            webhook_port: 9443,
            webhook_secret_name: None,
            webhook_service_name: "webhook-service".to_owned(),
            mutating_webhook_configuration_name: None,
            validating_webhook_configuration_name: None,
            webhook_cert_path: None,
            webhook_cert_name: "tls.crt".into(),
            webhook_cert_key: "tls.key".into(),
        }
    }
}

#[cfg(feature = "webhook")]
impl WebhookOptions {
    /// Returns the files of the certificate, if a folder is set.
    pub(crate) fn files(&self) -> Option<Files> {
        let folder = self.webhook_cert_path.as_deref();
        Files::of(folder, &self.webhook_cert_name, &self.webhook_cert_key)
    }
}
