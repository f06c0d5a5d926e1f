//! Connects to the API server.

mod dial;
mod limit;
mod pause;
mod proxy;

use hyper::header::{HeaderValue, USER_AGENT};
use hyper::{Request, Response};
use kube::client::{Body, ClientBuilder, ConfigExt, DynBody};
use kube::{Client, Config};
use tokio_util::sync::CancellationToken;
use tower::{BoxError, Service, service_fn};

use crate::Options;
use crate::identity::Identity;
use crate::leader::{
    Elector, Guard, GuardLayer, InvalidSettings, Leadership, Settings, over, process_identity,
};
use crate::metrics::Metrics;
#[cfg(any(test, feature = "testing"))]
use crate::simulation::network::Dial;
pub(crate) use dial::connector;
pub(crate) use limit::LIMIT_OF_WRITES;
use limit::LimitLayer;
use pause::PauseLayer;
use proxy::Environment;

/// The connection to the API server, and the clients with and without the guard of writes.
pub(crate) struct Connection {
    /// Can write while this process is the leader.
    pub(crate) client: Client,
    /// Takes part in the election, if there is one.
    pub(crate) elector: Option<Elector>,
    /// Whether this process is the leader.
    pub(crate) leadership: Leadership,
    /// All metrics, including the requests of both clients.
    pub(crate) metrics: Metrics,
    /// Can always write, for work that every replica does.
    pub(crate) unguarded: Client,
    /// Ends the process when it is cancelled. Then time limits of requests are shorter.
    pub(crate) shutdown: CancellationToken,
}

/// An error when connecting to the API server.
///
/// ```
/// use rop_runtime::{ConnectError, ManagerError};
///
/// fn is_about_a_proxy(error: &ManagerError) -> bool {
///     matches!(error, ManagerError::Connect(ConnectError::Proxy { .. }))
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The configuration is missing or invalid.
    #[error("no connection to a Kubernetes cluster")]
    Config(#[from] kube::Error),
    /// A flag of leader election is invalid.
    #[error(transparent)]
    Election(#[from] InvalidSettings),
    /// The type of the proxy of `HTTPS_PROXY`, or of `proxy-url` in the kubeconfig, is not
    /// supported.
    #[error(
        "cannot reach the API server through the proxy `{proxy}`: its address begins with `{scheme}://`; \
         hint: use one with `http://` or `socks5://`"
    )]
    Proxy {
        /// The host of the proxy, without credentials.
        proxy: String,
        /// The scheme of its address.
        scheme: String,
    },
}

/// Connects with the kubeconfig or the pod's service account, until `shutdown` is cancelled. Fails if there is neither,
/// if it is invalid, or if a flag of the election is invalid.
pub(crate) async fn connect(
    identity: &Identity,
    options: &Options,
    shutdown: CancellationToken,
) -> Result<Connection, ConnectError> {
    let process = process_identity();
    let mut config = config(identity, &process).await?;
    proxy::choose(&mut config, &Environment::read())?;
    connect_by(identity, &process, options, &config, shutdown)
}

/// Connects with a configuration, through its proxy if it has one.
fn connect_by(
    identity: &Identity,
    process: &str,
    options: &Options,
    config: &Config,
    shutdown: CancellationToken,
) -> Result<Connection, ConnectError> {
    let host = config.cluster_url.authority().map(ToString::to_string);
    let metrics = Metrics::new(identity);
    let counted = metrics.requests(&host.unwrap_or_default());
    let settings = options
        .election
        .settings(identity, process, &config.default_namespace)?;
    let guard = |leadership| GuardLayer::new(config, leadership, counted.clone());
    let limit = LimitLayer {
        writes: options.write_timeout,
        shutdown,
    };
    if config.proxy_url.is_none() {
        let client = || Ok(ClientBuilder::try_from(config.clone())?.with_layer(&counted));
        return Connection::of(settings, metrics, client, guard, limit);
    }
    // kube supports proxies only with more features, and writes need these connections anyway.
    let client = || {
        let connector = config.rustls_https_connector_with_connector(connector(config))?;
        let reads = over(config, connector, counted.clone())?;
        Ok(ClientBuilder::new(reads, &*config.default_namespace))
    };
    Connection::of(settings, metrics, client, guard, limit)
}

impl Connection {
    /// A connection over the services that `client` creates. Writes also pass through `guard`.
    fn of<S>(
        settings: Option<Settings>,
        metrics: Metrics,
        client: impl Fn() -> kube::Result<ClientBuilder<S>>,
        guard: impl FnOnce(Leadership) -> kube::Result<GuardLayer>,
        limit: LimitLayer,
    ) -> Result<Self, ConnectError>
    where
        S: Service<
                Request<Body>,
                Response = Response<Box<DynBody>>,
                Error = BoxError,
                Future: Send,
            > + Send
            + 'static,
    {
        let unguarded = client()?.with_layer(&limit).build();
        let (elector, leadership) = elector(&unguarded, settings, &metrics);
        let client = client()?
            .with_layer(&guard(leadership.clone())?)
            // Above the guard, for both of its connections, and below the pause, which does not count.
            .with_layer(&limit)
            .with_layer(&PauseLayer)
            .build();
        Ok(Self {
            client,
            elector,
            leadership,
            metrics,
            unguarded,
            shutdown: limit.shutdown,
        })
    }

    /// The connection of a simulated process. Only the byte streams differ from those of [`connect`].
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn simulated(
        identity: &Identity,
        process: &str,
        options: &Options,
        config: &Config,
        dial: &Dial,
        shutdown: CancellationToken,
    ) -> Result<Self, ConnectError> {
        let metrics = Metrics::new(identity);
        let counted = metrics.requests("simulated");
        let settings = options
            .election
            .settings(identity, process, &config.default_namespace)?;
        let client = || {
            let reads = over(config, dial.clone(), counted.clone())?;
            Ok(ClientBuilder::new(reads, &*config.default_namespace))
        };
        let guard =
            |leadership| GuardLayer::simulated(config, dial.clone(), leadership, counted.clone());
        let limit = LimitLayer {
            writes: options.write_timeout,
            shutdown,
        };
        Self::of(settings, metrics, client, guard, limit)
    }

    /// A connection through an existing client. A write is rejected unless this process is the leader when it is sent.
    /// Unlike with [`connect`], its bytes are not guarded individually. Fails if a flag of the election is invalid.
    pub(crate) fn with_client(
        identity: &Identity,
        options: &Options,
        client: &Client,
    ) -> Result<Self, ConnectError> {
        let namespace = client.default_namespace().to_owned();
        let metrics = Metrics::new(identity);
        // A client does not reveal its host.
        let counted = metrics.requests("");
        let sent = {
            let client = client.clone();
            service_fn(move |request: Request<Body>| {
                let client = client.clone();
                async move { client.send(request).await.map_err(BoxError::from) }
            })
        };
        let shutdown = CancellationToken::new();
        let limit = LimitLayer {
            writes: options.write_timeout,
            shutdown: shutdown.clone(),
        };
        let unguarded = ClientBuilder::new(sent.clone(), namespace.clone())
            .with_layer(&counted)
            .with_layer(&limit)
            .build();
        let settings = options
            .election
            .settings(identity, &process_identity(), &namespace)?;
        let (elector, leadership) = elector(&unguarded, settings, &metrics);
        let guarded = Guard::new(leadership.clone(), sent.clone(), sent);
        let client = ClientBuilder::new(guarded, namespace)
            .with_layer(&counted)
            .with_layer(&limit)
            .with_layer(&PauseLayer)
            .build();
        Ok(Self {
            client,
            elector,
            leadership,
            metrics,
            unguarded,
            shutdown,
        })
    }
}

/// Takes part in the election, if there is one.
fn elector(
    unguarded: &Client,
    settings: Option<Settings>,
    metrics: &Metrics,
) -> (Option<Elector>, Leadership) {
    let Some(settings) = settings else {
        return (None, Leadership::always());
    };
    let lease = settings.name.clone();
    let (elector, leadership) = Elector::new(unguarded.clone(), settings);
    metrics.leadership(&lease, leadership.clone());
    (Some(elector), leadership)
}

async fn config(identity: &Identity, process: &str) -> kube::Result<Config> {
    let mut config = Config::infer().await.map_err(kube::Error::InferConfig)?;
    // kube retries some failures within a request, for up to minutes, during which the reconcile counts as running. The
    // backoff of the object is better suited.
    config.default_retry = false;
    // Names this process in the audit log.
    let agent = format!("{}/{} ({process})", identity.name(), identity.version());
    if let Ok(agent) = HeaderValue::from_str(&agent) {
        config.headers.push((USER_AGENT, agent));
    }
    Ok(config)
}

#[cfg(test)]
mod tests;
