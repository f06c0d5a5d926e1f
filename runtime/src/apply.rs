//! Applies children with server-side apply, only if that changes something.

use std::collections::BTreeMap;

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::{Patch, PatchParams};
use kube::core::Status;
use kube::runtime::events::EventType;
use kube::{Api, Resource};
use serde_json::value::{RawValue, to_raw_value};
use tracing::info;

use crate::breakage::{Breakage, broken};
use crate::children::{ChildKey, Known, Verdict, desired};
use crate::context::Core;
use crate::informer::Raw;
use crate::key::Key;
use crate::kinds::{Child, ChildKind, KnownKind, Reconciled};
use crate::{Context, Error, json, string_data};

/// A resource version that no object has. An apply with it creates a missing object, and fails if
/// one exists, so that objects of other owners are never changed.
const NEVER: &str = "1";

impl<S> Context<S> {
    /// Creates or updates a child with server-side apply, and returns the live object. Sends no
    /// request if nothing would change.
    ///
    /// Adds the namespace, the owner reference and the managed-by label if they are missing.
    /// Reverts changes that others made to the fields in `child`, and leaves all other fields
    /// unchanged. The `stringData` of a Secret is moved to `data`, where such changes are seen.
    ///
    /// The returned object has the fields in `child`, its metadata and its current status. If the
    /// controller [owns the type whole](crate::ControllerBuilder::owns_whole), it is the complete
    /// object.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use std::sync::Arc;
    /// use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
    /// use rop_runtime::{Action, Context, Error};
    ///
    /// async fn reconcile(namespace: Arc<Namespace>, context: Context) -> Result<Action, Error> {
    ///     let mut greeting = ConfigMap::default();
    ///     greeting.metadata.name = Some("greeting".to_owned());
    ///     greeting.data = Some(BTreeMap::from([("text".to_owned(), "hello".to_owned())]));
    ///     context.apply(&*namespace, greeting).await?;
    ///     Ok(Action::await_change())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns the error of the API server, as a transient or terminal error. Returns a terminal
    /// error with one of these reasons: `NotWatched` if the controller does not own the type,
    /// `InvalidChild` if the child contradicts its owner, and `NotOwned` if an object of that name
    /// exists and belongs to another owner.
    pub async fn apply<C: Child>(&self, owner: &impl Reconciled, child: C) -> Result<C, Error> {
        self.apply_by_force(owner, child, true).await
    }

    /// Like [`apply`](Self::apply), but does not take over fields from other field managers.
    ///
    /// ```
    /// use k8s_openapi::api::apps::v1::Deployment;
    /// use k8s_openapi::api::core::v1::Namespace;
    /// use rop_runtime::{Context, Error};
    ///
    /// async fn keep(owner: &Namespace, web: Deployment, context: &Context) -> Result<(), Error> {
    ///     match context.apply_without_force(owner, web).await {
    ///     // Another client sets the field, such as an autoscaler.
    ///         Err(Error::Terminal { reason, .. }) if reason == "Conflict" => Ok(()),
    ///         applied => applied.map(drop),
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// Like [`apply`](Self::apply), and returns a terminal error with the reason `Conflict` that
    /// names the field and its manager if there is a conflict.
    pub async fn apply_without_force<C: Child>(
        &self,
        owner: &impl Reconciled,
        child: C,
    ) -> Result<C, Error> {
        self.apply_by_force(owner, child, false).await
    }

    /// Applies the child if it is `Some`, and otherwise deletes the child with this name.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{Namespace, Service};
    /// use rop_runtime::{Context, Error};
    ///
    /// /// Applies the Service if the spec asks for one, and deletes it otherwise.
    /// async fn expose(owner: &Namespace, service: Option<Service>, context: &Context) -> Result<(), Error> {
    ///     context.apply_or_delete(owner, "web", service).await?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// See [`apply`](Self::apply) and [`delete`](Self::delete).
    pub async fn apply_or_delete<C: Child<DynamicType = ()>>(
        &self,
        owner: &impl Reconciled,
        name: &str,
        child: Option<C>,
    ) -> Result<Option<C>, Error> {
        match child {
            Some(child) => self.apply(owner, child).await.map(Some),
            None => self.delete::<C>(owner, name).await.map(|()| None),
        }
    }

    async fn apply_by_force<C: Child>(
        &self,
        owner: &impl Reconciled,
        child: C,
        force: bool,
    ) -> Result<C, Error> {
        let kind = <C::DynamicType as KnownKind>::kind(&child, &self.core.dynamic)?;
        let owner_kind = self.core.kind_of(owner)?;
        let child = self.core.adopt(owner, &owner_kind, child, &kind)?;
        let text = serde_json::to_string(&child).map_err(unusable)?;
        let (child, text) = match string_data::moved(&kind.resource, &text).map_err(unusable)? {
            Some(text) => (json::from_str(&text).map_err(unusable)?, text),
            None => (child, text),
        };
        let desired = self.core.desired(kind, child.meta(), text, force)?;
        let owner = owner.object_ref(&KnownKind::of(&owner_kind));
        let cache = self.core.whole.get::<C>();
        let applied = self.core.apply(&desired, &owner, self.verifies).await?;
        let key = Key::of(&child);
        let completed = || applied.now.complete(child, &desired.text).map_err(unusable);
        match (&applied.answer, cache) {
            (_, None) => completed(),
            (None, Some(cache)) => match cache.get(&key) {
                Some(object) => Ok((*object).clone()),
                None => completed(),
            },
            (Some(answer), Some(cache)) => match answer.read::<C>() {
                Ok(mut object) => {
                    object.meta_mut().managed_fields = None;
                    cache.apply(object.clone().into(), false);
                    Ok(object)
                }
                // The write was executed anyway.
                Err(_) => completed(),
            },
        }
    }
}

/// A child to apply.
struct Desired {
    kind: ChildKind,
    key: ChildKey,
    /// The child as JSON.
    text: String,
    /// The hash of its fields.
    sum: u64,
    params: PatchParams,
}

/// An applied child.
struct Applied {
    now: Known,
    /// The response of the API server, if a request was sent.
    answer: Option<Raw>,
}

impl Desired {
    /// Returns its kind, and its name relative to its owner.
    fn named(&self, owner: &ObjectReference) -> (&str, String) {
        let name = self.key.name_from(owner.namespace.as_deref());
        (&self.kind.resource.kind, name)
    }

    /// Returns the apply patch, with an additional metadata field.
    fn patch(&self, field: &str, value: Option<String>) -> Result<Patch<Box<RawValue>>, Error> {
        let text = match value {
            Some(value) => with_metadata(&self.text, field, &value),
            None => RawValue::from_string(self.text.clone()),
        };
        text.map(Patch::Apply).map_err(unusable)
    }

    /// Returns the patch with the uid of the known child: if the child was deleted, the API server
    /// rejects the patch instead of applying it to a new object of the same name.
    fn of(&self, known: &Known) -> Result<Patch<Box<RawValue>>, Error> {
        let uid = known.uid().filter(|_| !broken(Breakage::AppliedWithoutUid));
        self.patch("uid", uid)
    }
}

/// Returns the object with an additional metadata field.
fn with_metadata(object: &str, field: &str, value: &str) -> serde_json::Result<Box<RawValue>> {
    type Fields = BTreeMap<String, Box<RawValue>>;
    let mut object: Fields = serde_json::from_str(object)?;
    let metadata = object.get("metadata").map(|metadata| metadata.get());
    let mut metadata: Fields = serde_json::from_str(metadata.unwrap_or("{}"))?;
    metadata.insert(field.to_owned(), to_raw_value(value)?);
    object.insert("metadata".to_owned(), to_raw_value(&metadata)?);
    to_raw_value(&object)
}

/// The result of an apply request.
enum Did {
    /// Created the child.
    Created,
    /// Reverted a change by another client.
    Repaired,
    /// Changed the child with this version, or nothing.
    Updated(u64),
}

// Compiled once instead of for each type of child.
impl Core {
    /// Sends the child, unless the cache shows that nothing would change. Boxed, because the future
    /// is large.
    fn apply<'a>(
        &'a self,
        desired: &'a Desired,
        owner: &'a ObjectReference,
        verifies: bool,
    ) -> BoxFuture<'a, Result<Applied, Error>> {
        Box::pin(async move {
            let cached = self.children.get(&desired.key).flatten();
            // Do not decide by the cache alone: it may be stale.
            let before = match cached {
                Some(known) if verifies || !known.is_free_for(owner) => {
                    let now = self.live(&desired.kind, &desired.key).await?;
                    now.map(|now| now.after(&known))
                }
                cached => cached,
            };
            if let Some(known) = &before {
                if !known.is_free_for(owner) {
                    return Err(taken(desired, known, owner));
                }
                if known.matches(desired.sum) {
                    let (now, answer) = (known.clone(), None);
                    return Ok(Applied { now, answer });
                }
            }
            let (answer, did) = self.send(desired, before.as_ref(), owner).await?;
            let now = self.note(desired, did, &answer, owner);
            let now = self.keep(desired, now, owner).await?;
            let answer = Some(answer);
            Ok(Applied { now, answer })
        })
    }

    fn desired(
        &self,
        kind: ChildKind,
        meta: &ObjectMeta,
        text: String,
        force: bool,
    ) -> Result<Desired, Error> {
        let sum = desired(&text).map_err(unusable)?;
        let params = PatchParams::apply(&self.children.names.manager);
        let name = meta.name.as_deref().unwrap_or_default();
        Ok(Desired {
            key: ChildKey::new(&kind.name, meta.namespace.as_deref(), name),
            kind,
            text,
            sum,
            params: if force { params.force() } else { params },
        })
    }

    async fn send(
        &self,
        desired: &Desired,
        before: Option<&Known>,
        owner: &ObjectReference,
    ) -> Result<(Raw, Did), Error> {
        let (name, namespace) = (desired.key.name(), desired.key.namespace());
        let api: Api<Raw> = desired.kind.api(self.client.clone(), namespace);
        let params = &desired.params;
        if let Some(known) = before {
            match api.patch(name, params, &desired.of(known)?).await {
                Ok(answer) => {
                    let did = if known.was_applied(desired.sum) {
                        Did::Repaired
                    } else {
                        Did::Updated(known.version())
                    };
                    return Ok((answer, did));
                }
                Err(kube::Error::Api(answer))
                    if answer.code == 409 && !is_conflict_of_fields(&answer) =>
                {
                    let now = self.live(&desired.kind, &desired.key).await?;
                    if now.is_some_and(|now| now.uid() == known.uid()) {
                        return Err(kube::Error::Api(answer).into());
                    }
                    // The child was deleted, and another object may have its name.
                }
                Err(error) => return Err(refused(error)),
            }
        }
        let never = Some(NEVER.to_owned()).filter(|_| !broken(Breakage::StrangersAdopted));
        let patch = desired.patch("resourceVersion", never)?;
        match api.patch(name, params, &patch).await {
            Ok(answer) => Ok((answer, Did::Created)),
            // The object exists but is not in the cache: it belongs to another owner, or has lost
            // its labels.
            Err(kube::Error::Api(answer)) if answer.code == 409 => {
                let Some(known) = self.live(&desired.kind, &desired.key).await? else {
                    return Err(kube::Error::Api(answer).into());
                };
                if !known.is_free_for(owner) {
                    return Err(taken(desired, &known, owner));
                }
                let patched = api.patch(name, params, &desired.of(&known)?).await;
                Ok((patched.map_err(refused)?, Did::Updated(known.version())))
            }
            Err(error) => Err(refused(error)),
        }
    }

    /// Caches the applied child, and returns it. If the response was slow, the child may have been
    /// deleted or lost its label in the meantime without an event: then the live object counts.
    async fn keep(
        &self,
        desired: &Desired,
        mut now: Known,
        owner: &ObjectReference,
    ) -> Result<Known, Error> {
        let key = &desired.key;
        let mut confirmed = None;
        while let Verdict::Unsure(revision) = self.children.applied(key, &now, confirmed) {
            let found = self
                .live(&desired.kind, key)
                .await?
                .filter(|found| found.uid() == now.uid())
                .map(|found| found.after(&now));
            let Some(found) =
                found.filter(|found| confirmed.is_none() && found.matches(desired.sum))
            else {
                let (kind, name) = desired.named(owner);
                let message = format!("the {kind} `{name}` changed while being applied");
                return Err(Error::transient(message));
            };
            (now, confirmed) = (found, Some(revision));
        }
        Ok(now)
    }

    /// Logs the change and publishes an event, and returns the data to cache.
    fn note(&self, desired: &Desired, did: Did, answer: &Raw, owner: &ObjectReference) -> Known {
        let now = self.children.answered(&desired.key, answer, desired.sum);
        let (kind, name) = desired.named(owner);
        let (reason, did) = match did {
            Did::Created => (Some("Created"), "created"),
            Did::Repaired => (Some("Repaired"), "reverted a change of"),
            // A write without changes returns the same resource version.
            Did::Updated(before) if before == now.version() => return now,
            Did::Updated(_) => (None, "updated"),
        };
        let note = format!("{did} the {kind} {name}");
        info!("{note}");
        if let Some(reason) = reason {
            let child = answer.object_ref(&desired.kind.resource);
            let (events, owner) = (&self.events, owner.clone());
            events.send(EventType::Normal, owner, Some(child), reason, note);
        }
        now
    }
}

/// A conflict with another field manager is terminal; a conflict of resource versions is transient.
fn refused(error: kube::Error) -> Error {
    match error {
        kube::Error::Api(answer) if is_conflict_of_fields(&answer) => {
            Error::terminal("Conflict", answer.message)
        }
        error => error.into(),
    }
}

fn is_conflict_of_fields(answer: &Status) -> bool {
    let mut causes = answer.details.iter().flat_map(|details| &details.causes);
    answer.code == 409 && causes.any(|cause| cause.reason == "FieldManagerConflict")
}

fn taken(desired: &Desired, known: &Known, owner: &ObjectReference) -> Error {
    let (kind, name) = desired.named(owner);
    if known.is_to_be_collected(owner) {
        let message = format!(
            "the {kind} `{name}` of a deleted object still exists: waiting for garbage collection"
        );
        return Error::transient(message);
    }
    #[cfg(any(test, feature = "testing"))]
    crate::simulation::process::claimed(owner, &desired.kind.resource, desired.key.parts());
    let message = format!(
        "the {kind} `{name}` already exists and belongs to another owner: \
         delete it, or rename this object"
    );
    Error::terminal("NotOwned", message)
}

fn unusable(error: serde_json::Error) -> Error {
    Error::terminal("InvalidChild", error.to_string())
}
