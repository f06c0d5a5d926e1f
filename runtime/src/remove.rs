//! How children are deleted: by a reconcile that needs one no longer, and by a cleanup, which has to
//! know that they are gone.

use kube::api::{DeleteParams, Preconditions};
use kube::{Resource, ResourceExt};

use super::children::{Key, Known};
use super::{Child, Context, Error};

/// The finalizer of an object whose children are to stay: `kubectl delete --cascade=orphan`.
const ORPHAN: &str = "orphan";

impl Context {
    /// Deletes a child where it is there and belongs to `owner`.
    ///
    /// # Errors
    /// What the API server answers, told apart into transient and terminal.
    pub async fn delete<C: Child>(
        &self,
        owner: &impl Resource<DynamicType = ()>,
        name: &str,
    ) -> Result<(), Error> {
        let namespace = self.namespace(owner);
        let child = match self.children.get(&Key::new::<C>(namespace, name)) {
            Some(known) => known,
            None => {
                let found = self.children_of::<C>(namespace).get_opt(name).await?;
                found.map(|child| Known::new(&child))
            }
        };
        if let Some(child) = child
            && child.belongs_to(owner.meta().uid.as_deref())
            && !child.is_ending()
        {
            let params = DeleteParams::default();
            self.end::<C>(namespace, name, &child, params).await?;
        }
        Ok(())
    }

    /// Deletes a child of `owner` with all that it owns in turn. Returns whether it is gone: not yet,
    /// as a rule, and its end has the owner reconciled again. What belongs to somebody else stays,
    /// and counts as gone.
    ///
    /// # Errors
    /// What the API server answers, told apart into transient and terminal.
    pub async fn remove<C: Child>(
        &self,
        owner: &impl Resource<DynamicType = ()>,
        name: &str,
    ) -> Result<bool, Error> {
        let namespace = self.namespace(owner);
        // Not from the cache: nobody comes back for what it does not know.
        let Some(child) = self.children_of::<C>(namespace).get_opt(name).await? else {
            return Ok(true);
        };
        let child = Known::new(&child);
        let is_kept = owner.finalizers().iter().any(|name| name == ORPHAN);
        if is_kept || !child.belongs_to(owner.meta().uid.as_deref()) {
            return Ok(true);
        }
        if child.is_ending() {
            return Ok(false);
        }
        let params = DeleteParams::foreground();
        self.end::<C>(namespace, name, &child, params).await
    }

    /// Deletes the very child that was looked at, not one that has taken its name since. Returns whether
    /// it is gone.
    async fn end<C: Child>(
        &self,
        namespace: &str,
        name: &str,
        child: &Known,
        params: DeleteParams,
    ) -> Result<bool, Error> {
        let params = params.preconditions(Preconditions {
            uid: child.uid(),
            resource_version: None,
        });
        let api = self.children_of::<C>(namespace);
        let is_gone = match api.delete(name, &params).await {
            Err(kube::Error::Api(answer)) if answer.code == 404 => true,
            // The child where its end has begun, a status where it has come.
            answer => answer?.is_right(),
        };
        self.children.deleted(&Key::new::<C>(namespace, name));
        Ok(is_gone)
    }
}

#[cfg(test)]
mod tests {
    use hyper::{Method, StatusCode};
    use k8s_openapi::api::core::v1::{ConfigMap, Secret};
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::client;

    /// Removes a Secret from an API server that has it with this metadata, and gives `deleted` where
    /// it is deleted.
    async fn remove(metadata: Value, deleted: Value, owner: Value) -> Result<bool, Error> {
        let client = client(move |method, _, _| match *method {
            Method::GET => (StatusCode::OK, json!({ "metadata": metadata }).to_string()),
            _ if deleted.is_null() => (StatusCode::INTERNAL_SERVER_ERROR, String::new()),
            _ => (StatusCode::OK, deleted.to_string()),
        });
        let owner: ConfigMap = serde_json::from_value(json!({ "metadata": owner })).unwrap();
        let context = Context::new(client).0;
        context.remove::<Secret>(&owner, "one").await
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
        assert!(remove(status).await.unwrap());
        assert!(!remove(json!({ "metadata": {} })).await.unwrap());
        assert!(remove(Value::Null).await.is_err());
    }

    #[tokio::test]
    async fn a_child_whose_end_has_begun_is_not_deleted_again() {
        let mut child = owned_by("1");
        child["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        let is_gone = remove(child, Value::Null, json!({ "uid": "1" })).await;
        assert!(!is_gone.unwrap());
    }

    #[tokio::test]
    async fn what_is_of_others_or_to_be_kept_stays() {
        let others = remove(owned_by("2"), Value::Null, json!({ "uid": "1" }));
        assert!(others.await.unwrap());
        let owner = json!({ "uid": "1", "finalizers": ["orphan"] });
        let kept = remove(owned_by("1"), Value::Null, owner);
        assert!(kept.await.unwrap());
    }

    #[tokio::test]
    async fn what_was_never_made_is_gone() {
        let nothing = r#"{ "reason": "NotFound" }"#;
        let client = client(move |_, _, _| (StatusCode::NOT_FOUND, nothing.to_owned()));
        let context = Context::new(client).0;
        let owner = ConfigMap::default();
        assert!(context.remove::<Secret>(&owner, "one").await.unwrap());
    }
}
