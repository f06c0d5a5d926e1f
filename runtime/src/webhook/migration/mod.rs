//! Migrates stored objects to the storage version, so that an old version can be removed.
//!
//! A CRD lists in `status.storedVersions` the versions in which objects may be stored. Changing the
//! storage version rewrites nothing, and a listed version cannot be removed from the CRD. So the
//! leader rewrites all objects with empty patches, and then trims the list. It can be killed at any
//! time: the next leader starts again, and patches of migrated objects write nothing.
//!
//! Objects also record which manager set which field in which version (`metadata.managedFields`).
//! If such a version is removed from the CRD, every server-side apply of the object fails (observed
//! with 1.36.3). So versions that are no longer served are replaced by the storage version.

mod crd;
mod fields;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream, SelectAll};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DynamicObject, ListParams, PartialObjectMeta, Patch, PatchParams};
use kube::core::Request;
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::error::in_full;
use crate::informer::Raw;
use crate::webhook::watched::watched;
use crd::Crd;

/// A generous time for other API servers to notice a new storage version. Until then, they store objects in the old
/// one.
const SPREAD: Duration = Duration::from_secs(30);

/// The delay after an error, or if an object could not be rewritten.
const RETRY: Duration = Duration::from_secs(5 * 60);

/// The page size of lists.
const PAGE: u32 = 500;

/// Rewrites the objects of these kinds. It writes, so it runs in the leader.
pub(crate) struct Migration {
    client: Client,
    crds: Api<CustomResourceDefinition>,
    /// The names of the CRDs, each with the generation that is done.
    done: BTreeMap<String, Option<i64>>,
    field_manager: String,
}

/// An object to rewrite.
struct Rewrite {
    namespace: Option<String>,
    name: String,
    patch: Value,
}

impl Migration {
    /// Creates a migration of the objects of these CRDs, which writes with `client`.
    pub(crate) fn new(operator: &str, crds: Vec<String>, client: &Client) -> Self {
        Self {
            client: client.clone(),
            crds: Api::all(client.clone()),
            done: crds.into_iter().map(|crd| (crd, None)).collect(),
            field_manager: format!("{operator}/migration"),
        }
    }

    /// Runs until `stop` is cancelled.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        stop.run_until_cancelled(async {
            let mut changes = self.changes();
            loop {
                if self.step().await {
                    changes.next().await;
                } else {
                    sleep(RETRY).await;
                }
            }
        })
        .await;
    }

    /// Yields for each change of a CRD. Errors of watches are ignored: requests report them.
    fn changes(&self) -> SelectAll<BoxStream<'static, ()>> {
        let names = self.done.keys();
        stream::select_all(names.map(|name| watched(self.crds.clone(), name)))
    }

    /// Takes the steps that are due. Returns false if something is left to do.
    async fn step(&mut self) -> bool {
        let mut is_done = true;
        for name in self.done.keys().cloned().collect::<Vec<_>>() {
            match self.migrate(&name).await {
                Ok(done) => is_done &= done,
                Err(error) => {
                    let error = in_full(&error);
                    warn!(
                        crd = name,
                        error, "cannot migrate the stored objects of a kind"
                    );
                    is_done = false;
                }
            }
        }
        is_done
    }

    /// Rewrites the objects of a kind if necessary. Returns false if something is left to do.
    async fn migrate(&mut self, name: &str) -> Result<bool, kube::Error> {
        while let Some(found) = self.due(name).await? {
            sleep(SPREAD).await;
            let Some(crd) = self.due(name).await? else {
                break;
            };
            // A change in the meantime has just begun to spread.
            if found.generation != crd.generation {
                continue;
            }
            let rewrites = self.rewrites(&crd).await?;
            let (objects, mut left) = (rewrites.len(), 0);
            for rewrite in rewrites {
                left += usize::from(!self.rewrite(&crd, rewrite).await?);
            }
            if left > 0 {
                warn!(
                    crd = name,
                    left, "some objects are still stored in an old version"
                );
                return Ok(false);
            }
            if crd.is_stored_elsewhere() && !self.trim(&crd).await? {
                continue;
            }
            let version = crd.storage;
            info!(
                crd = name,
                objects, version, "all objects are stored in this version"
            );
            self.done.insert(name.to_owned(), Some(crd.generation));
        }
        Ok(true)
    }

    /// The CRD, if its objects may have to be rewritten.
    async fn due(&self, name: &str) -> Result<Option<Crd>, kube::Error> {
        let found = self.crds.get_opt(name).await?;
        let crd = found.as_ref().and_then(Crd::of);
        let is_new = |crd: &Crd| self.done.get(name) != Some(&Some(crd.generation));
        Ok(crd.filter(is_new).filter(Crd::is_due))
    }

    /// The rewrites of all objects. All are listed before the first is rewritten, because the continue token of a paged
    /// list expires after some minutes.
    async fn rewrites(&self, crd: &Crd) -> Result<Vec<Rewrite>, kube::Error> {
        let mut params = ListParams::default().limit(PAGE);
        let mut rewrites = Vec::new();
        loop {
            let page = crd.kind.list_metadata(&self.client, None, &params).await?;
            rewrites.extend(page.items.iter().filter_map(|object| rewrite(crd, object)));
            match page.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => params.continue_token = Some(token),
                None => return Ok(rewrites),
            }
        }
    }

    /// Rewrites an object. Returns false if that failed.
    async fn rewrite(&self, crd: &Crd, rewrite: Rewrite) -> Result<bool, kube::Error> {
        let Rewrite {
            namespace,
            name,
            patch,
        } = rewrite;
        // Only its metadata is returned, whose `managedFields` are as deeply nested as the object.
        let api: Api<Raw> = crd.kind.api(self.client.clone(), namespace.as_deref());
        let request = Request::new(api.resource_url()).patch_metadata(
            &name,
            &self.params(),
            &Patch::Merge(patch),
        );
        let patched = self
            .client
            .request::<Raw>(request.map_err(kube::Error::BuildRequest)?);
        match patched.await {
            Ok(_) => Ok(true),
            // The object was deleted.
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(true),
            // Another client has changed it in the meantime, or does not allow the change.
            Err(kube::Error::Api(status)) if matches!(status.code, 400 | 403 | 409 | 422) => {
                let (namespace, error) = (namespace.unwrap_or_default(), status.message);
                warn!(
                    crd = crd.name,
                    namespace, name, error, "cannot migrate an object"
                );
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    fn params(&self) -> PatchParams {
        PatchParams {
            field_manager: Some(self.field_manager.clone()),
            ..PatchParams::default()
        }
    }

    /// Removes all but the storage version from the list of stored versions. Returns false if the versions have changed
    /// since.
    async fn trim(&self, crd: &Crd) -> Result<bool, kube::Error> {
        let now = self.crds.get(&crd.name).await?;
        if now.metadata.generation != Some(crd.generation) {
            return Ok(false);
        }
        let patch = json!({
            "metadata": { "resourceVersion": now.resource_version() },
            "status": { "storedVersions": [crd.storage] },
        });
        let params = self.params();
        let trimmed = self
            .crds
            .patch_status(&crd.name, &params, &Patch::Merge(patch))
            .await;
        match trimmed {
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(false),
            trimmed => trimmed.map(|_| true),
        }
    }
}

/// The rewrite of an object, if it needs one: after an empty patch, the API server stores it again.
///
/// The managers of an object that is nested too deeply cannot be read: their versions stay.
fn rewrite(crd: &Crd, object: &Raw) -> Option<Rewrite> {
    let whole = object.read::<PartialObjectMeta<DynamicObject>>();
    let managed = whole
        .as_ref()
        .map(ResourceExt::managed_fields)
        .unwrap_or_default();
    let patch = match fields::moved(managed, &crd.unserved, &crd.kind.resource.api_version) {
        Some(managed) => json!({ "metadata": {
            "resourceVersion": object.resource_version(),
            "managedFields": managed,
        }}),
        None if crd.is_stored_elsewhere() => json!({}),
        None => return None,
    };
    Some(Rewrite {
        namespace: object.namespace(),
        name: object.name_any(),
        patch,
    })
}
