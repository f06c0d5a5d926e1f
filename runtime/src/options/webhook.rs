//! Where and how webhooks are served, by the flags that kubebuilder's operators have.

use std::path::PathBuf;

use clap::{ArgAction, Args};

#[cfg(feature = "webhook")]
use crate::certificate::Files;

/// Where and how webhooks are served. Without the feature `webhook` there are no such flags, and nothing reads it.
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
    /// Serve webhooks; =false to run the operator where the API server cannot reach it
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

    /// Port of the webhooks
    #[arg(long, value_name = "PORT", default_value_t = 9443)]
    pub webhook_port: u16,

    /// Secret of the certificate, which the operator makes and renews; its namespace is the operator's
    #[arg(long, env = "WEBHOOK_SECRET_NAME", value_name = "NAME")]
    pub webhook_secret_name: Option<String>,

    /// Service that the certificate in the Secret is for
    #[arg(
        long,
        env = "WEBHOOK_SERVICE_NAME",
        value_name = "NAME",
        default_value = "webhook-service"
    )]
    pub webhook_service_name: String,

    /// Mutating configuration that gets the authority of the Secret
    #[arg(long, env = "MUTATING_WEBHOOK_CONFIGURATION_NAME", value_name = "NAME")]
    pub mutating_webhook_configuration_name: Option<String>,

    /// Validating configuration that gets the authority of the Secret
    #[arg(
        long,
        env = "VALIDATING_WEBHOOK_CONFIGURATION_NAME",
        value_name = "NAME"
    )]
    pub validating_webhook_configuration_name: Option<String>,

    /// Folder of a certificate that somebody else makes and renews; the Secret is left alone then
    #[arg(long, value_name = "FOLDER")]
    pub webhook_cert_path: Option<PathBuf>,

    /// File of the certificate in that folder
    #[arg(long, value_name = "FILE", default_value = "tls.crt")]
    pub webhook_cert_name: PathBuf,

    /// File of the key in that folder
    #[arg(long, value_name = "FILE", default_value = "tls.key")]
    pub webhook_cert_key: PathBuf,
}

/// The defaults of the flags. The environment is not read.
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
    /// The files of the certificate, if a folder is set.
    pub(crate) fn files(&self) -> Option<Files> {
        let folder = self.webhook_cert_path.as_deref();
        Files::of(folder, &self.webhook_cert_name, &self.webhook_cert_key)
    }
}
