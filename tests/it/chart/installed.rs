use std::time::Duration;

use serde_json::{Value, json};

use super::helm::{Helm, NAMESPACE};
use super::with_everything;
use crate::cluster::operator::Installed;
use crate::support::World;
use crate::support::control_plane::{ControlPlane, eventually};

const SOON: Duration = Duration::from_mins(1);

/// A release of a chart in a control plane.
struct Release<'a> {
    helm: &'a Helm,
    world: &'a World,
    kubeconfig: String,
}

impl Release<'_> {
    #[track_caller]
    fn helm(&self, arguments: &str) -> String {
        self.helm.ok(self.world, &self.arguments(arguments))
    }

    #[track_caller]
    fn fails(&self, arguments: &str) -> String {
        self.helm.fails(self.world, &self.arguments(arguments))
    }

    fn arguments<'a>(&'a self, arguments: &'a str) -> Vec<&'a str> {
        let of_cluster = ["--namespace", NAMESPACE, "--kubeconfig", &self.kubeconfig];
        arguments.split(' ').chain(of_cluster).collect()
    }
}

/// A real API server takes the chart, and with it an upgrade, a rollback and a removal. Objects of the kind survive.
#[test]
fn a_release_lives_and_its_objects_survive() {
    let (Some(helm), Some(plane)) = (Helm::find(), ControlPlane::new()) else {
        return;
    };
    let world = World::with_api();
    world.rop("generate chart").ok();
    let kubeconfig = plane.kubeconfig().display().to_string();
    let release = Release {
        helm: &helm,
        world: &world,
        kubeconfig,
    };
    release.helm("install app-operator dist/chart --create-namespace");
    plane.wait_for_crds();
    reconciles(&world, &plane);

    let object = "/apis/app.example.com/v1alpha1/namespaces/default/appservices/web";
    let uid = plane.api().get(object)["metadata"]["uid"].clone();
    assert!(uid.is_string());
    let deployment =
        format!("/apis/apps/v1/namespaces/{NAMESPACE}/deployments/app-operator-controller-manager");
    let image = || {
        plane.api().get(&deployment)["spec"]["template"]["spec"]["containers"][0]["image"].clone()
    };
    world.rop("create api --group app --kind Cache").ok();
    release.helm("upgrade app-operator dist/chart --set image.tag=v2,networkPolicy.enabled=true,podDisruptionBudget.enabled=true");
    assert_eq!(image(), "app-operator:v2");
    let cache = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/caches.app.example.com";
    assert!(plane.api().get(cache).is_object(), "an upgrade adds CRDs");
    release.helm("rollback app-operator 1");
    assert_eq!(image(), "app-operator:latest");
    release.helm("uninstall app-operator --wait");
    assert_eq!(plane.api().get(&deployment), Value::Null);
    assert_eq!(plane.api().get(object)["metadata"]["uid"], uid);
    // What was applied with kustomize moves to Helm. The CRD that the release kept still has Helm's fields.
    plane.kubectl_ok(&[
        "apply",
        "--server-side",
        "--force-conflicts",
        "-k",
        &world.path().join("config/default").display().to_string(),
    ]);
    let before = plane.api().get(&deployment)["metadata"]["uid"].clone();
    release.helm("upgrade --install app-operator dist/chart --take-ownership --force-conflicts");
    assert_eq!(plane.api().get(&deployment)["metadata"]["uid"], before);
    // The fields are kubectl's too, until an upgrade that changes them takes them over.
    let said = release.fails("upgrade app-operator dist/chart --set replicas=2");
    assert!(said.contains("conflict"), "{said}");
    release.helm("upgrade app-operator dist/chart --set replicas=2 --force-conflicts");
    release.helm("upgrade app-operator dist/chart --set replicas=3");
    assert_eq!(plane.api().get(&deployment)["spec"]["replicas"], 3);
    // The CRDs move to a release of their own, and back.
    world.rop("generate chart --crds separate").ok();
    release.helm("install app-operator-crds dist/chart-crds --take-ownership");
    release.helm("upgrade app-operator dist/chart");
    assert_eq!(plane.api().get(object)["metadata"]["uid"], uid);
    world.rop("generate chart --crds templates").ok();
    release.helm("upgrade app-operator dist/chart --take-ownership");
    release.helm("uninstall app-operator-crds");
    assert_eq!(plane.api().get(object)["metadata"]["uid"], uid);
    release.helm("upgrade app-operator dist/chart");
    release.helm("uninstall app-operator");
}

/// The operator runs under the account of the release, and nothing is refused to it.
fn reconciles(world: &World, plane: &ControlPlane) {
    let installed = Installed::alone(world, plane, "app-operator");
    let kubeconfig = installed.kubeconfig(plane, None);
    let operator = installed.run(plane, &kubeconfig, &[], &["--leader-elect"]);
    let object = json!({
        "apiVersion": "app.example.com/v1alpha1", "kind": "AppService",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"image": "nginx", "ports": [{"name": "http", "port": 80}]},
    });
    assert!(plane.apply(&object.to_string()).status.success());
    eventually("a Deployment", SOON, || {
        let deployment = plane
            .api()
            .get("/apis/apps/v1/namespaces/default/deployments/web");
        deployment.is_object().then_some(())
    });
    assert_eq!(operator.terminate().0, Some(0));
    let user = format!(
        "system:serviceaccount:{NAMESPACE}:{}",
        installed.service_account()
    );
    let refused = plane.audited().into_iter().filter(|event| {
        event["user"]["username"] == user && event["responseStatus"]["code"] == 403
    });
    assert_eq!(refused.count(), 0);
}

/// A real API server takes the chart with everything, and with the kinds of other operators.
#[test]
fn an_api_server_takes_all_of_it() {
    let (Some(helm), Some(plane)) = (Helm::find(), ControlPlane::new()) else {
        return;
    };
    let world = with_everything();
    world.rop("generate chart").ok();
    let foreign = plane.apply(include_str!("foreign.yaml"));
    assert!(foreign.status.success(), "{foreign:?}");
    plane.wait_for_crds();
    for namespace in ["one", "two"] {
        plane.kubectl_ok(&["create", "namespace", namespace]);
    }
    let kubeconfig = plane.kubeconfig().display().to_string();
    let release = Release {
        helm: &helm,
        world: &world,
        kubeconfig,
    };
    release.helm(
        "install app-operator dist/chart --create-namespace --set \
         networkPolicy.enabled=true,podDisruptionBudget.enabled=true,policy.enabled=true,metrics.secure=false",
    );
    release.helm("upgrade app-operator dist/chart --set watchNamespaces={one,two}");
    let role = plane
        .api()
        .get("/apis/rbac.authorization.k8s.io/v1/namespaces/one/roles/app-operator-manager-role");
    assert!(role.is_object());

    let all = |kind: &str| {
        let get = ["get", kind, "--namespace", NAMESPACE, "--output=name"];
        plane.kubectl_ok(&get).lines().count()
    };
    for values in ["metrics.secure=true", "metrics.secure=false"] {
        release.helm(&format!(
            "upgrade app-operator dist/chart --set prometheus.enabled=true,certManager.enabled=true,{values}"
        ));
        assert_eq!(
            ["servicemonitors", "issuers", "certificates"].map(all),
            [1, 2, 2]
        );
    }
    release.helm(
        "upgrade app-operator dist/chart --set \
         rbac.create=false,serviceAccount.create=false,serviceAccount.name=mine,crd.enabled=false",
    );
    assert_eq!(
        [
            "servicemonitors",
            "issuers",
            "certificates",
            "roles",
            "rolebindings",
            "serviceaccounts"
        ]
        .map(all),
        [0; 6]
    );
}
