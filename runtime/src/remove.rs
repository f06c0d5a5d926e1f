//! Deletes children: from reconciles, and from cleanups, which wait until the children are gone.

use kube::api::{DeleteParams, Preconditions};
use kube::{Api, Resource};
use tracing::info;

use crate::breakage::{Breakage, broken};
use crate::children::{ChildKey, Known};
use crate::context::Core;
use crate::informer::Raw;
use crate::kinds::{Child, ChildKind};
use crate::{Cleanup, Context, Error};

impl<S> Context<S> {
    /// Deletes the child with this name in the owner's namespace, if it exists and belongs to
    /// `owner`.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// use rop_runtime::{Context, Error};
    ///
    /// async fn forget(owner: &Namespace, context: &Context) -> Result<(), Error> {
    ///     context.delete::<ConfigMap>(owner, "greeting").await?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the API server, as a transient or terminal error.
    pub async fn delete<C: Child<DynamicType = ()>>(
        &self,
        owner: &impl Resource,
        name: &str,
    ) -> Result<(), Error> {
        let (kind, key) = self.core.child::<C>(owner, name);
        self.delete_by(owner, &kind, key).await
    }

    /// Like [`delete`](Self::delete), for a child in another namespace than its owner's, or whose
    /// type is only known at run time. Only the type, namespace and name of `child` are used.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{Namespace, Secret};
    /// use rop_runtime::{Context, Error};
    ///
    /// /// Deletes the copy that was applied in the namespace `backup`.
    /// async fn forget_copy(owner: &Namespace, context: &Context) -> Result<(), Error> {
    ///     let mut copy = Secret::default();
    ///     copy.metadata.name = owner.metadata.name.clone();
    ///     copy.metadata.namespace = Some("backup".to_owned());
    ///     context.delete_child(owner, &copy).await?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the API server, as a transient or terminal error. Returns a terminal
    /// error with the reason `NotWatched` if the type is only known at run time and the controller
    /// does not own it.
    pub async fn delete_child<C: Child>(
        &self,
        owner: &impl Resource,
        child: &C,
    ) -> Result<(), Error> {
        let (kind, key) = self.core.find(owner, child)?;
        self.delete_by(owner, &kind, key).await
    }

    async fn delete_by(
        &self,
        owner: &impl Resource,
        kind: &ChildKind,
        key: ChildKey,
    ) -> Result<(), Error> {
        let cached = self.core.children.get(&key).filter(|_| !self.verifies);
        let child = match cached {
            Some(known) => known,
            None => self.core.live(kind, &key).await?,
        };
        if let Some(child) = child
            && child.belongs_to(owner.meta().uid.as_deref())
            && !child.is_ending()
        {
            // By default, the API server keeps the pods of a Job, for compatibility.
            let params = DeleteParams::background();
            self.core.end(owner, kind, &key, &child, params).await?;
        }
        Ok(())
    }

    /// Deletes the child with this name in the owner's namespace, in the foreground, for a cleanup.
    /// Returns whether the child is gone. Usually it is not yet, and its deletion triggers the
    /// cleanup again. An object of another owner is kept and counts as gone.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use k8s_openapi::api::apps::v1::Deployment;
    /// use k8s_openapi::api::core::v1::{Namespace, Service};
    /// use rop_runtime::{Cleanup, Context, Error};
    ///
    /// /// Deletes the Service once the pods that it selects are gone.
    /// async fn clean_up(namespace: Arc<Namespace>, context: Context) -> Result<Cleanup, Error> {
    ///     match context.remove::<Deployment>(&*namespace, "web").await? {
    ///         Cleanup::Done => context.remove::<Service>(&*namespace, "web").await,
    ///         wait => Ok(wait),
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the API server, as a transient or terminal error.
    pub async fn remove<C: Child<DynamicType = ()>>(
        &self,
        owner: &impl Resource,
        name: &str,
    ) -> Result<Cleanup, Error> {
        let (kind, key) = self.core.child::<C>(owner, name);
        self.core.remove(owner, &kind, &key).await
    }

    /// Like [`remove`](Self::remove), for a child in another namespace than its owner's, or whose
    /// type is only known at run time. Only the type, namespace and name of `child` are used.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use k8s_openapi::api::core::v1::{Namespace, Secret};
    /// use rop_runtime::{Cleanup, Context, Error};
    ///
    /// /// Only this deletes a child in another namespace: owner references cannot point there.
    /// async fn clean_up(namespace: Arc<Namespace>, context: Context) -> Result<Cleanup, Error> {
    ///     let mut copy = Secret::default();
    ///     copy.metadata.name = namespace.metadata.name.clone();
    ///     copy.metadata.namespace = Some("backup".to_owned());
    ///     context.remove_child(&*namespace, &copy).await
    /// }
    /// ```
    ///
    /// # Errors
    /// See [`delete_child`](Self::delete_child).
    pub async fn remove_child<C: Child>(
        &self,
        owner: &impl Resource,
        child: &C,
    ) -> Result<Cleanup, Error> {
        let (kind, key) = self.core.find(owner, child)?;
        self.core.remove(owner, &kind, &key).await
    }
}

impl Core {
    async fn remove(
        &self,
        owner: &impl Resource,
        kind: &ChildKind,
        key: &ChildKey,
    ) -> Result<Cleanup, Error> {
        if broken(Breakage::CleanupForgets) {
            return Ok(Cleanup::Done);
        }
        // Not from the cache: nothing would delete a child that it lacks.
        let Some(child) = self.live(kind, key).await? else {
            return Ok(Cleanup::Done);
        };
        if self.orphaned.has(owner.meta()) || !child.belongs_to(owner.meta().uid.as_deref()) {
            return Ok(Cleanup::Done);
        }
        if child.is_ending() {
            return Ok(Cleanup::Wait);
        }
        self.end(owner, kind, key, &child, DeleteParams::foreground())
            .await
    }

    /// The live child.
    pub(crate) async fn live(
        &self,
        kind: &ChildKind,
        key: &ChildKey,
    ) -> Result<Option<Known>, Error> {
        let api: Api<Raw> = kind.api(self.client.clone(), key.namespace());
        let found = api.get_opt(key.name()).await?;
        Ok(found.map(|child| Known::new(child.live(), &self.children.names)))
    }

    /// Deletes exactly this child, not a new object of the same name. Returns whether it is gone.
    async fn end(
        &self,
        owner: &impl Resource,
        kind: &ChildKind,
        key: &ChildKey,
        child: &Known,
        params: DeleteParams,
    ) -> Result<Cleanup, Error> {
        let params = params.preconditions(Preconditions {
            uid: child.uid().filter(|_| !broken(Breakage::DeletedWithoutUid)),
            resource_version: None,
        });
        let api: Api<Raw> = kind.api(self.client.clone(), key.namespace());
        let is_gone = match api.delete(key.name(), &params).await {
            Err(kube::Error::Api(answer)) if answer.code == 404 => true,
            // The response is the child if its deletion has begun, and a status if it is deleted.
            answer => answer?.is_right(),
        };
        let name = key.name_from(owner.meta().namespace.as_deref());
        info!("deleted the {} {name}", kind.resource.kind);
        self.children.deleted(key);
        Ok(if is_gone {
            Cleanup::Done
        } else {
            Cleanup::Wait
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use hyper::{Method, StatusCode};
    use k8s_openapi::api::batch::v1::Job;
    use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{client, context};

    /// Removes a Secret with this metadata from an API server, which responds to the deletion with `deleted`.
    async fn remove(metadata: Value, deleted: Value, owner: Value) -> Result<Cleanup, Error> {
        let client = client(move |method, _, _| match *method {
            Method::GET => (StatusCode::OK, json!({ "metadata": metadata }).to_string()),
            _ if deleted.is_null() => (StatusCode::INTERNAL_SERVER_ERROR, String::new()),
            _ => (StatusCode::OK, deleted.to_string()),
        });
        let owner: ConfigMap = serde_json::from_value(json!({ "metadata": owner })).unwrap();
        context(client).remove::<Secret>(&owner, "one").await
    }

    fn owned_by(uid: &str) -> Value {
        let owner = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "name": "one", "uid": uid, "controller": true,
        });
        json!({ "name": "one", "ownerReferences": [owner] })
    }

    #[tokio::test]
    async fn a_child_is_gone_when_the_api_server_says_so() {
        let remove = |deleted| remove(owned_by("1"), deleted, json!({ "uid": "1" }));
        let status = json!({ "kind": "Status", "apiVersion": "v1", "status": "Success" });
        assert_eq!(remove(status).await.unwrap(), Cleanup::Done);
        let begun = json!({ "metadata": {} });
        assert_eq!(remove(begun).await.unwrap(), Cleanup::Wait);
        assert!(remove(Value::Null).await.is_err());
    }

    #[tokio::test]
    async fn the_pods_of_a_job_go_with_it() {
        let asked = Arc::<Mutex<String>>::default();
        let seen = Arc::clone(&asked);
        let client = client(move |method, _, body| {
            if *method == Method::DELETE {
                *seen.lock().unwrap() = body.to_string();
            }
            (
                StatusCode::OK,
                json!({ "metadata": owned_by("1") }).to_string(),
            )
        });
        let owner = json!({ "metadata": { "uid": "1" } });
        let owner: ConfigMap = serde_json::from_value(owner).unwrap();
        let context = context(client);
        context.delete::<Job>(&owner, "one").await.unwrap();
        let asked = asked.lock().unwrap();
        assert!(
            asked.contains(r#""propagationPolicy":"Background""#),
            "{asked}"
        );
    }

    #[tokio::test]
    async fn a_child_whose_end_has_begun_is_not_deleted_again() {
        let mut child = owned_by("1");
        child["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        let is_gone = remove(child, Value::Null, json!({ "uid": "1" })).await;
        assert_eq!(is_gone.unwrap(), Cleanup::Wait);
    }

    #[tokio::test]
    async fn what_is_of_others_or_to_be_kept_stays() {
        let others = remove(owned_by("2"), Value::Null, json!({ "uid": "1" }));
        assert_eq!(others.await.unwrap(), Cleanup::Done);
        let owner = json!({ "uid": "1", "finalizers": ["orphan"] });
        let kept = remove(owned_by("1"), Value::Null, owner);
        assert_eq!(kept.await.unwrap(), Cleanup::Done);
    }

    #[tokio::test]
    async fn what_was_never_made_is_gone() {
        let nothing = r#"{ "reason": "NotFound" }"#;
        let client = client(move |_, _, _| (StatusCode::NOT_FOUND, nothing.to_owned()));
        let context = context(client);
        let owner = ConfigMap::default();
        let is_gone = context.remove::<Secret>(&owner, "one").await;
        assert_eq!(is_gone.unwrap(), Cleanup::Done);
    }
}
