//! What `rop bundle` says about its sources: the base, the controllers, the bindings.

use serde_json::json;

use super::generated::csv;
use crate::support::World;

const BASE: &str = "config/manifests/bases/app-operator.clusterserviceversion.yaml";

/// A field of the base, added to its spec.
fn with_base(world: &World, spec: &str) {
    world.rop("bundle --image example.com/app:v1").ok();
    world.replace(BASE, "spec:\n", &format!("spec:\n{spec}"));
}

#[test]
fn entries_without_a_crd_are_named() {
    let world = World::with_api();
    with_base(
        &world,
        "  customresourcedefinitions:
    owned:
    - {name: appservices.app.example.com, version: v1alpha1, kind: AppService, displayName: Service}
    - {name: appservices.app.example.com, version: v9, kind: AppService}
    - {name: others.app.example.com, version: v1, kind: Other}
",
    );
    world.rop("bundle").ok().says(
        "the bundle omits `appservices.app.example.com v9 AppService`, `others.app.example.com v1 Other` of \
        `spec.customresourcedefinitions.owned`",
    );
}

/// A finding leads to the file that has to be edited.
#[test]
fn a_finding_names_the_base() {
    let world = World::with_api();
    with_base(
        &world,
        "  minKubeVersion: '1.33'\n  relatedImages: [{name: a}, {name: b, image: b:v1}, {name: b, image: c:v1}]\n",
    );
    let outcome = world.rop("bundle").exits(1);
    outcome
        .says(&format!("`1.28.0`; the value comes from `{BASE}:"))
        .says("[related-image-empty]")
        .says("the name `b` is listed twice");
    assert_eq!(
        csv(&world)["spec"]["relatedImages"][0],
        json!({"name": "a"})
    );
    world.replace(BASE, "  displayName: App Operator\n", "");
    world
        .rop("bundle")
        .exits(1)
        .says(&format!("`{BASE}` is the place for it"));
    // Nothing else is said by a check that fails.
    world.rop("bundle --check").exits(1).omits("done");
}

/// An operator that is limited to namespaces has to know which.
#[test]
fn install_modes_that_nobody_reads_are_named() {
    let world = World::with_api();
    with_base(
        &world,
        "  installModes: [{type: OwnNamespace, supported: true}, {type: AllNamespaces, supported: true}]\n",
    );
    world
        .rop("bundle")
        .ok()
        .says("warning[install-mode-namespaces]: no Deployment reads the namespaces that `OwnNamespace` limits it to");
}

#[test]
fn a_kind_lists_what_its_own_controller_makes() {
    let world = World::with_api();
    world
        .rop("create api --group app --kind Batch --template job")
        .ok();
    world.rop("bundle --image example.com/app:v1").ok();
    let owned = csv(&world)["spec"]["customresourcedefinitions"]["owned"].clone();
    let resources = |kind: &str| {
        let mut owned = owned.as_array().into_iter().flatten();
        let entry = owned.find(|entry| entry["kind"] == kind).expect(kind);
        let resources = entry["resources"].as_array().into_iter().flatten();
        let kinds = resources.filter_map(|it| it["kind"].as_str());
        kinds.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(resources("AppService"), "Deployment Event Service");
    assert_eq!(resources("Batch"), "Event Job");
}

/// A binding beside the operator's cannot follow the namespace of the installation.
#[test]
fn bindings_of_other_accounts_are_named() {
    let world = World::with_api();
    let note = "if the bundle is installed in another namespace than `app-operator-system`, RoleBinding \
                app-operator-system/app-operator-worker grants nothing";
    world.rop("bundle").ok().omits("another namespace");
    let manifests = "\
apiVersion: v1
kind: ServiceAccount
metadata: {name: worker, namespace: system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: worker, namespace: system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: worker, namespace: system}]
";
    world.write("config/default/worker.yaml", manifests);
    world.replace(
        "config/default/kustomization.yaml",
        "- metrics_service.yaml\n",
        "- metrics_service.yaml\n- worker.yaml\n",
    );
    world.rop("bundle").ok().says(note);
    world.rop("bundle --check").ok().says(note);
    world.write(
        "config/default/worker.yaml",
        &manifests.replace(
            "name: worker, namespace: system}]",
            "name: worker, namespace: default}]",
        ),
    );
    world.rop("bundle").ok().says(
        "RoleBinding app-operator-system/app-operator-worker grants nothing to the operator's service account \
        `app-operator-worker`, which is in `app-operator-system`: it names `worker` in `default`",
    );
}

/// OLM makes only the accounts that the bundle lists.
#[test]
fn each_account_of_a_deployment_is_listed() {
    let world = World::with_api();
    world.write(
        "config/agent/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [agent.yaml]\n",
    );
    world.write(
        "config/agent/agent.yaml",
        "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: agent, namespace: system}\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: agent, namespace: system}\n\
         spec:\n  selector: {matchLabels: {app: agent}}\n  template:\n    metadata: {labels: {app: agent}}\n    \
         spec: {serviceAccountName: agent, containers: [{name: agent, image: \"example.com/agent:v1\"}]}\n",
    );
    world.replace(
        "config/default/kustomization.yaml",
        "components: []",
        "components: [../agent]",
    );
    world.rop("bundle --image example.com/app:v1").ok();
    let csv = csv(&world);
    let permissions = csv["spec"]["install"]["spec"]["permissions"].as_array();
    let mut accounts = permissions.into_iter().flatten();
    assert!(
        accounts.any(
            |listed| listed["serviceAccountName"] == "app-operator-agent"
                && listed["rules"] == serde_json::json!([])
        ),
        "{csv}"
    );
    world.rop("bundle validate").ok();
}

#[test]
fn what_a_csv_cannot_say_of_a_webhook_is_noted() {
    let world = World::with_api();
    world
        .rop("create webhook --group core --kind Pod --defaulting")
        .ok();
    world
        .rop("bundle --image example.com/app:v1")
        .ok()
        .says("note: the bundle omits `namespaceSelector` of the webhook `mpod-v1.kb.io`: ");
}
