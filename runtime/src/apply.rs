//! How a reconcile writes children: by server-side apply, as one field manager, and only where that
//! changes something.

use kube::api::{ApiResource, Patch, PatchParams};
use kube::runtime::events::EventType;
use kube::{Api, Resource, ResourceExt};

use super::children::{Key, Known, Live, desired};
use super::{Child, Context, Error};

/// Owns the fields that this operator sets. Changing it orphans the fields set under the old name.
pub const FIELD_MANAGER: &str = "rop";

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
        let text = serde_json::to_string(child).map_err(unusable)?;
        let wanted = desired(&text).map_err(unusable)?;
        let before = self.children.get(&key).flatten();
        if let Some(known) = &before {
            if !known.is_free_for(owner.meta().uid.as_deref()) {
                return Err(taken::<C>(&name));
            }
            if known.is_as(wanted) {
                return known.complete(&text).map_err(unusable);
            }
        }

        let api = self.children_of::<C>(namespace);
        let mut patch = child.clone();
        if before.is_none() {
            patch.meta_mut().resource_version = Some(NEVER.to_owned());
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
                patch.meta_mut().resource_version = None;
                api.patch(&name, &params(), &Patch::Apply(&patch)).await?
            }
            answer => answer?,
        };
        let now = Known::applied(&answer, wanted);
        let event = match &before {
            None if answer.is_new => Some(("Created", "created")),
            Some(known) if known.was_as(wanted) => Some(("Repaired", "undid a change of")),
            _ => None,
        };
        if let Some((reason, did)) = event {
            let note = format!("{did} the {} {name}", C::kind(&()));
            let (owner, child) = (owner.object_ref(&()), child.object_ref(&()));
            self.events
                .send(EventType::Normal, owner, Some(child), reason, note);
        }
        let applied = now.complete(&text).map_err(unusable);
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
