//! The leader makes the certificate and replaces it, and has the API server trust its authority.

use std::time::Duration;

use futures::stream::BoxStream;
use futures::stream::{self, SelectAll, StreamExt};
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ApiResource, DynamicObject, ObjectMeta, Patch, PatchParams, PostParams};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Resource};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::Managed;
use super::authority::Material;
use crate::clock;
use crate::error::in_full;

/// How long API servers take to see that an authority is to be trusted, by far.
const SPREAD: Duration = Duration::from_secs(30);

/// How often it is looked at, even without a change: what has to be replaced has a third of its time left.
const INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The pause after an error.
const RETRY: Duration = Duration::from_secs(5);

/// Who must trust the authority.
struct Configuration {
    api: Api<DynamicObject>,
    resource: ApiResource,
    name: String,
}

/// Keeps the certificate of the webhooks. It writes, so it runs in the leader.
pub(crate) struct Keeper {
    managed: Managed,
    secrets: Api<Secret>,
    configurations: Vec<Configuration>,
    /// Since when all configurations have had these authorities.
    trusted: Option<(String, Instant)>,
}

impl Keeper {
    /// A keeper that writes with `client`.
    pub(crate) fn new(managed: Managed, client: &Client) -> Self {
        fn configuration<K>(client: &Client, name: Option<&String>) -> Option<Configuration>
        where
            K: Resource<DynamicType = ()>,
        {
            let resource = ApiResource::erase::<K>(&());
            Some(Configuration {
                api: Api::all_with(client.clone(), &resource),
                name: name?.clone(),
                resource,
            })
        }
        let mutating = managed.mutating.as_ref();
        let validating = managed.validating.as_ref();
        let configurations = [
            configuration::<MutatingWebhookConfiguration>(client, mutating),
            configuration::<ValidatingWebhookConfiguration>(client, validating),
        ];
        Self {
            secrets: managed.secrets(client),
            configurations: configurations.into_iter().flatten().collect(),
            managed,
            trusted: None,
        }
    }

    /// Runs until `stop` is cancelled.
    pub(crate) async fn keep(mut self, stop: CancellationToken) {
        let mut changes = self.changes();
        loop {
            let pause = match self.look().await {
                Ok(pause) => pause,
                Err(error) => {
                    warn!(
                        error = in_full(&error),
                        "cannot keep the certificate of the webhooks"
                    );
                    RETRY
                }
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                Some(()) = changes.next() => {}
                () = sleep(pause) => {}
            }
        }
    }

    /// An item for each change of the Secret and of the configurations. Errors of watches repeat themselves in
    /// requests, which tell of them.
    fn changes(&self) -> SelectAll<BoxStream<'static, ()>> {
        fn watched<K>(api: Api<K>, name: &str) -> BoxStream<'static, ()>
        where
            K: Resource + Clone + serde::de::DeserializeOwned + std::fmt::Debug + Send + 'static,
        {
            let events = watcher::watch_object(api, name).default_backoff();
            events
                .filter_map(async |event| event.ok().map(drop))
                .boxed()
        }
        let secret = watched(self.secrets.clone(), &self.managed.secret);
        let all = self.configurations.iter();
        let all = all.map(|one| watched(one.api.clone(), &one.name));
        stream::select_all(all.chain([secret]))
    }

    /// Does what is due. Says after which time to look again.
    async fn look(&mut self) -> Result<Duration, kube::Error> {
        let secret = self.secrets.get_opt(&self.managed.secret).await?;
        let data = secret
            .as_ref()
            .and_then(|secret| secret.data.clone())
            .unwrap_or_default();
        let current = Material::of(&data);
        if current.is_none() && !data.is_empty() {
            let secret = &self.managed.secret;
            warn!(%secret, "this Secret is somebody else's: name one that is empty (--webhook-secret-name)");
            return Ok(INTERVAL);
        }
        let trusted_for = match &current {
            Some(current) => self.trusted_for(&current.authorities).await?,
            None => None,
        };
        let is_trusted = trusted_for.is_some_and(|known| known >= SPREAD);
        if let Some(next) = self.next(current.as_ref(), is_trusted) {
            self.write(secret, next).await?;
        }
        // Everything else is a change.
        Ok(match trusted_for {
            Some(known) if !is_trusted => SPREAD.saturating_sub(known),
            _ => INTERVAL,
        })
    }

    fn next(&self, current: Option<&Material>, is_trusted: bool) -> Option<Material> {
        let Managed {
            operator, hosts, ..
        } = &self.managed;
        let now = clock::now();
        if let Some(current) = current {
            match current.next(operator, hosts, now, is_trusted) {
                Ok(next) => return next,
                Err(error) => {
                    let (secret, error) = (&self.managed.secret, in_full(&*error));
                    warn!(%secret, error, "cannot use what the Secret holds: it is made anew");
                }
            }
        }
        match Material::new(operator, hosts, now) {
            Ok(made) => Some(made),
            Err(error) => {
                warn!(error = in_full(&*error), "cannot make a certificate");
                None
            }
        }
    }

    /// Has all configurations trust these authorities, and tells for how long they have. `None` if one of them does
    /// not exist yet.
    async fn trusted_for(&mut self, authorities: &str) -> Result<Option<Duration>, kube::Error> {
        let known = self.trusted.take();
        for configuration in &self.configurations {
            if !configuration
                .trusts(authorities, self.managed.operator)
                .await?
            {
                return Ok(None);
            }
        }
        let known = known.filter(|(known, _)| known == authorities);
        let since = known.map_or_else(Instant::now, |(_, since)| since);
        self.trusted = Some((authorities.to_owned(), since));
        Ok(Some(since.elapsed()))
    }

    /// Writes the Secret: of the revision that was read, or for the first time.
    async fn write(&self, read: Option<Secret>, next: Material) -> Result<(), kube::Error> {
        let (name, manager) = (&self.managed.secret, self.managed.operator.to_owned());
        let revision = read.map(|secret| secret.metadata.resource_version);
        let secret = Secret {
            metadata: ObjectMeta {
                name: Some(name.clone()),
                resource_version: revision.clone().flatten(),
                ..ObjectMeta::default()
            },
            data: Some(next.data()),
            ..Secret::default()
        };
        let field_manager = Some(manager);
        if revision.is_some() {
            let params = PatchParams {
                field_manager,
                ..PatchParams::default()
            };
            self.secrets
                .patch(name, &params, &Patch::Merge(secret))
                .await?;
        } else {
            let params = PostParams {
                field_manager,
                ..PostParams::default()
            };
            self.secrets.create(&params, &secret).await?;
        }
        info!(secret = %name, "made a certificate for the webhooks");
        Ok(())
    }
}

impl Configuration {
    /// Has all webhooks of the configuration trust these authorities. False if there is no such configuration yet.
    async fn trusts(&self, authorities: &str, operator: &str) -> Result<bool, kube::Error> {
        let Some(configuration) = self.api.get_opt(&self.name).await? else {
            return Ok(false);
        };
        let bundle = json!(ByteString(authorities.as_bytes().to_vec()));
        let webhooks = configuration.data["webhooks"].as_array();
        let webhooks = webhooks.map(Vec::as_slice).unwrap_or_default();
        if webhooks
            .iter()
            .all(|webhook| webhook["clientConfig"]["caBundle"] == bundle)
        {
            return Ok(true);
        }
        // Nothing else: what was applied stays, and whoever applies it again leaves this as it is.
        let with_bundle = |webhook: &Value| {
            let name = &webhook["name"];
            json!({ "name": name, "clientConfig": { "caBundle": bundle } })
        };
        let patch = json!({
            "apiVersion": self.resource.api_version,
            "kind": self.resource.kind,
            "webhooks": webhooks.iter().map(with_bundle).collect::<Vec<_>>(),
        });
        let params = PatchParams::apply(&format!("{operator}/webhooks")).force();
        self.api
            .patch(&self.name, &params, &Patch::Apply(patch))
            .await?;
        info!(kind = %self.resource.kind, name = %self.name, "the API server is told whom to trust");
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::testing::api_server::ApiServer;

    fn keeper(server: &ApiServer) -> Keeper {
        server.add_namespace("shop");
        let client = server.client();
        let managed = Managed {
            client: client.clone(),
            operator: "shop",
            secret: "cert".to_owned(),
            namespace: "shop".to_owned(),
            hosts: vec!["webhook-service.shop.svc".to_owned()],
            mutating: None,
            validating: None,
        };
        Keeper::new(managed, &client)
    }

    fn secret(data: &[(&str, &str)]) -> Secret {
        let data = data.iter();
        let bytes =
            |(name, text): &(&str, &str)| ((*name).to_owned(), ByteString(text.as_bytes().into()));
        Secret {
            metadata: ObjectMeta {
                name: Some("cert".to_owned()),
                ..ObjectMeta::default()
            },
            data: Some(data.map(bytes).collect()),
            ..Secret::default()
        }
    }

    async fn data(keeper: &Keeper) -> BTreeMap<String, ByteString> {
        let secret = keeper.secrets.get("cert").await.unwrap();
        secret.data.unwrap_or_default()
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_missing_or_unreadable_is_made_once() {
        let garbage = ["ca.crt", "ca.key", "tls.crt", "tls.key"].map(|name| (name, "garbage"));
        for there in [None, Some(secret(&[])), Some(secret(&garbage))] {
            let server = ApiServer::new();
            let mut keeper = keeper(&server);
            if let Some(there) = there {
                keeper
                    .secrets
                    .create(&PostParams::default(), &there)
                    .await
                    .unwrap();
            }
            keeper.look().await.unwrap();
            let made = data(&keeper).await;
            assert!(Material::of(&made).is_some());
            assert_eq!(keeper.look().await.unwrap(), SPREAD);
            tokio::time::advance(SPREAD).await;
            assert_eq!(keeper.look().await.unwrap(), INTERVAL);
            assert_eq!(data(&keeper).await, made);
        }
    }

    #[tokio::test]
    async fn what_is_of_somebody_else_stays() {
        let server = ApiServer::new();
        let mut keeper = keeper(&server);
        let other = secret(&[("tls.crt", "theirs"), ("tls.key", "theirs")]);
        keeper
            .secrets
            .create(&PostParams::default(), &other)
            .await
            .unwrap();
        assert_eq!(keeper.look().await.unwrap(), INTERVAL);
        assert_eq!(Some(data(&keeper).await), other.data);
    }
}
