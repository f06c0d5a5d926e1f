//! Sets labels and annotations of the reconciled object.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{ListParams, Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::informer::Raw;
use crate::key::Key;
use crate::kinds::Reconciled;
use crate::status::sum;
use crate::{Context, Error};

impl<S> Context<S> {
    /// Sets labels and annotations of the reconciled object with server-side apply, if they differ.
    /// Removes those that this controller set before and that are no longer in `metadata`, and
    /// leaves all others unchanged. Ignores all other fields of `metadata`.
    ///
    /// Use it to annotate objects of other owners, such as a Deployment, whose spec and status are
    /// not yours. It has a separate field manager, so that the object can also be a
    /// [child](Self::apply) of another controller of this operator.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use std::sync::Arc;
    /// use k8s_openapi::api::core::v1::Node;
    /// use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
    /// use rop_runtime::{Action, Context, Error};
    ///
    /// async fn reconcile(node: Arc<Node>, context: Context) -> Result<Action, Error> {
    ///     let label = ("example.com/pool".to_owned(), "batch".to_owned());
    ///     let metadata = ObjectMeta {
    ///         labels: Some(BTreeMap::from([label])),
    ///         ..ObjectMeta::default()
    ///     };
    ///     context.apply_metadata(&*node, metadata).await?;
    ///     Ok(Action::await_change())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the API server, as a transient or terminal error.
    pub async fn apply_metadata<K: Reconciled>(
        &self,
        object: &K,
        metadata: ObjectMeta,
    ) -> Result<(), Error> {
        let labels = metadata.labels.unwrap_or_default();
        let annotations = metadata.annotations.unwrap_or_default();
        let (core, kind) = (&self.core, self.core.kind_of(object)?);
        let key = (Arc::clone(&kind.name), Key::of(object));
        let wanted = sum(&(&labels, &annotations))?;
        let is_set = has(object.labels(), &labels) && has(object.annotations(), &annotations);
        let name = object.name_any();
        let namespace = object.meta().namespace.as_deref();
        let api: Api<Raw> = kind.api(core.client.clone(), namespace);
        let manager = core.children.names.metadata_manager();
        if is_set && !core.metadata.is_other(&key, wanted) {
            // Fields that an earlier version of the operator applied are found when the object is verified.
            let is_all = !self.verifies
                || is_all(&api, object.meta(), &manager, [&labels, &annotations]).await?;
            if is_all {
                return Ok(());
            }
        }
        let patch = json!({
            "apiVersion": kind.resource.api_version,
            "kind": kind.resource.kind,
            // The uid prevents the apply from creating the object, and from changing a new object of the same name.
            "metadata": {
                "name": name, "uid": object.uid(), "labels": labels, "annotations": annotations,
            },
        });
        let params = PatchParams::apply(&manager).force();
        let written = api.patch(&name, &params, &Patch::Apply(patch)).await?;
        core.metadata.insert(key, wanted, 0);
        let written = written
            .read::<K>()
            .map_err(|invalid| Error::transient(invalid.error))?;
        core.wrote(&kind, &written);
        Ok(())
    }
}

/// Whether an object has all desired entries.
fn has(current: &BTreeMap<String, String>, wanted: &BTreeMap<String, String>) -> bool {
    wanted
        .iter()
        .all(|(name, value)| current.get(name) == Some(value))
}

/// Whether a manager has applied exactly these labels and annotations, if the object still exists. A list needs no verb
/// that the watch does not need.
async fn is_all(
    api: &Api<Raw>,
    object: &ObjectMeta,
    manager: &str,
    wanted: [&BTreeMap<String, String>; 2],
) -> Result<bool, Error> {
    let name = object.name.as_deref().unwrap_or_default();
    let only = ListParams::default().fields(&format!("metadata.name={name}"));
    let found = api.list_metadata(&only).await?.items.pop();
    let Some(now) = found.filter(|now| now.metadata.uid == object.uid) else {
        return Ok(true);
    };
    let entries = now.metadata.managed_fields.unwrap_or_default();
    let ours = entries.iter().find(|entry| {
        let is_applied = entry.operation.as_deref() == Some("Apply");
        is_applied && entry.manager.as_deref() == Some(manager)
    });
    let fields = ours.and_then(|entry| entry.fields_v1.as_ref());
    let is_owned = |part: &str, wanted: &BTreeMap<String, String>| {
        let mut owned: Vec<_> = fields
            .and_then(|fields| fields.0["f:metadata"][part].as_object())
            .into_iter()
            .flat_map(serde_json::Map::keys)
            .filter_map(|name| name.strip_prefix("f:"))
            .collect();
        owned.sort_unstable();
        owned.iter().eq(wanted.keys())
    };
    Ok(is_owned("f:labels", wanted[0]) && is_owned("f:annotations", wanted[1]))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use k8s_openapi::api::core::v1::{ConfigMap, Namespace};

    use super::*;
    use crate::testing::FakeApi;
    use crate::{Action, Identity, Manager, Watch, Watched};

    const IDENTITY: Identity = Identity::new("greeter", "1.0.0");

    fn annotated(names: &[&str]) -> ObjectMeta {
        let annotations = names
            .iter()
            .map(|name| ((*name).to_owned(), "yes".to_owned()));
        ObjectMeta {
            annotations: Some(annotations.collect()),
            ..ObjectMeta::default()
        }
    }

    /// Sets `a`, and `b` as long as the state says so.
    async fn annotate<K: Watched>(
        object: Arc<K>,
        context: Context<AtomicBool>,
    ) -> Result<Action, Error> {
        let both = context.state.load(Ordering::Relaxed);
        let names: &[&str] = if both { &["a", "b"] } else { &["a"] };
        context.apply_metadata(&*object, annotated(names)).await?;
        Ok(Action::await_change())
    }

    fn named<K: Watched>(name: &str) -> K {
        let mut object: K = serde_json::from_value(json!({})).unwrap();
        object.meta_mut().name = Some(name.to_owned());
        object
    }

    fn names<K: Watched>(api: &FakeApi<AtomicBool>) -> Vec<String> {
        let object: K = api.get("shop").unwrap();
        object.annotations().keys().cloned().collect()
    }

    #[tokio::test]
    async fn what_is_no_longer_wanted_is_taken_off_and_that_of_others_stays() {
        let register = |manager: &mut Manager<AtomicBool>| {
            manager.controller(annotate::<Namespace>).start();
        };
        let api = FakeApi::new(IDENTITY, AtomicBool::new(true), register);
        let mut shop: Namespace = named("shop");
        shop.metadata.annotations = annotated(&["theirs"]).annotations;
        api.put(&shop);
        api.reconcile("shop").await.unwrap();
        assert_eq!(names::<Namespace>(&api), ["a", "b", "theirs"]);
        api.context().state.store(false, Ordering::Relaxed);
        api.reconcile("shop").await.unwrap();
        assert_eq!(names::<Namespace>(&api), ["a", "theirs"]);
        let _ = api.writes();
        api.reconcile("shop").await.unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }

    /// After a restart, the fields that an earlier version of the operator applied are not known.
    #[tokio::test]
    async fn what_an_earlier_version_has_set_is_taken_off_once_in_a_while() {
        let register = |manager: &mut Manager<AtomicBool>| {
            manager.controller(annotate::<Namespace>).start();
        };
        let api = FakeApi::new(IDENTITY, AtomicBool::new(false), register);
        api.put(&named::<Namespace>("shop"));
        let mut context = api.context();
        let shop = || api.get::<Namespace>("shop").unwrap();
        let both = annotated(&["a", "b"]);
        context.apply_metadata(&shop(), both).await.unwrap();
        api.reconcile("shop").await.unwrap();
        assert_eq!(names::<Namespace>(&api), ["a", "b"]);
        context = Context {
            core: api.context().core,
            verifies: true,
            ..context
        };
        context.core.metadata.remove(&Key::of(&shop()));
        context
            .apply_metadata(&shop(), annotated(&["a"]))
            .await
            .unwrap();
        assert_eq!(names::<Namespace>(&api), ["a"]);
        let _ = api.writes();
        context
            .apply_metadata(&shop(), annotated(&["a"]))
            .await
            .unwrap();
        assert_eq!(api.writes(), [""; 0]);
    }

    /// The fields of a child and those that another controller of the operator sets on it have different managers.
    #[tokio::test]
    async fn a_child_of_another_controller_keeps_what_that_one_applied() {
        async fn greet(
            namespace: Arc<Namespace>,
            context: Context<AtomicBool>,
        ) -> Result<Action, Error> {
            let mut greeting: ConfigMap = named("shop");
            greeting.metadata.namespace = Some("shop".to_owned());
            greeting.data = Some([("text".to_owned(), "hello".to_owned())].into());
            context.apply(&*namespace, greeting).await?;
            Ok(Action::await_change())
        }
        let register = |manager: &mut Manager<AtomicBool>| {
            manager
                .controller(greet)
                .owns_with(Watch::<ConfigMap>::new().everywhere())
                .start();
            manager.controller(annotate::<ConfigMap>).start();
        };
        let api = FakeApi::new(IDENTITY, AtomicBool::new(false), register);
        api.put(&named::<Namespace>("shop"));
        api.reconcile_by("namespace", "shop").await.unwrap();
        api.reconcile_by("configmap", "shop").await.unwrap();
        assert_eq!(names::<ConfigMap>(&api), ["a"]);
        let greeting: ConfigMap = api.get("shop").unwrap();
        assert_eq!(greeting.data.unwrap()["text"], "hello");
        api.reconcile_by("namespace", "shop").await.unwrap();
        assert_eq!(names::<ConfigMap>(&api), ["a"]);
    }

    /// An apply creates a missing object, but must not create one that was just deleted.
    #[tokio::test]
    async fn a_deleted_object_does_not_come_back() {
        let register = |manager: &mut Manager<AtomicBool>| {
            manager.controller(annotate::<Namespace>).start();
        };
        let api = FakeApi::new(IDENTITY, AtomicBool::new(false), register);
        let context = api.context();
        let mut gone: Namespace = named("shop");
        gone.metadata.uid = Some("1".to_owned());
        let answer = context.apply_metadata(&gone, annotated(&["a"])).await;
        assert!(answer.unwrap_err().is_transient());
        assert_eq!(api.get::<Namespace>("shop"), None);
    }
}
