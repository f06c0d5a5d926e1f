//! Thousands of replicas start and end in one process, so none of their memory may leak.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use rop_runtime::simulation::Simulation;
use rop_runtime::{Action, Cleanup, Context, Error, Manager};

use crate::operator::IDENTITY;

/// Held by the data of a replica: its state, and a closure of its controller.
type Token = Arc<()>;

async fn reconcile(_: Arc<ConfigMap>, _: Context<Token>) -> Result<Action, Error> {
    Ok(Action::await_change())
}

async fn clean(_: Arc<ConfigMap>, _: Context<Token>) -> Result<Cleanup, Error> {
    Ok(Cleanup::Done)
}

#[test]
fn nothing_of_a_replica_outlives_it() {
    let token = Token::default();
    let [of_closure, of_state] = [(); 2].map(|()| Arc::clone(&token));
    let register = move |manager: &mut Manager<Token>| {
        let held = Arc::clone(&of_closure);
        let counts = move |_: &ConfigMap, _: &ConfigMap| Arc::strong_count(&held) > 0;
        let controller = manager.controller(reconcile).filter_by(counts);
        controller.finalizer(clean).start();
    };
    let simulation = Simulation::new(IDENTITY, register, move || Arc::clone(&of_state));
    let _ = simulation.simulate(&simulation.plan(0));
    drop(simulation);
    assert_eq!(Arc::strong_count(&token), 1);
}
