//! The component with which cert-manager makes the certificate of the webhooks.

use serde_json::{Value, json};

use super::{DEFAULT_KUSTOMIZATION, PLACES, of_kind, placed, the};
use crate::support::World;

/// A project with all kinds of webhooks, and cert-manager for them.
fn with_cert_manager() -> World {
    let world = World::with_api();
    for create in [
        "webhook --group app --kind AppService --defaulting --validation",
        "api --group app --version v1 --kind AppService",
        "webhook --group app --kind AppService --conversion",
        "api --group app --kind Other --template minimal",
    ] {
        world.rop(&format!("create {create}")).ok();
    }
    world.use_cert_manager();
    world
}

#[test]
fn names_and_namespaces_follow() {
    let world = with_cert_manager();
    let plain = world.read(DEFAULT_KUSTOMIZATION);
    for (namespace, prefix) in PLACES {
        let Some(objects) = placed(&world, &plain, (namespace, prefix)) else {
            return;
        };
        let name = |name: &str| json!(format!("{prefix}{name}"));
        let secrets: Vec<_> = of_kind(&objects, "Secret")
            .into_iter()
            .map(|secret| secret["metadata"]["name"].clone())
            .collect();
        assert_eq!(secrets, [name("webhook-ca"), name("webhook-server-cert")]);
        let [authority, serving] = of_kind(&objects, "Certificate")[..] else {
            panic!("two certificates");
        };
        assert_eq!(authority["spec"]["secretName"], name("webhook-ca"));
        assert_eq!(serving["spec"]["secretName"], name("webhook-server-cert"));
        let host = format!("{prefix}webhook-service.{namespace}.svc");
        assert_eq!(serving["spec"]["dnsNames"], json!([host]));

        // Who signs what.
        let [signing, first] = of_kind(&objects, "Issuer")[..] else {
            panic!("two issuers");
        };
        assert_eq!(signing["spec"]["ca"]["secretName"], name("webhook-ca"));
        assert_eq!(first["spec"]["selfSigned"], json!({}));
        let issuer = |certificate: &Value| certificate["spec"]["issuerRef"]["name"].clone();
        assert_eq!(issuer(serving), signing["metadata"]["name"]);
        assert_eq!(issuer(authority), first["metadata"]["name"]);

        // Whom the API server trusts, and with what the operator answers.
        let source = json!(format!("{namespace}/{prefix}webhook-server-cert"));
        let trusting = |object: &Value| {
            object["metadata"]["annotations"]["cert-manager.io/inject-ca-from"] == source
        };
        let trusting: Vec<_> = objects
            .iter()
            .filter(|object| trusting(object))
            .map(|object| (&object["kind"], &object["metadata"]["name"]))
            .collect();
        assert_eq!(
            trusting,
            [
                (
                    &json!("CustomResourceDefinition"),
                    &json!("appservices.app.example.com")
                ),
                (
                    &json!("MutatingWebhookConfiguration"),
                    &name("mutating-webhook-configuration")
                ),
                (
                    &json!("ValidatingWebhookConfiguration"),
                    &name("validating-webhook-configuration")
                ),
            ]
        );
        let pod = &the(&objects, "Deployment")["spec"]["template"]["spec"];
        assert_eq!(
            pod["volumes"][0]["secret"]["secretName"],
            name("webhook-server-cert")
        );
        let arguments = pod["containers"][0]["args"].as_array().expect("arguments");
        let folder = &pod["containers"][0]["volumeMounts"][0]["mountPath"];
        let folder = folder.as_str().expect("a folder");
        assert_eq!(
            arguments.last(),
            Some(&json!(format!("--webhook-cert-path={folder}")))
        );
    }
}

/// Half of it would make every call of a webhook fail.
#[test]
fn one_line_without_the_other_is_refused() {
    let world = with_cert_manager();
    let both = world.read(DEFAULT_KUSTOMIZATION);
    let create = "create webhook --group core --kind Pod --defaulting";
    world.write(
        DEFAULT_KUSTOMIZATION,
        &both.replace("- path: cert_manager.yaml\n", ""),
    );
    insta::assert_snapshot!(world.rop(create).exits(1), @"
    exit: 1
    --- stderr
    error[cert-manager-component]: `config/default/kustomization.yaml` lists `../cert-manager` without the names that it needs
    hint: add `- path: cert_manager.yaml` under `replacements:` there
    ");
    world.write(
        DEFAULT_KUSTOMIZATION,
        &both.replace(", ../cert-manager", ""),
    );
    insta::assert_snapshot!(world.rop(create).exits(1), @"
    exit: 1
    --- stderr
    error[cert-manager-component]: `config/default/kustomization.yaml` has the names of `../cert-manager`, and does not list it
    hint: add `../cert-manager` under `components:` there, after `../webhook`, or remove `- path: cert_manager.yaml`
    ");
    world.write(DEFAULT_KUSTOMIZATION, &both);
    world.rop(create).ok();
}
