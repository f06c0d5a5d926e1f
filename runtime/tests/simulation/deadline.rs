//! Work that is due at a time, and too late soon after: what a replica does depends on its clock.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::jiff::SignedDuration;
use rop_runtime::simulation::Simulation;
use rop_runtime::{Action, Context, Error, Manager, now};

use crate::MINUTE;
use crate::kinds::{Status, Vault, crds, given, objects};
use crate::operator::{IDENTITY, conditions, failed, secret};

/// A vault gets its Secret until this age.
const LATE: SignedDuration = SignedDuration::from_mins(15);

fn register(manager: &mut Manager<()>) {
    manager
        .controller(reconcile)
        .owns::<Secret>()
        .on_failure(|vault: &Vault, error| failed(vault, vault.status.as_ref(), error))
        .start();
}

async fn reconcile(vault: Arc<Vault>, context: Context) -> Result<Action, Error> {
    let created = vault.metadata.creation_timestamp.as_ref();
    let age = created.map(|created| now().duration_since(created.0));
    if age.is_none_or(|age| age < LATE) {
        context.apply(&*vault, secret(&vault, None)).await?;
    }
    let conditions = conditions(&*vault, vault.status.as_ref(), true, "Known", "it is known");
    context.report(&*vault, Status { conditions }).await?;
    Ok(Action::await_change())
}

/// What was too late for the replica that reconciles is so for the one that comes after it.
#[test]
fn a_new_replica_finds_nothing_that_was_too_late() {
    let vaults = objects()
        .into_iter()
        .filter(|object| object["kind"] == "Vault");
    let simulation = Simulation::new(IDENTITY, register, || ())
        .crds(crds())
        .objects(vaults)
        .given(given())
        .trouble(MINUTE * 2)
        .has_history::<Vault>();
    // With the earliest of all clocks, each of these seeds failed.
    for seed in [106, 117, 283] {
        let broken = simulation.simulate(&simulation.plan(seed)).broken;
        assert!(broken.is_none(), "{seed}: {broken:?}");
    }
}
