//! Replicas whose caches sync before they lead, and webhooks that read these caches.

use rop_runtime::webhook::{Request, Review, Validator};
use rop_runtime::{Error, simulation};

use crate::kinds::{App, Vault};
use crate::webhooks::{DEFAULT, VALIDATE, with};

/// Rejects a vault with the name of an existing app.
async fn create(vault: Vault, request: Request) -> Result<Review, Error> {
    let mut review = Review::new();
    let name = vault.metadata.name.unwrap_or_default();
    let apps = request.cached::<App>().await?;
    if apps.get(request.namespace(), &name).is_some() {
        review.deny(format!("an app is called {name}"));
    }
    Ok(review)
}

async fn default(mut app: App, request: Request) -> Result<App, Error> {
    if app.spec.greeting.is_none() {
        let vaults = request.cached::<Vault>().await?.list().len();
        app.spec.greeting = Some(format!("hello to {vaults} vaults"));
    }
    Ok(app)
}

#[test]
fn an_operator_with_full_caches_holds() {
    let mut options = simulation::options();
    options.election.leader_elect_warm_standby = true;
    with(options, |manager| {
        manager.reads::<App>();
        manager.reads::<Vault>();
        manager.defaulting_webhook_async(DEFAULT, default);
        manager.validating_webhook(VALIDATE, Validator::new().create_async(create));
    })
    .always("every app has a greeting", |world| {
        let apps = world.list::<App>();
        match apps.iter().find(|app| app.spec.greeting.is_none()) {
            Some(app) => Err(format!("{:?} has none", app.metadata.name)),
            None => Ok(()),
        }
    })
    .seeds(0..4)
    .run();
}
