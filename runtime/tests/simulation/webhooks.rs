//! The operator with webhooks: replicas serve them, despite all faults.

use rop_runtime::simulation::{Broken, Fault, Simulation};
use rop_runtime::webhook::{Request, Review, Validator};
use rop_runtime::{Manager, Options, simulation};
use serde_json::{Value, json};

use crate::kinds::{App, Vault};
use crate::{MINUTE, kinds, operator, rules};

pub(crate) const DEFAULT: &str = "/mutate-app";
pub(crate) const VALIDATE: &str = "/validate-vault";

/// Configurations of both webhooks.
fn configurations() -> [Value; 2] {
    let configuration = |kind: &str, path: &str, plural: &str, operations: &[&str]| {
        let rule = json!({
            "apiGroups": ["app.example.com"], "apiVersions": ["v1"], "resources": [plural],
            "operations": operations,
        });
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": { "name": "example" },
            "webhooks": [{
                "name": "example.app.example.com",
                "clientConfig": { "service": { "name": "webhook", "namespace": "operator", "path": path } },
                "rules": [rule],
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
            }],
        })
    };
    let (mutating, validating) = (
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    );
    [
        configuration(mutating, DEFAULT, "apps", &["CREATE", "UPDATE"]),
        configuration(
            validating,
            VALIDATE,
            "vaults",
            &["CREATE", "UPDATE", "DELETE"],
        ),
    ]
}

/// The operator with these two functions.
fn simulation(default: fn(&mut App, &Request), validator: fn() -> Validator<Vault>) -> Simulation {
    with(simulation::options(), move |manager| {
        manager.defaulting_webhook(DEFAULT, default);
        manager.validating_webhook(VALIDATE, validator());
    })
}

/// The operator with webhooks.
pub(crate) fn with(
    options: Options,
    webhooks: impl Fn(&mut Manager<()>) + Send + Sync + 'static,
) -> Simulation {
    let register = move |manager: &mut Manager<()>| {
        operator::register(manager);
        webhooks(manager);
    };
    Simulation::in_world(operator::IDENTITY, options, register, |_| ())
        .crds(kinds::crds())
        .objects(kinds::objects())
        .given(kinds::given())
        .given(configurations())
        .eventually("children are as specs ask", MINUTE * 20, rules::children)
}

/// An app always has a greeting.
fn default(app: &mut App, _: &Request) {
    app.spec.greeting.get_or_insert_with(|| "hello".to_owned());
}

/// A vault must not be emptied.
fn validator() -> Validator<Vault> {
    let judge = |vault: &Vault| {
        let mut review = Review::new();
        if vault.spec.content.is_empty() {
            review.required("spec.content", "a vault holds something");
        }
        review
    };
    Validator::new()
        .create(move |vault, _| judge(vault))
        .update(move |vault, _, _| judge(vault))
}

fn first_broken(simulation: &Simulation) -> Broken {
    let (_, broken) = simulation.first_broken(0..10).expect("a broken invariant");
    broken
}

#[test]
fn an_operator_with_webhooks_holds() {
    simulation(default, validator)
        .always("every app has a greeting", |world| {
            let apps = world.list::<App>();
            match apps.iter().find(|app| app.spec.greeting.is_none()) {
                Some(app) => Err(format!("{:?} has none", app.metadata.name)),
                None => Ok(()),
            }
        })
        .always("no vault is empty", |world| {
            if world
                .list::<Vault>()
                .iter()
                .any(|vault| vault.spec.content.is_empty())
            {
                Err("one is".to_owned())
            } else {
                Ok(())
            }
        })
        .seeds(0..4)
        .run();
}

#[test]
fn calls_of_webhooks_fail_now_and_then() {
    let simulation = simulation(default, validator);
    let plans = (0..100).map(|seed| simulation.plan(seed));
    let mut plans = plans.filter(|plan| plan.faults().any(|fault| fault == Fault::WebhookFailed));
    let is_seen = plans.by_ref().take(10).any(|plan| {
        let outcome = simulation.simulate(&plan);
        assert!(outcome.broken.is_none(), "{outcome}");
        outcome.table.contains("WebhookFailed")
    });
    assert!(is_seen, "no call fails");
}

#[test]
fn a_webhook_that_refuses_deletions_is_obeyed() {
    let keeps = || {
        Validator::new().delete(|_, _| {
            let mut review = Review::new();
            review.deny("a vault stays");
            review
        })
    };
    simulation(default, keeps).seeds(0..2).run();
}

#[test]
fn a_webhook_that_changes_something_each_time_is_found() {
    let grows = |app: &mut App, _: &Request| app.spec.image.push('x');
    let broken = first_broken(&simulation(grows, validator));
    assert_eq!(broken.invariant, "webhooks are idempotent");
}

#[test]
fn a_validation_of_new_objects_only_is_found() {
    let lax = || {
        Validator::new().create(|vault: &Vault, _| {
            let mut review = Review::new();
            if vault.spec.content.len() > 2 {
                review.invalid("spec.content", &vault.spec.content, "at most two letters");
            }
            review
        })
    };
    let broken = first_broken(&simulation(default, lax));
    let invariant = "what is refused on create is refused on update";
    assert_eq!(broken.invariant, invariant, "{broken}");
}

#[test]
fn a_webhook_that_panics_is_found() {
    let panics = || Validator::new().create(|_, _| panic!("a bug"));
    let broken = first_broken(&simulation(default, panics));
    assert_eq!(broken.invariant, "no webhook panics");
}

#[test]
fn an_object_says_that_a_webhook_refuses_what_the_operator_does() {
    // Not even a finalizer can be added.
    let keeps = || {
        Validator::new().update(|_, _, _| {
            let mut review = Review::new();
            review.deny("a vault stays as it is");
            review
        })
    };
    // The vaults do not get ready, even without faults.
    let simulation = simulation(default, keeps).eventually("vaults say why", MINUTE * 5, |world| {
        let vaults = world.list::<Vault>();
        let silent = vaults.iter().find(|vault| {
            let conditions = vault.status.iter().flat_map(|status| &status.conditions);
            let mut messages = conditions.map(|condition| &condition.message);
            !messages.any(|message| message.contains("a vault stays as it is"))
        });
        match silent {
            Some(vault) => Err(format!("{:?} does not", vault.metadata.name)),
            None => Ok(()),
        }
    });
    let broken = simulation.first_broken(0..2);
    assert!(broken.is_none(), "{broken:?}");
}

#[test]
fn a_webhook_that_nobody_registers_is_found() {
    let broken = first_broken(&crate::simulation().given(configurations()));
    assert_eq!(broken.invariant, "webhooks are served");
}
