//! No kubectl, no cluster, the wrong one: cause, hint, exit code.

use std::path::{Path, PathBuf};

use super::{command, fake_kubectl};
use crate::support::control_plane::free_port;
use crate::support::{World, kubectl};

/// A kubeconfig with one context, called `test`.
fn kubeconfig(world: &World, server: &str) -> PathBuf {
    let path = world.path().join("../home/kubeconfig");
    let text = format!(
        "apiVersion: v1
kind: Config
current-context: test
contexts: [{{name: test, context: {{cluster: test, user: test}}}}]
users: [{{name: test, user: {{token: x}}}}]
clusters: [{{name: test, cluster: {{server: '{server}'}}}}]
"
    );
    std::fs::write(&path, text).expect("a kubeconfig");
    path
}

/// Every command that needs a cluster.
const COMMANDS: [&str; 5] = ["install", "uninstall", "deploy", "undeploy", "run"];

#[test]
fn no_kubectl() {
    let world = World::with_api();
    for arguments in COMMANDS {
        let mut command = command(&world, Path::new(""), arguments);
        command.env_remove("KUBECTL").env("PATH", "/nonexistent");
        insta::allow_duplicates! {
            insta::assert_snapshot!(world.run(&mut command).exits(1), @"
            exit: 1
            --- stderr
            error[kubectl-missing]: no kubectl on PATH
            hint: install kubectl (https://kubernetes.io/docs/tasks/tools), or set $KUBECTL to its path
            ");
        }
    }
    let mut command = command(&world, Path::new(""), "install");
    command.env("KUBECTL", "/nonexistent/kubectl");
    insta::assert_snapshot!(world.run(&mut command).exits(1), @"
    exit: 1
    --- stderr
    error[kubectl-missing]: $KUBECTL is `/nonexistent/kubectl`, which does not exist
    hint: set $KUBECTL to the path of kubectl, or unset it to use kubectl on PATH
    ");
}

#[test]
fn no_answer() {
    if kubectl().is_none() {
        return;
    }
    let world = World::with_api();
    let port = free_port();
    let kubeconfig = kubeconfig(&world, &format!("https://127.0.0.1:{port}"));
    for arguments in COMMANDS {
        let outcome = world
            .run(&mut command(&world, &kubeconfig, arguments))
            .exits(1);
        let text = outcome.to_string().replace(&port.to_string(), "PORT");
        insta::allow_duplicates! {
            insta::assert_snapshot!(text, @"
            exit: 1
            --- stderr
            error[cluster-unreachable]: no response from the cluster of context `test` (https://127.0.0.1:PORT)
              caused by: The connection to the server 127.0.0.1:PORT was refused - did you specify the right host or port?
            hint: check that the cluster is running and reachable (`kubectl cluster-info`), or use another context with `--context`
            ");
        }
    }
}

#[test]
fn no_configuration_and_no_such_context() {
    if kubectl().is_none() {
        return;
    }
    let world = World::with_api();
    let nothing = Path::new("/nonexistent");
    insta::assert_snapshot!(world.run(&mut command(&world, nothing, "install")).exits(1), @"
    exit: 1
    --- stderr
    error[no-cluster]: the kubeconfig has no current context
    hint: choose a cluster with `--kubeconfig` and `--context`, or with `kubectl config use-context`
    ");
    let kubeconfig = kubeconfig(&world, "https://127.0.0.1:1");
    let arguments = "deploy --context none";
    insta::assert_snapshot!(world.run(&mut command(&world, &kubeconfig, arguments)).exits(1), @"
    exit: 1
    --- stderr
    error[no-cluster]: the kubeconfig has no context `none`
    hint: list the contexts with `kubectl config get-contexts` and choose one with `--context`
    ");
}

/// This kubectl tells of an old cluster; all else is not asked for.
#[test]
fn too_old() {
    if kubectl().is_none() {
        return;
    }
    let world = World::with_api();
    let kubectl = fake_kubectl(
        &world,
        "case \"$*\" in version*) echo '{\"serverVersion\": {\"major\": \"1\", \"minor\": \"24+\", \
         \"gitVersion\": \"v1.24.17-eks\"}}';; config*|kustomize*) exec {} \"$@\";; *) exit 9;; esac",
    );
    let kubeconfig = kubeconfig(&world, "https://127.0.0.1:1");
    for arguments in COMMANDS {
        let mut command = command(&world, &kubeconfig, arguments);
        insta::allow_duplicates! {
            insta::assert_snapshot!(world.run(command.env("KUBECTL", &kubectl)).exits(1), @"
            exit: 1
            --- stderr
            error[cluster-too-old]: the cluster runs Kubernetes v1.24.17-eks, but generated operators need 1.33 or newer
            hint: upgrade the cluster or choose another with `--context`; `kubectl apply --server-side -k config/default` skips this check
            ");
        }
    }
}

#[test]
fn what_the_project_does_not_have() {
    if kubectl().is_none() {
        return;
    }
    let world = World::with_project();
    let kubeconfig = kubeconfig(&world, "https://127.0.0.1:1");
    let run = |arguments: &str| world.run(&mut command(&world, &kubeconfig, arguments));
    insta::assert_snapshot!(run("install").exits(1), @"
    exit: 1
    --- stderr
    error[no-crds]: the project has no CRDs: `config/crd` does not exist
    hint: create an API: `rop create api --group app --kind AppService`
    ");
    world.replace(
        "config/manager/manager.yaml",
        "    control-plane: controller-manager\nspec:\n  replicas",
        "    control-plane: other\nspec:\n  replicas",
    );
    insta::assert_snapshot!(run("deploy --image a:1").exits(1), @"
    exit: 1
    --- stderr
    error[no-operator-deployment]: config/default has no Deployment of the operator
    hint: label the Deployment with `control-plane: controller-manager`
    ");
    insta::assert_snapshot!(run("deploy --image a:1!").exits(2), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid image `a:1!`: unexpected '!' at character 4
    ");
    insta::assert_snapshot!(run("deploy --timeout soon").exits(2), @"
    exit: 2
    --- stderr
    error[usage]: invalid value 'soon' for '--timeout <TIME>': expected a duration such as `90s`, `2m` or `1m30s`

    For more information, try '--help'.
    ");
    std::fs::remove_dir_all(world.path().join("config/rbac")).expect("a folder");
    let outcome = run("deploy").exits(1);
    assert!(
        outcome.stderr.contains(
            "error[kustomize-failed]: `config/default/kustomization.yaml`, line 13: lists `../rbac`"
        ),
        "{outcome}"
    );
}
