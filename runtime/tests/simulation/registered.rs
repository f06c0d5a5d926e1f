//! What an operator registers in addition to its controllers is simulated unchanged.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rop_runtime::prometheus_client::metrics::counter::Counter;
use rop_runtime::simulation::Simulation;
use rop_runtime::{Context, Error, Manager, RunsOn};
use serde_json::json;

use crate::operator::IDENTITY;

/// The number of calls of each, in all processes.
#[derive(Default)]
struct Calls {
    leader: AtomicUsize,
    replica: AtomicUsize,
    ready: AtomicUsize,
    live: AtomicUsize,
}

struct State {
    calls: Arc<Calls>,
    rounds: Counter,
}

fn register(manager: &mut Manager<State>) {
    manager.task("leader", RunsOn::Leader, async |context| {
        run(&context, &context.state.calls.leader).await
    });
    manager.task("replica", RunsOn::EveryReplica, async |context| {
        run(&context, &context.state.calls.replica).await
    });
    let rounds = manager.state().rounds.clone();
    manager.metrics(|registry| registry.register("rounds", "Number of rounds", rounds));
    let [ready, live] = [manager.state(), manager.state()].map(Arc::clone);
    manager.ready_check("ready", move || {
        count(&ready.calls.ready);
        Ok(())
    });
    manager.live_check("live", move || {
        count(&live.calls.live);
        Ok(())
    });
}

async fn run(context: &Context<State>, calls: &AtomicUsize) -> Result<(), Error> {
    count(calls);
    context.state.rounds.inc();
    context.stopping().await;
    Ok(())
}

fn count(calls: &AtomicUsize) {
    calls.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn tasks_and_checks_run() {
    let calls = Arc::new(Calls::default());
    let of_all = Arc::clone(&calls);
    let state = move || State {
        calls: Arc::clone(&of_all),
        rounds: Counter::default(),
    };
    Simulation::new(IDENTITY, register, state).seeds(0..3).run();
    let Calls {
        leader,
        replica,
        ready,
        live,
    } = &*calls;
    for (name, calls) in [
        ("leader", leader),
        ("replica", replica),
        ("ready", ready),
        ("live", live),
    ] {
        assert!(calls.load(Ordering::Relaxed) > 0, "{name} was not called");
    }
}

/// So the simulation finds a task that fails.
#[test]
fn a_task_that_fails_ends_its_process() {
    let register = |manager: &mut Manager<()>| {
        manager.task("expire", RunsOn::Leader, async |_| {
            Err(Error::terminal("Expired", "the records are gone"))
        });
    };
    let simulation = Simulation::new(IDENTITY, register, || ());
    let broken = simulation.simulate(&simulation.plan(0)).broken;
    let message = broken.expect("a process that ends").to_string();
    assert!(message.contains("the records are gone"), "{message}");
}

/// As if `register` forgot the controllers.
#[test]
fn an_operator_that_reads_no_sample_is_found() {
    let sample = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "web" } });
    let simulation = Simulation::new(IDENTITY, |_: &mut Manager<()>| (), || ());
    let broken = simulation.objects([sample]).calm().broken;
    let broken = broken.expect("a violated invariant");
    assert_eq!(broken.invariant, "samples are watched", "{broken}");
}
