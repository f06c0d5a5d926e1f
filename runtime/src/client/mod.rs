//! The connection to the API server.

mod pause;

use hyper::header::{HeaderValue, USER_AGENT};
use kube::client::ClientBuilder;
use kube::{Client, Config};

use super::leader::{Elector, Flags, GuardLayer, InvalidSettings, Leadership, identity};
use super::metrics::Metrics;
use pause::PauseLayer;

/// The connection to the API server, and who may write through it.
pub struct Connection {
    /// Writes while this process leads.
    pub client: Client,
    /// Takes part in the election, where there is one.
    pub elector: Option<Elector>,
    /// Whether this process leads.
    pub leadership: Leadership,
    /// Where requests are counted, and all else.
    pub metrics: Metrics,
    /// Needs no lease. It is for what every replica does.
    pub unguarded: Client,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// There is no configuration, or it cannot be used.
    #[error("no connection to a Kubernetes cluster")]
    Config(#[from] kube::Error),
    /// A flag breaks a rule.
    #[error(transparent)]
    Election(#[from] InvalidSettings),
    /// A proxy stands between. What writes guards each of its connections, and cannot guard a proxy's.
    #[error(
        "this operator cannot reach the API server through a proxy, such as {0}: connect directly, \
         without `proxy-url` in the kubeconfig and without HTTPS_PROXY in the environment"
    )]
    Proxy(String),
}

/// Connects as the kubeconfig says, or as the pod's service account.
///
/// # Errors
/// Where there is neither, or it cannot be used.
pub async fn connect(election: Flags) -> Result<Connection, ConnectError> {
    let (identity, metrics) = (identity(), Metrics::new());
    let config = config(&identity).await?;
    is_direct(&config)?;
    let host = config.cluster_url.authority().map(ToString::to_string);
    let counted = metrics.requests(&host.unwrap_or_default());
    let unguarded = ClientBuilder::try_from(config.clone())?
        .with_layer(&counted)
        .build();

    let (elector, leadership) = match election.settings(&identity, &config.default_namespace)? {
        Some(settings) => {
            let lease = settings.name.clone();
            let (elector, leadership) = Elector::new(unguarded.clone(), settings);
            let leads = leadership.clone();
            metrics.leadership(&lease, move || leads.may_write());
            (Some(elector), leadership)
        }
        None => (None, Leadership::always()),
    };
    let guard = GuardLayer::new(&config, leadership.clone(), counted.clone())?;
    let client = ClientBuilder::try_from(config)?
        .with_layer(&counted)
        .with_layer(&guard)
        .with_layer(&PauseLayer)
        .build();
    Ok(Connection {
        client,
        elector,
        leadership,
        metrics,
        unguarded,
    })
}

/// Refuses a proxy, whose name alone is told: its address may hold a password.
fn is_direct(config: &Config) -> Result<(), ConnectError> {
    let Some(proxy) = &config.proxy_url else {
        return Ok(());
    };
    let name = proxy.host().unwrap_or_default();
    Err(ConnectError::Proxy(name.to_owned()))
}

async fn config(identity: &str) -> kube::Result<Config> {
    let mut config = Config::infer().await.map_err(kube::Error::InferConfig)?;
    // kube retries some failures within a request, up to minutes, while the reconcile holds its place.
    // The backoff of the object does that better.
    config.default_retry = false;
    // Names this process in the audit log.
    let agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
    if let Ok(agent) = HeaderValue::from_str(&format!("{agent} ({identity})")) {
        config.headers.push((USER_AGENT, agent));
    }
    Ok(config)
}
