//! What is asked before a shop is stored.

use std::sync::Arc;

use kube::ResourceExt;
use kube::core::PartialObjectMeta;
use rop_runtime::webhook::{Request, Review, Validator};
use rop_runtime::{Error, Manager};

use crate::State;
use crate::kinds::Shop;

pub(crate) fn register(manager: &mut Manager<State>) {
    manager.defaulting_webhook("/mutate-shop-example-com-v1-shop", default);
    manager.reads::<PartialObjectMeta<Shop>>();
    let validator = Validator::new()
        .create_async(create)
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

/// A namespace has one main shop: that needs the labels of the others alone.
async fn create(shop: Shop, request: Request<State>) -> Result<Review, Error> {
    let mut review = judge(&shop);
    if is_main(&shop) {
        let shops = request.cached::<PartialObjectMeta<Shop>>().await?.list();
        let of_namespace =
            |other: &&Arc<PartialObjectMeta<Shop>>| other.namespace() == shop.namespace();
        if let Some(other) = shops
            .iter()
            .filter(of_namespace)
            .find(|other| is_main(&***other))
        {
            let name = other.name_any();
            review.forbidden(
                "metadata.labels",
                &format!("`{name}` is the main shop of the namespace"),
            );
        }
    }
    Ok(review)
}

fn is_main(shop: &impl ResourceExt) -> bool {
    shop.labels().contains_key("shop.example.com/main")
}

fn judge(shop: &Shop) -> Review {
    let mut review = Review::new();
    if let Some(port @ 0..1024) = shop.spec.port {
        review.invalid("spec.port", port, "the first 1024 are for root");
    }
    if shop.spec.pods {
        review.warn("spec.pods: nobody watches pods");
    }
    review
}

fn update(shop: &Shop, before: &Shop, _: &Request<State>) -> Review {
    let mut review = Review::new();
    if shop.spec.port != before.spec.port {
        review = judge(shop);
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
