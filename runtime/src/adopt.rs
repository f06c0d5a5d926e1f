//! Adds what a child needs to be watched and garbage collected, and rejects children that
//! contradict it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::{Resource, ResourceExt};

use crate::Error;
use crate::breakage::{Breakage, broken};
use crate::context::Core;
use crate::key::name_from;
use crate::kinds::{Child, ChildKind, KnownKind, Reconciled};
use crate::labels::MANAGED_BY;

impl Core {
    /// Returns the child with its namespace, label and owner reference.
    ///
    /// # Errors
    /// Returns a terminal error with the reason `InvalidChild` if the child has no name or
    /// contradicts its owner, or `NotWatched` if the controller does not watch its type.
    pub(crate) fn adopt<C: Child>(
        &self,
        owner: &impl Reconciled,
        owner_kind: &ChildKind,
        mut child: C,
        kind: &ChildKind,
    ) -> Result<C, Error> {
        if self
            .owned
            .as_ref()
            .is_some_and(|owned| !owned.has(&kind.name))
        {
            let message = format!(
                "the controller does not own {}, so changes would not be noticed: add \
                 `.owns::<{}>()` where it is registered",
                kind.name, kind.resource.kind,
            );
            return Err(Error::terminal("NotWatched", message));
        }
        if child.name_any().is_empty() {
            return Err(invalid(owner, kind, &child, "it needs a `metadata.name`"));
        }
        if kind.namespaced {
            let namespace = self.namespace(owner).to_owned();
            child.meta_mut().namespace.get_or_insert(namespace);
        } else if child.meta().namespace.is_some() {
            return Err(invalid(owner, kind, &child, "its kind has no namespace"));
        }
        self.is_seen(&child, kind)?;
        if broken(Breakage::NoLabel) {
            return Ok(child);
        }
        let names = &self.children.names;
        let labels = child.labels_mut();
        let label = labels
            .entry(MANAGED_BY.to_owned())
            .or_insert_with(|| names.managed_by.clone());
        if *label != names.managed_by {
            let rule = format!(
                "its label {MANAGED_BY} is `{label}`, but the controller only watches `{}`",
                names.managed_by
            );
            return Err(invalid(owner, kind, &child, &rule));
        }
        let owned = self.owned.as_ref();
        if let Some(selector) = owned.and_then(|owned| owned.misses(&kind.name, child.labels())) {
            let rule = format!(
                "the controller watches only {} with the labels `{selector}`: set them on this object",
                kind.name
            );
            return Err(invalid(owner, kind, &child, &rule));
        }
        if owner.meta().namespace.is_some() && owner.meta().namespace != child.meta().namespace {
            return self.annotate(owner, owner_kind, child, kind);
        }
        let Some(mut reference) = owner.controller_owner_ref(&KnownKind::of(owner_kind)) else {
            return Err(invalid(owner, kind, &child, "its owner has no uid yet"));
        };
        reference.block_owner_deletion = self.blocks_owner.then_some(true);
        let references = child.owner_references_mut();
        let controller = |known: &&OwnerReference| known.controller == Some(true);
        match references.iter().find(controller) {
            Some(known) if known.uid == reference.uid => {}
            Some(known) => {
                let rule = format!(
                    "it is already controlled by the {} `{}`",
                    known.kind, known.name
                );
                return Err(invalid(owner, kind, &child, &rule));
            }
            None if broken(Breakage::NoOwnerReference) => {}
            None => {
                references.retain(|known| known.uid != reference.uid);
                references.push(reference);
            }
        }
        Ok(child)
    }

    /// Fails unless a watch covers the namespace of the child: otherwise its changes would not be
    /// noticed.
    fn is_seen(&self, child: &impl Resource, kind: &ChildKind) -> Result<(), Error> {
        let namespace = child.meta().namespace.as_deref();
        match &self.owned {
            Some(owned) if !owned.sees(&kind.name, namespace) => {
                let (watched, type_) = (owned.namespaces(&kind.name), &kind.resource.kind);
                let message = format!(
                    "the {type_} `{}` is in the namespace `{}`, but the controller watches \
                     {} only in `{watched}`: own them with \
                     `.owns_with(Watch::<{type_}>::new().everywhere())`",
                    child.meta().name.as_deref().unwrap_or_default(),
                    namespace.unwrap_or_default(),
                    kind.name,
                );
                Err(Error::terminal("NotWatched", message))
            }
            _ => Ok(()),
        }
    }

    /// Records the owner in annotations. Owner references cannot point to another namespace, or
    /// from a cluster-scoped child to a namespaced owner: the garbage collector would delete the
    /// child.
    fn annotate<C: Child>(
        &self,
        owner: &impl Reconciled,
        owner_kind: &ChildKind,
        mut child: C,
        kind: &ChildKind,
    ) -> Result<C, Error> {
        if !self.has_finalizer {
            let rule = "it is in another namespace than its owner, so nothing deletes it with its owner: \
                        add `.finalizer(cleanup)` with a cleanup that removes it";
            return Err(invalid(owner, kind, &child, rule));
        }
        let annotations = self.children.names.annotations(owner, &owner_kind.resource);
        child.annotations_mut().extend(annotations);
        Ok(child)
    }
}

fn invalid(owner: &impl Resource, kind: &ChildKind, child: &impl Resource, rule: &str) -> Error {
    let (from, child) = (owner.meta().namespace.as_deref(), child.meta());
    let name = child.name.as_deref().unwrap_or_default();
    let name = name_from(from, child.namespace.as_deref(), name);
    let message = format!(
        "the {} `{name}` cannot be applied: {rule}",
        kind.resource.kind
    );
    Error::terminal("InvalidChild", message)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use k8s_openapi::api::core::v1::{ConfigMap, Namespace};

    use crate::testing::FakeApi;
    use crate::{Action, Context, Error, Identity, Watch};

    async fn reconcile(namespace: Arc<Namespace>, context: Context) -> Result<Action, Error> {
        let mut greeting = ConfigMap::default();
        greeting.metadata.name = Some("greeting".to_owned());
        context.apply(&*namespace, greeting).await?;
        Ok(Action::await_change())
    }

    #[tokio::test]
    async fn a_child_without_the_labels_of_its_watch_is_refused() {
        let api = FakeApi::new(Identity::new("greeter", "1.0.0"), (), |manager| {
            let greetings = Watch::<ConfigMap>::new().labels("tier=web");
            manager.controller(reconcile).owns_with(greetings).start();
        });
        let mut shop = Namespace::default();
        shop.metadata.name = Some("shop".to_owned());
        api.put(&shop);
        let error = api.reconcile("shop").await.unwrap_err();
        assert_eq!(error.reason(), "InvalidChild");
        let message = "the ConfigMap `operator/greeting` cannot be applied: the controller watches only configmaps \
                       with the labels `tier=web`: set them on this object";
        assert_eq!(error.to_string(), message);
    }

    #[tokio::test]
    async fn a_child_blocks_the_deletion_of_its_owner_if_it_is_told_to() {
        for blocks in [false, true] {
            let api = FakeApi::new(Identity::new("greeter", "1.0.0"), (), |manager| {
                let controller = manager.controller(reconcile).owns::<ConfigMap>();
                if blocks {
                    controller.block_owner_deletion().start();
                } else {
                    controller.start();
                }
            });
            let mut shop = Namespace::default();
            shop.metadata.name = Some("shop".to_owned());
            api.put(&shop);
            api.reconcile("shop").await.unwrap();
            let greeting: ConfigMap = api.get("greeting").unwrap();
            let reference = &greeting.metadata.owner_references.unwrap()[0];
            assert_eq!(reference.block_owner_deletion, blocks.then_some(true));
        }
    }
}
