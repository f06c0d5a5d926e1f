//! Helm charts: what is generated, what Helm renders of it, and what a cluster makes of that.

mod components;
mod generated;
pub(crate) mod helm;
mod installed;
mod kubectl;
mod packed;
mod references;
mod rendered;
mod rights;
mod texts;
mod values;

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
        "generate monitoring",
    ] {
        world.rop(command).ok();
    }
    world
}
