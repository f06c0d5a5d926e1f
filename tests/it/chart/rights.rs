//! The rights of the operator, with values that take some of them.

use serde_json::{Value, json};

use super::helm::Helm;
use crate::support::World;

/// Adds roles of the user's to `config/rbac`, each bound to the operator in all namespaces.
fn add(world: &World, roles: &[(&str, &str)]) {
    let mut list = world.read("config/rbac/kustomization.yaml");
    for (name, rule) in roles {
        let api = "apiVersion: rbac.authorization.k8s.io/v1";
        let text = format!(
            "{api}\nkind: ClusterRole\nmetadata:\n  name: {name}\nrules:\n- {rule}\n---\n{api}\nkind: \
             ClusterRoleBinding\nmetadata:\n  name: {name}-binding\nroleRef:\n  apiGroup: rbac.authorization.k8s.io\n  \
             kind: ClusterRole\n  name: {name}\nsubjects:\n- kind: ServiceAccount\n  name: controller-manager\n  \
             namespace: system\n"
        );
        world.write(&format!("config/rbac/{name}.yaml"), &text);
        list = list.replacen("resources:\n", &format!("resources:\n- {name}.yaml\n"), 1);
    }
    world.write("config/rbac/kustomization.yaml", &list);
}

/// Whether an object is there, and with what rules.
fn rules(objects: &[Value], kind: &str, name: &str) -> Option<Value> {
    let name = format!("app-operator-{name}");
    let mut all = objects.iter();
    let found = all.find(|object| object["kind"] == kind && object["metadata"]["name"] == *name);
    found.map(|object| object["rules"].clone())
}

/// Toggles are for rop's own roles, whatever those of the user grant.
#[test]
fn toggles_leave_the_users_roles() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    let verbs = "verbs: [create]";
    let lease = format!("{{apiGroups: [coordination.k8s.io], resources: [leases], {verbs}}}");
    let review =
        format!("{{apiGroups: [authentication.k8s.io], resources: [tokenreviews], {verbs}}}");
    add(&world, &[("own-lease", &lease), ("own-review", &review)]);
    let outcome = world.rop("generate chart").ok();
    let outcome = outcome.says(
        "the ClusterRoleBinding own-lease-binding grants the operator rights in all namespaces",
    );
    assert!(
        !outcome.stderr.contains("own-review-binding grants"),
        "{outcome:?}"
    );
    let flags = [
        "--set",
        "leaderElection.enabled=false,metrics.enabled=false",
    ];
    let objects = helm.objects(&world, &flags);
    for name in ["own-lease", "own-review"] {
        assert!(rules(&objects, "ClusterRole", name).is_some(), "{name}");
        let binding = format!("{name}-binding");
        assert!(
            rules(&objects, "ClusterRoleBinding", &binding).is_some(),
            "{name}"
        );
    }
    assert!(rules(&objects, "Role", "leader-election-role").is_none());
    assert!(rules(&objects, "ClusterRole", "metrics-auth-role").is_none());
}

/// A star is for kinds of namespaces and of the cluster.
#[test]
fn stars_keep_what_only_a_cluster_role_grants() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    let role = "config/rbac/role.yaml";
    world.write(
        role,
        &(world.read(role)
            + "- apiGroups: ['*']\n  resources: [nodes, pods]\n  verbs: [get]\n- apiGroups: [storage.k8s.io]\n  \
               resources: ['*']\n  verbs: [list]\n"),
    );
    world.rop("generate chart").ok();
    let objects = helm.objects(&world, &["--set", "watchNamespaces={a}"]);
    let wide = rules(&objects, "ClusterRole", "manager-role").expect("a ClusterRole");
    let wide = wide.as_array().expect("rules");
    assert!(
        wide.contains(&json!({"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]})),
        "{wide:?}"
    );
    let classes = |rule: &Value| {
        rule["apiGroups"] == json!(["storage.k8s.io"])
            && rule.to_string().contains("\"storageclasses\"")
    };
    assert!(wide.iter().any(classes), "{wide:?}");
    assert!(
        !Value::from(wide.clone()).to_string().contains("pods"),
        "{wide:?}"
    );
    let narrow = rules(&objects, "Role", "manager-role").expect("a Role");
    let narrow = narrow.as_array().expect("rules");
    assert!(
        narrow.contains(
            &json!({"apiGroups": ["*"], "resources": ["nodes", "pods"], "verbs": ["get"]})
        ),
        "{narrow:?}"
    );
}

/// The right of the webhooks that cannot be confined is explained.
#[test]
fn what_conversions_need_is_noted() {
    let world = super::with_everything();
    world
        .rop("generate chart")
        .ok()
        .says("note: the ClusterRoleBinding webhook-rolebinding grants the operator rights in all namespaces")
        .says("it lists and patches objects of converted kinds to store them in the new version")
        .omits("move what it grants");
}
