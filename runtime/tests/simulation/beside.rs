//! A program that is not on the library, in the same clusters.

use k8s_openapi::api::apps::v1::Deployment;
use kube::ResourceExt;
use rop_runtime::simulation::{Simulation, World};

use crate::kinds::App;
use crate::operator::IDENTITY;
use crate::{MINUTE, kinds, plain};

/// Every App without a Secret that it waits for has a Deployment.
fn deployed(world: &World) -> Result<(), String> {
    let mut apps = world.list::<App>().into_iter();
    let lacks = |app: &App| {
        let waits = app.spec.secret.is_some_and(|it| it.name() == "absent");
        let (name, namespace) = (app.name_any(), app.namespace());
        !waits
            && world
                .get::<Deployment>(namespace.as_deref(), &name)
                .is_none()
    };
    match apps.find(lacks) {
        Some(app) => Err(format!("{} has no Deployment", app.name_any())),
        None => Ok(()),
    }
}

#[test]
fn an_operator_on_kube_alone_runs() {
    let simulation = || {
        Simulation::of_program(IDENTITY, plain::run)
            .crds(kinds::crds())
            .objects(kinds::objects())
            .given(kinds::given())
    };
    let simulated = simulation().eventually("every App is deployed", MINUTE * 20, deployed);
    let outcome = simulated.simulate(&simulated.plan(0));
    assert!(outcome.broken.is_none(), "{:?}", outcome.broken);
    assert!(outcome.figures.changes > 0, "{:?}", outcome.figures);
    // What the test asks for counts.
    let refused = simulation().always("never", |_| Err("on purpose".to_owned()));
    let outcome = refused.simulate(&refused.plan(0));
    let broken = outcome.broken.map(|broken| broken.invariant);
    assert_eq!(broken.as_deref(), Some("never"));
}
