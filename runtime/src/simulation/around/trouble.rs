//! The faults of processes and the API server.

use tokio::time::sleep;

use super::{often, one_of, seconds};
use crate::simulation::crew::Crew;
use crate::simulation::fault::Fault;
use crate::simulation::process::outside;
use crate::simulation::target::LEASES;
use crate::simulation::world::World;

pub(super) fn start(world: &World, crew: &Crew) {
    processes(world, crew);
    often(world, Fault::ServerRestart, 90.0, |world, rng| {
        world.restart_server(seconds(rng, 0.1, 12.0));
    });
    often(world, Fault::Overload, 120.0, |world, rng| {
        world.overload(seconds(rng, 1.0, 30.0));
    });
    often(world, Fault::Compaction, 30.0, |world, _| {
        world.server().compact();
        world.fault(Fault::Compaction, "");
    });
    often(world, Fault::Forbidden, 60.0, |world, rng| {
        let resources = world.resources();
        match one_of(rng, &resources) {
            Some(resource) if rng.bool() => world.forbid(resource, seconds(rng, 1.0, 40.0)),
            // A leader that can write, but not renew its Lease.
            _ => world.forbid(LEASES, seconds(rng, 10.0, 40.0)),
        }
    });
}

fn processes(world: &World, crew: &Crew) {
    let all = crew.clone();
    often(world, Fault::Kill, 60.0, move |world, rng| {
        if let Some(process) = one_of(rng, &all.processes()) {
            world.fault(Fault::Kill, process.name());
            process.kill();
        }
    });
    let all = crew.clone();
    often(world, Fault::Stop, 40.0, move |world, rng| {
        if let Some(process) = one_of(rng, &all.processes()) {
            world.stop(process, seconds(rng, 1.0, 45.0));
        }
    });
    let all = crew.clone();
    often(world, Fault::CutOff, 60.0, move |world, rng| {
        if let Some(process) = one_of(rng, &all.processes()) {
            world.cut_off(process.name(), seconds(rng, 1.0, 60.0));
        }
    });
    let all = crew.clone();
    often(world, Fault::Terminate, 90.0, move |world, rng| {
        let number = rng.usize(..world.plan().replicas);
        world.fault(Fault::Terminate, &format!("replica {number}"));
        all.terminate(number);
    });
    let all = crew.clone();
    often(world, Fault::Upgrade, 200.0, move |world, rng| {
        world.fault(Fault::Upgrade, "");
        let (crew, pause) = (all.clone(), seconds(rng, 1.0, 30.0));
        let replicas = world.plan().replicas;
        outside(async move {
            for number in 0..replicas {
                crew.terminate(number);
                sleep(pause).await;
            }
        });
    });
}
