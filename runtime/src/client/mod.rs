//! The connection to the API server.

mod limit;
mod pause;
mod proxy;

use hyper::header::{HeaderValue, USER_AGENT};
use hyper::{Request, Response};
use kube::client::{Body, ClientBuilder, DynBody};
use kube::{Client, Config};
use tokio_util::sync::CancellationToken;
use tower::{BoxError, Service, service_fn};

use crate::Options;
use crate::identity::Identity;
#[cfg(any(test, feature = "testing"))]
use crate::leader::over;
use crate::leader::{
    Elector, Guard, GuardLayer, InvalidSettings, Leadership, Settings, process_identity,
};
use crate::metrics::Metrics;
#[cfg(any(test, feature = "testing"))]
use crate::simulation::network::Dial;
pub(crate) use limit::LIMIT_OF_WRITES;
use limit::LimitLayer;
use pause::PauseLayer;
use proxy::Environment;

/// The connection to the API server, and who can write through it.
pub(crate) struct Connection {
    /// Writes while this process leads.
    pub(crate) client: Client,
    /// Takes part in the election, if there is one.
    pub(crate) elector: Option<Elector>,
    /// Whether this process leads.
    pub(crate) leadership: Leadership,
    /// All metrics, with the requests of both clients.
    pub(crate) metrics: Metrics,
    /// Needs no lease. It is for what every replica does.
    pub(crate) unguarded: Client,
    /// Ends the process when it is cancelled. Requests are then given up sooner.
    pub(crate) shutdown: CancellationToken,
}

/// Why there is no connection to the API server.
///
/// ```
/// use rop_runtime::{ConnectError, ManagerError};
///
/// fn is_about_a_proxy(error: &ManagerError) -> bool {
///     matches!(
///         error,
///         ManagerError::Connect(ConnectError::EnvironmentProxy { .. } | ConnectError::KubeconfigProxy(_))
///     )
/// }
/// ```
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// There is no configuration, or it cannot be used.
    #[error("no connection to a Kubernetes cluster")]
    Config(#[from] kube::Error),
    /// A flag of the election breaks a rule.
    #[error(transparent)]
    Election(#[from] InvalidSettings),
    /// `HTTPS_PROXY` is set, and `NO_PROXY` does not exclude the API server. Each connection for writes
    /// is guarded by the lease, which is not possible for connections of a proxy.
    #[error(
        "cannot reach the API server `{server}` through the proxy `{proxy}` of HTTPS_PROXY: this \
         operator only connects directly; hint: add `{server}` to NO_PROXY"
    )]
    EnvironmentProxy {
        /// The host of the proxy, without its credentials.
        proxy: String,
        /// The host of the API server.
        server: String,
    },
    /// The kubeconfig has a `proxy-url`. `NO_PROXY` does not apply to it, neither here nor in kubectl.
    #[error(
        "cannot reach the API server through the proxy `{0}` of the kubeconfig: this operator only \
         connects directly; hint: remove `proxy-url` from the kubeconfig (NO_PROXY does not apply to it)"
    )]
    KubeconfigProxy(String),
}

/// Connects as the kubeconfig says, or as the pod's service account, until `shutdown` is cancelled. Fails
/// if there is neither, if it cannot be used, or if a flag of the election breaks a rule.
pub(crate) async fn connect(
    identity: &Identity,
    options: &Options,
    shutdown: CancellationToken,
) -> Result<Connection, ConnectError> {
    let process = process_identity();
    let mut config = config(identity, &process).await?;
    proxy::connect_directly(&mut config, &Environment::read())?;
    let host = config.cluster_url.authority().map(ToString::to_string);
    let metrics = Metrics::new(identity);
    let counted = metrics.requests(&host.unwrap_or_default());
    let election = options.election.clone();
    let settings = election.settings(identity, &process, &config.default_namespace)?;
    let client = || Ok(ClientBuilder::try_from(config.clone())?.with_layer(&counted));
    let guard = |leadership| GuardLayer::new(&config, leadership, counted.clone());
    let limit = LimitLayer {
        writes: options.write_timeout,
        shutdown,
    };
    Connection::of(settings, metrics, client, guard, limit)
}

impl Connection {
    /// A connection of the services that `client` gives: what is written goes through what `guard` gives.
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

    /// A connection of a process that is simulated. Only the streams of bytes are others than those of
    /// [`connect`].
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
        let election = options.election.clone();
        let settings = election.settings(identity, process, &config.default_namespace)?;
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

    /// A connection through a client that exists already. A write is refused unless this process leads
    /// when it is sent; its bytes are not guarded one by one, as those of [`connect`] are. Fails if a
    /// flag of the election breaks a rule.
    pub(crate) fn with_client(
        identity: &Identity,
        options: &Options,
        client: &Client,
    ) -> Result<Self, ConnectError> {
        let namespace = client.default_namespace().to_owned();
        let metrics = Metrics::new(identity);
        // A client does not say which host it talks to.
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
        let election = options.election.clone();
        let settings = election.settings(identity, &process_identity(), &namespace)?;
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
    let leads = leadership.clone();
    metrics.leadership(&lease, move || leads.may_write());
    (Some(elector), leadership)
}

async fn config(identity: &Identity, process: &str) -> kube::Result<Config> {
    let mut config = Config::infer().await.map_err(kube::Error::InferConfig)?;
    // kube retries some failures within a request, up to minutes, during which the reconcile counts as
    // running. The backoff of the object does that better.
    config.default_retry = false;
    // Names this process in the audit log.
    let agent = format!("{}/{} ({process})", identity.name(), identity.version());
    if let Ok(agent) = HeaderValue::from_str(&agent) {
        config.headers.push((USER_AGENT, agent));
    }
    Ok(config)
}

#[cfg(test)]
mod tests {
    use hyper::{Method, StatusCode};
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::Api;
    use kube::api::{DeleteParams, ListParams};

    use super::{Connection, Identity, Options};
    use crate::leader::{Flags, NotLeading};
    use crate::testing::client;

    const IDENTITY: Identity = Identity::new("app", "1.0.0");

    #[tokio::test]
    async fn a_given_client_is_guarded_and_counted() {
        let server = client(|method, _, _| {
            assert_eq!(method, Method::GET);
            (StatusCode::OK, r#"{"items":[]}"#.to_owned())
        });
        let options = Options {
            election: Flags {
                leader_elect: true,
                ..Flags::default()
            },
            ..Options::default()
        };
        let connection = Connection::with_client(&IDENTITY, &options, &server).unwrap();
        let api = Api::<ConfigMap>::default_namespaced(connection.client);
        assert!(api.list(&ListParams::default()).await.is_ok());
        let error = api.delete("a", &DeleteParams::default()).await.unwrap_err();
        assert!(NotLeading::is_cause_of(&error));
        let text = connection.metrics.text().unwrap();
        assert!(text.contains("leader_election_master_status{name=\"app\"} 0"));
    }
}
