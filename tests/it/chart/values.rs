//! What values may be, and how they follow `config/` and the user's edits.

use serde_json::{Value, json};

use super::helm::Helm;
use crate::support::World;

const MANAGER: &str = "config/manager/manager.yaml";
const SCHEMA: &str = "dist/chart/values.schema.json";
const VALUES: &str = "dist/chart/values.yaml";
const DEPLOYMENT: &str = "dist/chart/templates/manager/controller-manager.yaml";

/// A value that an API server would refuse, that would put other fields into a manifest, or without which a template
/// would fail, is refused by the schema.
#[test]
fn the_schema_refuses_what_cannot_be_applied() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    world.rop("generate chart").ok();
    for (flag, value) in [
        ("--set", "commonLabels.team=1"),
        ("--set", "annotations.a=1"),
        ("--set", "podAnnotations.a=1"),
        ("--set", "serviceAccount.annotations.a=1"),
        ("--set", "podLabels.a=true"),
        ("--set", "nodeSelector.x=true"),
        ("--set", "tolerations[0].value=true"),
        ("--set", "imagePullSecrets[0].name=1"),
        ("--set", "extraEnv[0].name=A,extraEnv[0].value=1"),
        ("--set", "extraEnv[0].value=a"),
        ("--set", "image.digest=abc"),
        ("--set", "image.tag=a b"),
        ("--set", "image.repository=r/x@sha256:abc"),
        ("--set", "image.repository=r/x:1"),
        ("--set", "fullnameOverride=A"),
        ("--set-string", "fullnameOverride=1"),
        ("--set", "nameOverride=a #b"),
        ("--set", "watchNamespaces={}"),
        ("--set", "watchNamespaces={a\\,b}"),
        ("--set", "watchNamespaces={A b}"),
        ("--set", "watchNamespaces={*}"),
        ("--set", "watchNamespaces={a,a}"),
        (
            "--set-string",
            "priorityClassName=x\n      hostNetwork: true",
        ),
        ("--set-string", "serviceAccount.name=a: b"),
        (
            "--set-string",
            "image.repository=x\n        command: [sh]\n #",
        ),
        ("--set", "metrics=null"),
        ("--set", "image=null"),
        ("--set", "crd.keep=null"),
        ("--set", "replicas=null"),
        ("--set", "prometheus=null"),
    ] {
        let said = helm.fails(&world, &["template", "dist/chart", flag, value]);
        assert!(
            said.contains("values don't meet the specifications"),
            "{value}: {said}"
        );
    }
    // What can be left out.
    for value in [
        "podAnnotations=null,podLabels=null,annotations=null,commonLabels=null,resources=null",
        "watchNamespaces=null,extraEnv=null,extraArgs=null,image.tag=null,image.digest=null",
        "nodeSelector=null,priorityClassName=null,serviceAccount.name=null,nameOverride=null",
    ] {
        helm.objects(&world, &["--set", value]);
    }
    let said = helm.fails(
        &world,
        &[
            "template",
            "dist/chart",
            "--set",
            "replicas=2,leaderElection.enabled=false",
        ],
    );
    assert!(
        said.contains("replicas is above 1, but leaderElection.enabled is false"),
        "{said}"
    );
}

/// Names that YAML would read as numbers stay texts.
#[test]
fn names_are_texts() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    world.rop("generate chart").ok();
    let objects = helm.objects(
        &world,
        &[
            "--set-string",
            "serviceAccount.name=123,priorityClassName=1e3",
        ],
    );
    let of_kind = |kind: &str| {
        let found = objects.iter().find(|object| object["kind"] == kind);
        found.unwrap_or_else(|| panic!("no {kind}"))
    };
    let pod = &of_kind("Deployment")["spec"]["template"]["spec"];
    assert_eq!(pod["serviceAccountName"], "123");
    assert_eq!(pod["priorityClassName"], "1e3");
    assert_eq!(of_kind("ServiceAccount")["metadata"]["name"], "123");
    assert_eq!(of_kind("RoleBinding")["subjects"][0]["name"], "123");
}

/// The user's own values, and those of other charts that this one depends on, are allowed; misspelt ones are not.
#[test]
fn own_values_are_allowed() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    let before = world.read(SCHEMA);
    let values = world.read(VALUES);
    world.write(
        VALUES,
        &values
            .replace("\nreplicas: 1\n", "\nmine: 1\nreplicas: 1\n")
            .replace("\nmetrics:\n", "\nmetrics:\n  port: 8443\n"),
    );
    let metadata = "dist/chart/Chart.yaml";
    let depends = "dependencies:\n- {name: redis, version: 1.0.0}\n- {name: redis, version: 1.0.0, alias: cache}\n";
    world.write(metadata, &format!("{}{depends}", world.read(metadata)));
    world.rop("generate chart").ok();
    world.rop("generate chart").did_nothing();
    let schema: Value = serde_json::from_str(&world.read(SCHEMA)).expect("JSON");
    assert_eq!(schema["additionalProperties"], false);
    for path in [
        "/properties/mine",
        "/properties/metrics/properties/port",
        "/properties/redis",
        "/properties/cache",
        "/properties/tags",
    ] {
        assert_eq!(schema.pointer(path), Some(&json!({})), "{path}");
    }
    world.write(VALUES, &values);
    world.replace(metadata, depends, "");
    world.rop("generate chart").ok();
    assert_eq!(world.read(SCHEMA), before);
}

/// What `config/` gains takes the place of a value that nobody edited, also if it was empty, and back.
#[test]
fn empty_values_follow() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.replace(VALUES, "replicas: 1\n", "replicas: 3\n");
    let manager = world.read(MANAGER);
    let values = world.read(VALUES);
    world.replace(
        MANAGER,
        "      serviceAccountName:",
        "      tolerations:\n      - operator: Exists\n      nodeSelector:\n        disk: ssd\n      serviceAccountName:",
    );
    world.rop("generate chart").ok();
    let new = world.read(VALUES);
    assert!(
        new.contains("\ntolerations:\n- operator: Exists\n"),
        "{new}"
    );
    assert!(new.contains("\nnodeSelector:\n  disk: ssd\n"), "{new}");
    assert!(new.contains("replicas: 3\n"), "{new}");
    world.rop("generate chart").did_nothing();
    world.write(MANAGER, &manager);
    world.rop("generate chart").ok();
    assert_eq!(world.read(VALUES), values);
}

/// An edited template is a matter of the chart's own command.
#[test]
fn an_edited_template_stops_only_the_chart() {
    let world = World::with_api();
    world.rop("generate chart").ok();
    world.replace(DEPLOYMENT, "name: manager", "name: other");
    let edited = world.read(DEPLOYMENT);
    world.rop("create api --group app --kind Cache").ok().says(&format!(
        "note: `dist/chart` is not updated: `{DEPLOYMENT}` is generated but was edited by hand; see `rop generate chart`"
    ));
    assert_eq!(world.read(DEPLOYMENT), edited);
    assert!(
        !world
            .path()
            .join("dist/chart/templates/crd/caches.app.example.com.yaml")
            .exists()
    );
    world
        .rop("check --skip manifests")
        .exits(1)
        .says("move edits of templates to files of your own in `templates/`, and run `rop generate chart --force`");
    world.rop("generate chart").exits(1);
    world.rop("generate chart --force").ok();
    world.rop("check --skip manifests").ok();
}

/// A webhook for pods leaves out the namespace of the release, in which the operator itself starts.
#[test]
fn webhooks_leave_out_the_namespace_of_the_release() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    world
        .rop("create webhook --group core --version v1 --kind Pod --validation")
        .ok();
    world.rop("generate chart").ok();
    let objects = helm.objects(&world, &["--namespace", "ops"]);
    let mut all = objects.iter();
    let webhook = all.find(|object| object["kind"] == "ValidatingWebhookConfiguration");
    assert_eq!(
        webhook.expect("a webhook")["webhooks"][0]["namespaceSelector"]["matchExpressions"][0]["values"],
        json!(["ops", "kube-system"])
    );
}

/// The notes name the CRDs, in the order of the commands that delete them.
#[test]
fn notes_name_the_crds() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    world.rop("create api --group app --kind Cache").ok();
    world.rop("generate chart").ok();
    let install = [
        "install",
        "app-operator",
        "dist/chart",
        "--dry-run=client",
        "--set",
    ];
    let notes = |value: &str| helm.ok(&world, &[&install[..], &[value]].concat());
    let kept = notes("crd.keep=true");
    assert!(
        kept.ends_with("  kubectl delete crd appservices.app.example.com caches.app.example.com\n"),
        "{kept}"
    );
    for value in ["crd.keep=false", "crd.enabled=false"] {
        assert!(!notes(value).contains("kubectl delete crd"), "{value}");
    }
}
