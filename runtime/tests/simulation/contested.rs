//! An exclusive resource outside the cluster: the first object that claims it holds it.

use std::sync::{Arc, Mutex};

use kube::ResourceExt;
use rop_runtime::simulation::{Simulation, World, options};
use rop_runtime::{Action, Cleanup, Context, Error, Manager};

use crate::MINUTE;
use crate::kinds::{Status, Vault, crds, given, objects};
use crate::operator::{IDENTITY, conditions, failed};

/// The uid of the vault that holds the only safe.
type Safe = Arc<Mutex<Option<String>>>;

fn register(manager: &mut Manager<Safe>) {
    manager
        .controller(reconcile)
        .on_failure(|vault: &Vault, error| failed(vault, vault.status.as_ref(), error))
        .finalizer(clean)
        .start();
}

async fn reconcile(vault: Arc<Vault>, context: Context<Safe>) -> Result<Action, Error> {
    let uid = vault.uid().unwrap_or_default();
    if *context.state.lock().unwrap().get_or_insert(uid.clone()) != uid {
        return Err(Error::transient("another vault has the safe"));
    }
    let conditions = conditions(&*vault, vault.status.as_ref(), true, "Locked", "it is safe");
    context.report(&*vault, Status { conditions }).await?;
    Ok(Action::await_change())
}

async fn clean(vault: Arc<Vault>, context: Context<Safe>) -> Result<Cleanup, Error> {
    let mut safe = context.state.lock().unwrap();
    if *safe == vault.uid() {
        *safe = None;
    }
    Ok(Cleanup::Done)
}

/// In a fresh cluster, the ready object is created first.
#[test]
fn the_ready_object_holds_the_resource_in_a_fresh_cluster() {
    let vaults = objects()
        .into_iter()
        .filter(|object| object["kind"] == "Vault");
    let simulation = Simulation::in_world(IDENTITY, options(), register, World::shared)
        .crds(crds())
        .objects(vaults)
        .given(given())
        .trouble(MINUTE * 2);
    // This seed failed when all objects were created at once.
    let broken = simulation.simulate(&simulation.plan(8)).broken;
    assert!(broken.is_none(), "{broken:?}");
}
