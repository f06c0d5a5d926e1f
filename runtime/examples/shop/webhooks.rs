//! What is asked before a shop is stored.

use rop_runtime::Manager;
use rop_runtime::webhook::{Request, Review, Validator};

use crate::State;
use crate::kinds::Shop;

pub(crate) fn register(manager: &mut Manager<State>) {
    manager.defaulting_webhook("/mutate-shop-example-com-v1-shop", default);
    let validator = Validator::new()
        .create(create)
        .update(update)
        .delete(delete);
    manager.validating_webhook("/validate-shop-example-com-v1-shop", validator);
}

fn default(shop: &mut Shop, request: &Request<State>) {
    if shop.spec.greeting.is_empty() {
        let namespace = request.namespace().unwrap_or_default();
        shop.spec.greeting = format!("{} to {namespace}", request.state.salutation);
    }
}

fn create(shop: &Shop, _: &Request<State>) -> Review {
    let mut review = Review::new();
    if let Some(port @ 0..1024) = shop.spec.port {
        review.invalid("spec.port", port, "the first 1024 are for root");
    }
    if shop.spec.pods {
        review.warn("spec.pods: nobody watches pods");
    }
    review
}

fn update(shop: &Shop, before: &Shop, request: &Request<State>) -> Review {
    let mut review = Review::new();
    if shop.spec.port != before.spec.port {
        review = create(shop, request);
    }
    if shop.spec.zone != before.spec.zone && before.spec.zone.is_some() {
        review.forbidden("spec.zone", "a shop cannot move");
    }
    review
}

fn delete(shop: &Shop, request: &Request<State>) -> Review {
    let mut review = Review::new();
    if shop.spec.labels.contains_key("keep") && !request.is_dry_run() {
        review.deny("it is to be kept");
    }
    review
}
