// Owned by rop: its commands rewrite this file, so make changes elsewhere [235d95970e80]
//! How a reconcile writes children: by server-side apply, as one field manager, and only where that
//! changes something.

use kube::api::{ApiResource, Patch, PatchParams};
use kube::runtime::events::EventType;
use kube::{Api, Resource, ResourceExt};
use serde_json::json;

use super::children::{Key, Known, Live, desired, sum};
use super::{Child, Context, Error};

/// Owns the fields that this operator sets. Changing it orphans the fields set under the old name.
pub const FIELD_MANAGER: &str = "instance-operator";

/// A version that no object has. An apply that asks for it creates what is not there, and is refused
/// where there is anything: what belongs to somebody else is not touched even where it contradicts
/// nothing.
const NEVER: &str = "1";

impl Context {
    /// Creates a child or corrects it, and returns it as it is now: what `child` sets, with the status
    /// that the API server has. Where nothing differs, nothing is sent.
    ///
    /// # Errors
    /// What the API server answers, told apart into transient and terminal. A child of that name that
    /// belongs to somebody else is a terminal error, and stays as it is.
    pub async fn apply<C: Child>(
        &self,
        owner: &impl Resource<DynamicType = ()>,
        child: &C,
    ) -> Result<C, Error> {
        let (namespace, name) = (self.namespace(owner), child.name_any());
        let key = Key::new::<C>(namespace, &name);
        let mut patch = serde_json::to_value(child).map_err(unusable)?;
        let wanted = sum(&desired(patch.clone()));
        let before = self.children.get(&key).flatten();
        if let Some(known) = &before {
            if !known.is_free_for(owner.meta().uid.as_deref()) {
                return Err(taken::<C>(&name));
            }
            if known.is_as(wanted) {
                return known.complete(patch).map_err(unusable);
            }
        }

        let api = self.children_of::<C>(namespace);
        if before.is_none() {
            patch["metadata"]["resourceVersion"] = json!(NEVER);
        }
        let answer = match api.patch(&name, &params(), &Patch::Apply(&patch)).await {
            // It is there, and not in the cache: somebody else's, or one of ours that lost its labels.
            Err(kube::Error::Api(answer)) if before.is_none() && answer.code == 409 => {
                let Some(found) = api.get_opt(&name).await? else {
                    return Err(kube::Error::Api(answer).into());
                };
                let known = Known::new(&found);
                if !known.is_free_for(owner.meta().uid.as_deref()) {
                    return Err(taken::<C>(&name));
                }
                if let Some(metadata) = patch["metadata"].as_object_mut() {
                    metadata.remove("resourceVersion");
                }
                api.patch(&name, &params(), &Patch::Apply(&patch)).await?
            }
            answer => answer?,
        };
        let now = Known::applied(&answer, wanted);
        let event = match &before {
            None if is_new(&answer) => Some(("Created", "created")),
            Some(known) if known.was_as(wanted) => Some(("Repaired", "undid a change of")),
            _ => None,
        };
        if let Some((reason, did)) = event {
            let note = format!("{did} the {} {name}", C::kind(&()));
            let (owner, child) = (owner.object_ref(&()), child.object_ref(&()));
            self.events
                .send(EventType::Normal, owner, Some(child), reason, note);
        }
        let applied = now.complete(patch).map_err(unusable);
        self.children.applied(key, now);
        applied
    }

    pub(super) fn children_of<C: Child>(&self, namespace: &str) -> Api<Live> {
        Api::namespaced_with(
            self.client.clone(),
            namespace,
            &ApiResource::erase::<C>(&()),
        )
    }
}

/// What others changed of our fields is undone.
fn params() -> PatchParams {
    PatchParams::apply(FIELD_MANAGER).force()
}

/// Whether a child was created by the apply that brought this answer.
fn is_new(child: &Live) -> bool {
    let created = child.creation_timestamp();
    matches!(child.managed_fields(), [entry] if created.is_some() && entry.time == created)
}

fn taken<C: Child>(name: &str) -> Error {
    let kind = C::kind(&());
    let message = format!(
        "the {kind} `{name}` is there already and belongs to somebody else: \
         delete it, or give this object another name"
    );
    Error::terminal("NotOwned", message)
}

fn unusable(error: serde_json::Error) -> Error {
    Error::terminal("InvalidChild", error.to_string())
}
