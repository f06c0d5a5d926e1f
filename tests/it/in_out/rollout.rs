//! An operator that does not get ready: the pods' reasons, and what the log ends with.

use super::{NAMESPACE, command, fake_kubectl, rop};
use crate::support::control_plane::ControlPlane;
use crate::support::kubelet::{waiting, while_pods_are};
use crate::support::{Outcome, World};

const DEPLOY: &str = "deploy --image example.com/none:v1 --timeout 4s";

fn plane() -> Option<ControlPlane> {
    ControlPlane::with_controllers().filter(ControlPlane::has_controllers)
}

/// What was said from the error on, without the random part of the pod's name.
fn from_the_error(outcome: &Outcome) -> String {
    let (_, error) = outcome
        .stderr
        .split_once("error[not-ready]: ")
        .expect("an error");
    let pod = regex::Regex::new("manager-[a-z0-9]+-[a-z0-9]+").expect("a pattern");
    pod.replace_all(error, "manager-[POD]").into_owned()
}

#[test]
fn an_image_that_cannot_be_pulled() {
    let Some(plane) = plane() else {
        return;
    };
    let world = World::with_api();
    let status = waiting("ImagePullBackOff", "Back-off pulling image", 0);
    let outcome =
        while_pods_are(&status, &plane, NAMESPACE, || rop(&world, &plane, DEPLOY)).exits(1);
    insta::assert_snapshot!(from_the_error(&outcome), @"
    Deployment app-operator-system/app-operator-controller-manager is not ready after 4s: 0 of 1 pods available (ImagePullBackOff)
      caused by: pod app-operator-controller-manager-[POD]: container manager: ImagePullBackOff: Back-off pulling image
    hint: push the image to a registry that the cluster can pull from, or load it into the cluster (`kind load docker-image`, `minikube image load`, `k3d image import`)
    hint: the applied objects remain: fix the cause and run the command again, or remove them with `rop undeploy`
    ");
}

/// There is no kubelet that has logs, so this kubectl has them.
#[test]
fn an_operator_that_ends_by_itself() {
    let Some(plane) = plane() else {
        return;
    };
    let world = World::with_api();
    let kubectl = fake_kubectl(
        &world,
        "case \"$*\" in logs*--previous*) echo no configuration; echo giving up;; *) exec {} \"$@\";; esac",
    );
    let status = waiting("CrashLoopBackOff", "back-off 10s restarting", 3);
    let mut command = command(&world, plane.kubeconfig(), DEPLOY);
    command.env("KUBECTL", kubectl);
    let outcome = while_pods_are(&status, &plane, NAMESPACE, || world.run(&mut command)).exits(1);
    insta::assert_snapshot!(from_the_error(&outcome), @"
    Deployment app-operator-system/app-operator-controller-manager is not ready after 4s: 0 of 1 pods available (CrashLoopBackOff)
      caused by: pod app-operator-controller-manager-[POD]: container manager: CrashLoopBackOff: back-off 10s restarting
        manager | no configuration
        manager | giving up
    hint: the operator exits: see its log
    hint: the applied objects remain: fix the cause and run the command again, or remove them with `rop undeploy`
    ");
}

/// Nothing makes pods where the namespace takes none.
#[test]
fn pods_that_are_not_admitted() {
    let Some(plane) = plane() else {
        return;
    };
    let world = World::with_api();
    let path = "config/manager/manager.yaml";
    world.replace(
        path,
        "        runAsNonRoot: true\n",
        "        runAsNonRoot: false\n",
    );
    rop(&world, &plane, DEPLOY)
        .exits(1)
        .says("note: warning from the API server: would violate PodSecurity")
        .says("is forbidden: violates PodSecurity");
}
