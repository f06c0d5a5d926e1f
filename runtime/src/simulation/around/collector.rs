//! The garbage collector of Kubernetes.

use std::time::Duration;

use tokio::time::sleep;

use super::seconds;
use crate::simulation::fault::Fault;
use crate::simulation::process::outside;
use crate::simulation::world::World;

pub(super) fn start(world: &World) {
    let (world, mut rng) = (world.clone(), world.plan().rng("collector"));
    let rate = world.plan().rate(Fault::LateCollector);
    outside(async move {
        loop {
            let is_late = !world.is_calm() && rng.f64() < rate;
            sleep(if is_late {
                seconds(&mut rng, 2.0, 40.0)
            } else {
                Duration::from_millis(700)
            })
            .await;
            world.collect_garbage();
        }
    });
}
