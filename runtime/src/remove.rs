//! How children are deleted: by a reconcile that needs one no longer, and by a cleanup, which has to
//! know that they are gone.

use kube::api::{DeleteParams, Preconditions};
use kube::{Api, Resource, ResourceExt};
use tracing::info;

use crate::children::{ChildKey, Known, Live};
use crate::context::Core;
use crate::kinds::{Child, ChildKind};
use crate::{Cleanup, Context, Error};

/// The finalizer of an object whose children are to stay: `kubectl delete --cascade=orphan`.
const ORPHAN: &str = "orphan";

impl<S> Context<S> {
    /// Deletes a child of that name if it exists and belongs to `owner`. It is looked for in the owner's
    /// namespace.
    ///
    /// # Errors
    /// What the API server answers, told apart into transient and terminal.
    pub async fn delete<C: Child<DynamicType = ()>>(
        &self,
        owner: &impl Resource<DynamicType = ()>,
        name: &str,
    ) -> Result<(), Error> {
        let (kind, key) = self.core.child::<C>(owner, name);
        let cached = self.core.children.get(&key).filter(|_| !self.verifies);
        let child = match cached {
            Some(known) => known,
            None => self.core.look(&kind, &key).await?,
        };
        if let Some(child) = child
            && child.belongs_to(owner.meta().uid.as_deref())
            && !child.is_ending()
        {
            let params = DeleteParams::default();
            self.core.end(&kind, &key, &child, params).await?;
        }
        Ok(())
    }

    /// Deletes a child of `owner` with all that it owns in turn, for a cleanup. Returns whether it is gone:
    /// not yet, as a rule, and its end has the owner reconciled again. What belongs to somebody else stays,
    /// and counts as gone. The child is looked for in the owner's namespace.
    ///
    /// # Errors
    /// What the API server answers, told apart into transient and terminal.
    pub async fn remove<C: Child<DynamicType = ()>>(
        &self,
        owner: &impl Resource<DynamicType = ()>,
        name: &str,
    ) -> Result<Cleanup, Error> {
        let (kind, key) = self.core.child::<C>(owner, name);
        self.core.remove(owner, &kind, &key).await
    }

    /// As [`remove`](Self::remove), for a child in another namespace than its owner.
    ///
    /// # Errors
    /// What the API server answers, told apart into transient and terminal.
    pub async fn remove_in<C: Child<DynamicType = ()>>(
        &self,
        namespace: &str,
        owner: &impl Resource<DynamicType = ()>,
        name: &str,
    ) -> Result<Cleanup, Error> {
        let kind = ChildKind::of::<C>();
        let key = ChildKey::new(&kind.name, Some(namespace), name);
        self.core.remove(owner, &kind, &key).await
    }
}

impl Core {
    async fn remove(
        &self,
        owner: &impl Resource<DynamicType = ()>,
        kind: &ChildKind,
        key: &ChildKey,
    ) -> Result<Cleanup, Error> {
        // Not from the cache: nobody comes back for what it does not know.
        let Some(child) = self.look(kind, key).await? else {
            return Ok(Cleanup::Done);
        };
        let is_kept = owner.finalizers().iter().any(|name| name == ORPHAN);
        if is_kept || !child.belongs_to(owner.meta().uid.as_deref()) {
            return Ok(Cleanup::Done);
        }
        if child.is_ending() {
            return Ok(Cleanup::Wait);
        }
        self.end(kind, key, &child, DeleteParams::foreground()).await
    }

    /// The child as the API server has it.
    async fn look(&self, kind: &ChildKind, key: &ChildKey) -> Result<Option<Known>, Error> {
        let api: Api<Live> = kind.api(self.client.clone(), key.namespace());
        let found = api.get_opt(key.name()).await?;
        Ok(found.map(|child| Known::new(&child, &self.children.names)))
    }

    /// Deletes the very child that was looked at, not one that has taken its name since. Returns whether
    /// it is gone.
    async fn end(
        &self,
        kind: &ChildKind,
        key: &ChildKey,
        child: &Known,
        params: DeleteParams,
    ) -> Result<Cleanup, Error> {
        let params = params.preconditions(Preconditions {
            uid: child.uid(),
            resource_version: None,
        });
        let api: Api<Live> = kind.api(self.client.clone(), key.namespace());
        let is_gone = match api.delete(key.name(), &params).await {
            Err(kube::Error::Api(answer)) if answer.code == 404 => true,
            // The child where its end has begun, a status where it has come.
            answer => answer?.is_right(),
        };
        info!("deleted the {} {}", kind.resource.kind, key.name());
        self.children.deleted(key);
        Ok(if is_gone { Cleanup::Done } else { Cleanup::Wait })
    }
}
