//! Issues and rotates the certificate in the leader, and injects its CA.

use std::time::Duration;

use futures::stream::BoxStream;
use futures::stream::{self, SelectAll, StreamExt};
use k8s_openapi::ByteString;
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DynamicObject, ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::Managed;
use super::authority::Material;
use crate::clock;
use crate::error::in_full;
use crate::webhook::watched::watched;

/// A generous time for API servers to trust a new CA.
const SPREAD: Duration = Duration::from_secs(30);

/// The interval of checks without a change: certificates that are due still have a third of their validity left.
const INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The delay after an error.
const RETRY: Duration = Duration::from_secs(5);

/// An object with a CA bundle: a webhook configuration, or the CRD of a converted kind.
struct Configuration {
    api: Api<DynamicObject>,
    resource: ApiResource,
    name: String,
}

/// Keeps the certificate of the webhooks current. It writes, so it runs in the leader.
pub(crate) struct Keeper {
    managed: Managed,
    secrets: Api<Secret>,
    configurations: Vec<Configuration>,
    /// Since when all configurations have had these CAs.
    trusted: Option<(String, Instant)>,
}

impl Keeper {
    /// Creates a keeper that writes with `client`.
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
        let crds = managed
            .converted
            .iter()
            .map(|name| configuration::<CustomResourceDefinition>(client, Some(name)));
        Self {
            secrets: managed.secrets(client),
            configurations: configurations.into_iter().chain(crds).flatten().collect(),
            managed,
            trusted: None,
        }
    }

    /// Runs until `stop` is cancelled.
    pub(crate) async fn keep(mut self, stop: CancellationToken) {
        let mut changes = self.changes();
        loop {
            let pause = match self.step().await {
                Ok(pause) => pause,
                Err(error) => {
                    warn!(
                        error = in_full(&error),
                        "cannot manage the webhook certificate"
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

    /// Yields for each change of the Secret and of the configurations. Errors of watches are ignored: requests report
    /// them.
    fn changes(&self) -> SelectAll<BoxStream<'static, ()>> {
        let secret = watched(self.secrets.clone(), &self.managed.secret);
        let all = self
            .configurations
            .iter()
            .map(|kind| watched(kind.api.clone(), &kind.name));
        stream::select_all(all.chain([secret]))
    }

    /// Takes the steps that are due. Returns the time until the next check.
    async fn step(&mut self) -> Result<Duration, kube::Error> {
        let found = self.secrets.get_opt(&self.managed.secret).await?;
        let data = found
            .as_ref()
            .and_then(|secret| secret.data.clone())
            .unwrap_or_default();
        let current = Material::of(&data);
        if current.is_none() && !data.is_empty() {
            let secret = &self.managed.secret;
            warn!(%secret, "the Secret contains other data: use an empty one (--webhook-secret-name)");
            return Ok(INTERVAL);
        }
        let current = current.filter(|current| self.is_usable(current));
        let trusted_for = match &current {
            Some(current) => self.trusted_for(&current.authorities).await?,
            None => None,
        };
        let is_trusted = trusted_for.is_some_and(|known| known >= SPREAD);
        if let Some(next) = self.next(current.as_ref(), is_trusted) {
            self.write(found, next).await?;
        }
        // Everything else causes a change event.
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
        let next = match current {
            Some(current) => current.next(operator, hosts, now, is_trusted),
            None => Material::new(operator, hosts, now).map(Some),
        };
        next.unwrap_or_else(|error| {
            warn!(error = in_full(&*error), "cannot create a certificate");
            None
        })
    }

    /// Whether the content of the Secret can be used. If not, it must not be trusted.
    fn is_usable(&self, current: &Material) -> bool {
        let usable = current.check(clock::now());
        if let Err(error) = &usable {
            let (secret, error) = (&self.managed.secret, in_full(&**error));
            warn!(%secret, error, "the certificate in the Secret is invalid: issuing a new one");
        }
        usable.is_ok()
    }

    /// Adds these CAs to all configurations, and returns for how long they have had them. `None` if a configuration
    /// does not exist yet.
    async fn trusted_for(&mut self, authorities: &str) -> Result<Option<Duration>, kube::Error> {
        let known = self.trusted.take();
        let mut is_trusted = true;
        for configuration in &self.configurations {
            // A missing configuration does not delay the others.
            is_trusted &= configuration
                .trusts(authorities, self.managed.operator)
                .await?;
        }
        if !is_trusted {
            return Ok(None);
        }
        let known = known.filter(|(known, _)| known == authorities);
        let since = known.map_or_else(Instant::now, |(_, since)| since);
        self.trusted = Some((authorities.to_owned(), since));
        Ok(Some(since.elapsed()))
    }

    /// Writes the Secret: over the revision that was read, or for the first time.
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
            let created = self.secrets.create(&params, &secret).await;
            if matches!(&created, Err(kube::Error::Api(answer)) if answer.code == 403) {
                warn!(secret = %name, "the Secret for the webhook certificate does not exist, and the operator is not allowed to create it: apply config/webhook, for example with `rop deploy`");
            }
            created?;
        }
        info!(secret = %name, "issued a certificate for the webhooks");
        Ok(())
    }
}

impl Configuration {
    /// Adds these CAs to all webhooks of the object that call the operator. Returns false if it does not exist yet.
    async fn trusts(&self, authorities: &str, operator: &str) -> Result<bool, kube::Error> {
        let Some(configuration) = self.api.get_opt(&self.name).await? else {
            return Ok(false);
        };
        let bundle = json!(ByteString(authorities.as_bytes().to_vec()));
        let missing = match &*self.resource.kind {
            "CustomResourceDefinition" => of_conversion(&configuration.data, &bundle),
            _ => of_webhooks(&configuration.data, &bundle),
        };
        let manager = format!("{operator}/webhooks");
        let mut metadata = configuration.metadata;
        if !missing.is_empty() {
            metadata = self.patch(&manager, missing).await?;
            let kind = &self.resource.kind;
            info!(%kind, name = %self.name, "updated the caBundle of the webhooks");
        }
        // Not with server-side apply: then another client could not remove a webhook or a conversion by an apply. The
        // API server would keep the fields that the operator owns, and reject the object because the others are
        // missing.
        loop {
            match disowned(&metadata, &manager) {
                owned if owned.is_empty() => return Ok(true),
                owned => metadata = self.patch(&manager, owned).await?,
            }
        }
    }

    /// Applies a JSON patch: completely, or not at all if one of its tests fails because of a concurrent change.
    async fn patch(&self, manager: &str, operations: Vec<Value>) -> kube::Result<ObjectMeta> {
        let operations = serde_json::from_value(operations.into());
        let patch = Patch::<()>::Json(operations.map_err(kube::Error::SerdeError)?);
        let params = PatchParams {
            field_manager: Some(manager.to_owned()),
            ..PatchParams::default()
        };
        let patched = self.api.patch(&self.name, &params, &patch).await?;
        Ok(patched.metadata)
    }
}

/// The JSON patch that sets the CA bundle of all webhooks in a configuration. Empty if they have it.
fn of_webhooks(configuration: &Value, bundle: &Value) -> Vec<Value> {
    let webhooks = configuration["webhooks"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate();
    let missing = webhooks.filter(|(_, webhook)| webhook["clientConfig"]["caBundle"] != *bundle);
    let operations = missing.flat_map(|(index, webhook)| {
        let path = format!("/webhooks/{index}");
        [
            // Other webhooks may have been inserted before it in the meantime.
            json!({ "op": "test", "path": format!("{path}/name"), "value": webhook["name"] }),
            json!({ "op": "add", "path": format!("{path}/clientConfig/caBundle"), "value": bundle }),
        ]
    });
    operations.collect()
}

/// The JSON patch that sets the CA bundle of the conversion in a CRD. Empty if it has it, or if there is no webhook.
fn of_conversion(crd: &Value, bundle: &Value) -> Vec<Value> {
    let conversion = &crd["spec"]["conversion"];
    let is_called = conversion["strategy"] == "Webhook";
    let is_missing = conversion["webhook"]["clientConfig"]["caBundle"] != *bundle;
    if !is_called || !is_missing {
        return Vec::new();
    }
    let path = "/spec/conversion";
    vec![
        json!({ "op": "test", "path": format!("{path}/strategy"), "value": "Webhook" }),
        json!({ "op": "add", "path": format!("{path}/webhook/clientConfig/caBundle"), "value": bundle }),
    ]
}

/// The JSON patch that removes a manager from the managed fields of an object. Empty if it is not there.
///
/// Up to release 0.1, it owned each webhook as a whole, by server-side apply.
fn disowned(metadata: &ObjectMeta, manager: &str) -> Vec<Value> {
    let entries = metadata.managed_fields.iter().flatten().enumerate();
    let mut own = entries.filter(|(_, entry)| entry.manager.as_deref() == Some(manager));
    // One at a time, because it changes the indexes after it.
    let operations = own.next().map(|(index, _)| {
        let path = format!("/metadata/managedFields/{index}");
        let own = json!({ "op": "test", "path": format!("{path}/manager"), "value": manager });
        [own, json!({ "op": "remove", "path": path })]
    });
    operations.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::testing::api_server::ApiServer;

    fn keeper(server: &ApiServer) -> Keeper {
        keeper_of(server, &[])
    }

    /// A keeper that also handles converted kinds.
    fn keeper_of(server: &ApiServer, crds: &[&str]) -> Keeper {
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
            converted: crds.iter().map(|&name| name.to_owned()).collect(),
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
            keeper.step().await.unwrap();
            let made = data(&keeper).await;
            assert!(Material::of(&made).is_some());
            assert_eq!(keeper.step().await.unwrap(), SPREAD);
            tokio::time::advance(SPREAD).await;
            assert_eq!(keeper.step().await.unwrap(), INTERVAL);
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
        assert_eq!(keeper.step().await.unwrap(), INTERVAL);
        assert_eq!(Some(data(&keeper).await), other.data);
    }

    /// A CRD with this plural and conversion.
    fn crd(plural: &str, conversion: &Value) -> CustomResourceDefinition {
        let singular = plural.trim_end_matches('s');
        let version = json!({
            "name": "v1", "served": true, "storage": true,
            "schema": { "openAPIV3Schema": { "type": "object" } },
        });
        let crd = json!({
            "metadata": { "name": format!("{plural}.shop.example.com") },
            "spec": {
                "group": "shop.example.com", "scope": "Namespaced", "versions": [version],
                "names": { "plural": plural, "singular": singular, "kind": singular.to_uppercase() },
                "conversion": conversion,
            },
        });
        serde_json::from_value(crd).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn the_crds_of_kinds_that_are_converted_trust_the_authority() {
        let server = ApiServer::new();
        let client_config = json!({ "url": "https://localhost:9443/convert" });
        let webhook = json!({ "conversionReviewVersions": ["v1"], "clientConfig": client_config });
        let converted = json!({ "strategy": "Webhook", "webhook": webhook });
        let names = [
            "later.shop.example.com",
            "apps.shop.example.com",
            "plains.shop.example.com",
        ];
        server.add_crd(&crd("apps", &converted));
        server.add_crd(&crd("plains", &json!({ "strategy": "None" })));
        let mut keeper = keeper_of(&server, &names);
        keeper.step().await.unwrap();

        // A missing object does not delay the others.
        assert_eq!(keeper.step().await.unwrap(), INTERVAL);
        let conversion = |name: &str| {
            let group = "apiextensions.k8s.io";
            let crd = server.object(group, "customresourcedefinitions", "", name);
            crd.unwrap()["spec"]["conversion"].clone()
        };
        let authorities = data(&keeper).await["ca.crt"].clone();
        let mut expected = converted.clone();
        expected["webhook"]["clientConfig"]["caBundle"] = json!(authorities);
        assert_eq!(conversion(names[1]), expected);
        assert_eq!(conversion(names[2]), json!({ "strategy": "None" }));

        server.add_crd(&crd("later", &converted));
        assert_eq!(keeper.step().await.unwrap(), SPREAD);
        assert_eq!(conversion(names[0]), expected);
        // A CRD that is created again has no bundle, and is not trusted until it has one.
        let writes = server.writes_since(0).len();
        tokio::time::advance(SPREAD).await;
        assert_eq!(keeper.step().await.unwrap(), INTERVAL);
        assert_eq!(server.writes_since(0).len(), writes);
        let crds = Api::<CustomResourceDefinition>::all(server.client());
        let patch = Patch::Merge(json!({ "spec": { "conversion": converted } }));
        let without = json!({ "webhook": { "clientConfig": { "caBundle": null } } });
        let without = Patch::Merge(json!({ "spec": { "conversion": without } }));
        for patch in [patch, without] {
            crds.patch(names[0], &PatchParams::default(), &patch)
                .await
                .unwrap();
        }
        assert_ne!(conversion(names[0]), expected);
        keeper.step().await.unwrap();
        assert_eq!(conversion(names[0]), expected);
    }

    const WEBHOOKS: &str = "validatingwebhookconfigurations";

    /// A configuration with webhooks of these names, as applied on deployment.
    fn configuration(names: &[&str]) -> Value {
        let webhook = |name: &&str| {
            json!({
                "name": name, "admissionReviewVersions": ["v1"], "sideEffects": "None",
                "clientConfig": { "service": { "name": "webhook-service", "namespace": "shop", "path": "/x" } },
            })
        };
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingWebhookConfiguration",
            "metadata": { "name": "hooks" },
            "webhooks": names.iter().map(webhook).collect::<Vec<_>>(),
        })
    }

    async fn apply(server: &ApiServer, manager: &str, configuration: Value) {
        let api = Api::<ValidatingWebhookConfiguration>::all(server.client());
        let params = PatchParams::apply(manager);
        let applied = api
            .patch("hooks", &params, &Patch::Apply(configuration))
            .await;
        applied.unwrap();
    }

    /// The names of the webhooks, with whether they have a bundle, and the managers.
    fn hooks(server: &ApiServer) -> (Vec<(String, bool)>, Vec<String>) {
        let group = "admissionregistration.k8s.io";
        let hooks = server.object(group, WEBHOOKS, "", "hooks").unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let webhooks = hooks["webhooks"].as_array().unwrap().iter().map(|hook| {
            (
                text(&hook["name"]),
                hook["clientConfig"]["caBundle"].is_string(),
            )
        });
        let managers = hooks["metadata"]["managedFields"]
            .as_array()
            .unwrap()
            .iter();
        (
            webhooks.collect(),
            managers.map(|entry| text(&entry["manager"])).collect(),
        )
    }

    /// A real API server would keep the operator's part of a webhook, and reject the rollback because the other fields
    /// are missing.
    #[tokio::test(start_paused = true)]
    async fn whoever_deploys_may_take_webhooks_away_and_bring_them_back() {
        let server = ApiServer::new();
        let mut keeper = keeper_of(&server, &[]);
        let client = server.client();
        keeper.managed.validating = Some("hooks".to_owned());
        let mut keeper = Keeper::new(keeper.managed, &client);
        let bundle = json!({ "webhooks": [{ "name": "a.example.com", "clientConfig": { "caBundle": "YQ==" } }] });
        let with = |owned: &Value| {
            let mut patch = configuration(&[]);
            patch["webhooks"] = owned["webhooks"].clone();
            patch
        };
        apply(
            &server,
            "rop",
            configuration(&["a.example.com", "b.example.com"]),
        )
        .await;
        // Like the operator of release 0.1.
        apply(&server, "shop/webhooks", with(&bundle)).await;
        keeper.step().await.unwrap();
        keeper.step().await.unwrap();
        let all = |names: &[&str]| {
            names
                .iter()
                .map(|name| ((*name).to_owned(), true))
                .collect::<Vec<_>>()
        };
        let ours = vec!["rop".to_owned()];
        assert_eq!(
            hooks(&server),
            (all(&["a.example.com", "b.example.com"]), ours.clone())
        );

        apply(&server, "rop", configuration(&["b.example.com"])).await;
        assert_eq!(hooks(&server), (all(&["b.example.com"]), ours.clone()));
        apply(
            &server,
            "rop",
            configuration(&["c.example.com", "b.example.com"]),
        )
        .await;
        keeper.step().await.unwrap();
        assert_eq!(
            hooks(&server),
            (all(&["c.example.com", "b.example.com"]), ours)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn garbage_in_the_secret_is_trusted_by_nobody() {
        let server = ApiServer::new();
        let webhook = json!({
            "conversionReviewVersions": ["v1"],
            "clientConfig": { "url": "https://localhost:9443/convert" },
        });
        server.add_crd(&crd(
            "apps",
            &json!({ "strategy": "Webhook", "webhook": webhook }),
        ));
        let mut keeper = keeper_of(&server, &["apps.shop.example.com"]);
        let garbage = ["ca.crt", "ca.key", "tls.crt", "tls.key"].map(|name| (name, "garbage"));
        let params = PostParams::default();
        keeper
            .secrets
            .create(&params, &secret(&garbage))
            .await
            .unwrap();
        keeper.step().await.unwrap();
        let group = "apiextensions.k8s.io";
        let crd = server.object(
            group,
            "customresourcedefinitions",
            "",
            "apps.shop.example.com",
        );
        assert_eq!(crd.unwrap()["spec"]["conversion"]["webhook"], webhook);
        assert!(Material::of(&data(&keeper).await).is_some_and(|made| keeper.is_usable(&made)));
    }
}
