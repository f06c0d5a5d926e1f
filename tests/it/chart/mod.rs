//! Helm charts: what is generated, what Helm renders of it, and what a cluster makes of that.

mod generated;
mod helm;
mod installed;
mod packed;
mod references;
mod rendered;

use crate::support::World;

/// A project with two versions of a kind, which a webhook converts, with webhooks and with policies.
fn with_everything() -> World {
    let world = World::with_api();
    for command in [
        "create api --group app --kind AppService --version v1beta1",
        "create webhook --group app --kind AppService --version v1alpha1 --conversion --spoke v1beta1",
        "create webhook --group app --kind AppService --version v1alpha1 --defaulting --validation",
        "create policy --group app --kind AppService --validating",
        "create api --group app --kind Zone --cluster-scoped --template minimal",
    ] {
        world.rop(command).ok();
    }
    world
}
