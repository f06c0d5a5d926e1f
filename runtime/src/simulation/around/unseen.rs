//! Changes that no watch delivers: they occur while all watches are broken, and are compacted
//! before the watches restart.

use super::{intruder, often, user};
use crate::simulation::fault::Fault;
use crate::simulation::subject::Subject;
use crate::simulation::world::World;

pub(super) fn start(world: &World, subjects: &[Subject]) {
    let subjects = subjects.to_vec();
    often(world, Fault::Unseen, 25.0, move |world, rng| {
        world.fault(Fault::Unseen, "");
        world.server().end_watches();
        if rng.u8(..3) == 0 {
            intruder::remove_labels(world);
        }
        for _ in 0..rng.u8(1..4) {
            intruder::act(world, rng);
        }
        for subject in &subjects {
            if rng.bool() {
                user::step(world, subject, &subjects, rng);
            }
        }
        world.server().compact();
    });
}
