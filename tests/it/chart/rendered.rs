use std::collections::BTreeMap;

use rop::disk::View;
use rop::objects::{ObjectId, Objects};
use serde_json::{Value, json};

use super::helm::{Helm, NAMESPACE};
use super::references::broken;
use super::with_everything;
use crate::support::World;

const KUSTOMIZATION: &str = "config/default/kustomization.yaml";

/// Helm, and the chart of a project.
fn chart_of(project: fn() -> World) -> Option<(Helm, World)> {
    let helm = Helm::find()?;
    let world = project();
    world.rop("generate chart").ok();
    Some((helm, world))
}

/// Objects by what they are, without their labels, and without what Helm does and kustomize does not.
fn comparable(objects: impl IntoIterator<Item = Value>) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for mut object in objects {
        let is_namespace = object["kind"] == "Namespace" && object["metadata"]["name"] == NAMESPACE;
        if is_namespace {
            continue;
        }
        let metadata = object["metadata"].as_object_mut().expect("metadata");
        metadata.remove("labels");
        if let Some(annotations) = metadata
            .get_mut("annotations")
            .and_then(Value::as_object_mut)
        {
            annotations.remove("helm.sh/resource-policy");
            if annotations.is_empty() {
                metadata.remove("annotations");
            }
        }
        all.insert(ObjectId::of(&object).to_string(), object);
    }
    all
}

fn kustomized(world: &World) -> BTreeMap<String, Value> {
    let view = View::of(&world.path()).expect("a project");
    let objects = Objects::in_memory(&view, "config/default").expect("manifests");
    // As `Objects::render` does: policies are in no namespace.
    comparable(objects.iter().cloned().map(|mut object| {
        if object["kind"]
            .as_str()
            .is_some_and(|kind| kind.contains("AdmissionPolicy"))
        {
            object["metadata"]
                .as_object_mut()
                .expect("metadata")
                .remove("namespace");
        }
        object
    }))
}

#[track_caller]
fn assert_same(
    charted: &BTreeMap<String, Value>,
    kustomized: &BTreeMap<String, Value>,
    what: &str,
) {
    let names = |all: &BTreeMap<String, Value>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(charted), names(kustomized), "{what}");
    for (id, object) in kustomized {
        assert_eq!(&charted[id], object, "{what}: {id}");
    }
}

/// The values of a chart render what kustomize does of the same components.
#[test]
fn components_are_what_kustomize_renders() {
    let Some(helm) = Helm::find() else {
        return;
    };
    for world in [World::with_api(), with_everything()] {
        world.rop("generate chart").ok();
        helm.ok(&world, &["lint", "--strict", "dist/chart"]);
        let rendered = comparable(helm.objects(&world, &[]));
        assert_same(&rendered, &kustomized(&world), "default values");
    }
    let world = with_everything();
    world.rop("generate chart").ok();
    let listed = "components: [../webhook, ../policy]";
    let optional = [
        "grafana",
        "network-policy",
        "pod-disruption-budget",
        "prometheus",
        "prometheus/alerts",
    ];
    let mut sets: Vec<Vec<&str>> = optional.iter().map(|component| vec![*component]).collect();
    sets.push(optional.to_vec());
    sets.extend([vec!["cert-manager"], vec!["network-policy", "cert-manager"]]);
    let values = |on: &Vec<&str>| {
        let mut values = json!({"policy": {"enabled": on.len() > 1}});
        for component in on {
            let mut words = component.split(['-', '/']);
            let first = words.next().unwrap_or_default().to_owned();
            let name = words.fold(first, |name, word| {
                format!("{name}{}{}", word[..1].to_uppercase(), &word[1..])
            });
            values[name] = json!({"enabled": true});
        }
        values
    };
    let rendered = helm.all(&world, &sets.iter().map(values).collect::<Vec<_>>());
    for (set, rendered) in sets.iter().zip(rendered) {
        let other = with_everything();
        let before: Vec<_> = set
            .iter()
            .filter(|component| **component != "cert-manager")
            .map(|component| format!("../{component}"))
            .collect();
        let mut all = before;
        all.push("../webhook".to_owned());
        if set.len() > 1 {
            all.push("../policy".to_owned());
        }
        let text = other.read(KUSTOMIZATION);
        assert!(text.contains(listed), "{text}");
        let mut text = text;
        if set.contains(&"cert-manager") {
            all.push("../cert-manager".to_owned());
            text.push_str("replacements:\n- path: cert_manager.yaml\n");
        }
        other.write(
            KUSTOMIZATION,
            &text.replace(listed, &format!("components: [{}]", all.join(", "))),
        );
        assert_same(
            &comparable(rendered),
            &kustomized(&other),
            &format!("{set:?}"),
        );
    }
}

/// Whatever two toggles do, nothing refers to what is not there.
#[test]
fn references_of_every_pair_of_toggles_resolve() {
    let Some((helm, world)) = chart_of(with_everything) else {
        return;
    };
    let toggles = [
        json!({}),
        json!({"certManager": {"enabled": true}}),
        json!({"crd": {"keep": false}}),
        json!({"crd": {"enabled": false}}),
        json!({"leaderElection": {"enabled": false}}),
        json!({"metrics": {"enabled": false}}),
        json!({"metrics": {"secure": false}}),
        json!({"networkPolicy": {"enabled": true}}),
        json!({"podDisruptionBudget": {"enabled": true}}),
        json!({"policy": {"enabled": false}}),
        json!({"prometheus": {"enabled": true}}),
        json!({"rbac": {"create": false}}),
        json!({"rbac": {"userRoles": false}}),
        json!({"serviceAccount": {"create": false, "name": "mine"}}),
        json!({"watchNamespaces": ["one", "two"]}),
        json!({"webhook": {"enabled": false}, "crd": {"enabled": false}}),
        json!({"extraEnv": [{"name": "A", "value": "b"}], "extraArgs": ["--log-level=debug"]}),
        json!({"extraVolumes": [{"name": "a", "emptyDir": {}}], "extraVolumeMounts": [{"name": "a", "mountPath": "/a"}]}),
    ];
    let mut all = Vec::new();
    for (number, one) in toggles.iter().enumerate() {
        for other in &toggles[number..] {
            let mut values = one.clone();
            for (key, value) in other.as_object().expect("values") {
                match (&mut values[key], value) {
                    (Value::Object(old), Value::Object(new)) => old.extend(new.clone()),
                    (old, new) => *old = new.clone(),
                }
            }
            all.push(values);
        }
    }
    // What somebody else creates.
    let account = json!({
        "kind": "ServiceAccount", "metadata": {"namespace": NAMESPACE, "name": "mine"},
    });
    for (values, mut objects) in all.iter().zip(helm.all(&world, &all)) {
        assert!(objects.len() >= 5, "{values}: {}", objects.len());
        let has = |kind: &str| objects.iter().any(|object| object["kind"] == kind);
        assert_eq!(
            has("CustomResourceDefinition"),
            values["crd"]["enabled"] != false,
            "{values}"
        );
        assert_eq!(
            has("ClusterRole"),
            values["rbac"]["create"] != false,
            "{values}"
        );
        assert_eq!(
            has("ServiceAccount"),
            values["serviceAccount"]["create"] != false,
            "{values}"
        );
        objects.push(account.clone());
        assert_eq!(broken(&objects), Vec::<String>::new(), "{values}");
    }
}

/// A toggle takes all its parts.
#[test]
fn a_toggle_leaves_nothing_behind() {
    let Some((helm, world)) = chart_of(with_everything) else {
        return;
    };
    let text = |flags: &str| {
        let objects = helm.objects(&world, &["--set", flags]);
        Value::from(objects).to_string().to_lowercase()
    };
    let off = text("webhook.enabled=false,crd.enabled=false,networkPolicy.enabled=true");
    assert!(!off.contains("webhook") && !off.contains("9443"), "{off}");
    let off = text(
        "metrics.enabled=false,prometheus.enabled=true,prometheusAlerts.enabled=true,\
         networkPolicy.enabled=true",
    );
    assert!(
        !off.contains("metrics-s")
            && !off.contains("prometheusrule")
            && !off.contains("metrics-auth")
            && !off.contains("8443"),
        "{off}"
    );
    let off = text("leaderElection.enabled=false");
    assert!(!off.contains("leader") && !off.contains("leases"), "{off}");
    let reason = helm.fails(
        &world,
        &["template", "dist/chart", "--set", "webhook.enabled=false"],
    );
    assert!(
        reason.contains("appservices.app.example.com has 2 versions, which a webhook converts"),
        "{reason}"
    );
}

#[test]
fn the_schema_refuses_misspelt_values() {
    let Some((helm, world)) = chart_of(World::with_api) else {
        return;
    };
    for (flag, problem) in [
        ("replica=3", "additional properties 'replica' not allowed"),
        (
            "image.tags=1",
            "at '/image': additional properties 'tags' not allowed",
        ),
        ("replicas=three", "at '/replicas': got string, want integer"),
        (
            "image.pullPolicy=Maybe",
            "at '/image/pullPolicy': value must be one of",
        ),
    ] {
        let said = helm.fails(&world, &["template", "dist/chart", "--set", flag]);
        assert!(said.contains(problem), "{said}");
    }
}

/// The Deployment of the operator.
#[track_caller]
fn deployment_of(objects: &[Value]) -> Value {
    let mut all = objects.iter();
    let found = all.find(|object| object["kind"] == "Deployment");
    found.expect("a Deployment").clone()
}

#[test]
fn values_arrive() {
    let Some((helm, world)) = chart_of(with_everything) else {
        return;
    };
    let objects = helm.objects(
        &world,
        &[
            "--set",
            "image.repository=r.example.com/a,image.tag=v2,image.pullPolicy=Always,replicas=2",
            "--set",
            "imagePullSecrets[0].name=s,nodeSelector.a=b,priorityClassName=high,extraArgs={--x}",
            "--set",
            "podLabels.team=a,podLabels.control-plane=other,podAnnotations.a=b,annotations.c=d",
            "--set",
            "commonLabels.cost=1a,serviceAccount.create=false,serviceAccount.name=mine",
        ],
    );
    let deployment = deployment_of(&objects);
    let pod = &deployment["spec"]["template"];
    let container = &pod["spec"]["containers"][0];
    assert_eq!(deployment["metadata"]["annotations"], json!({"c": "d"}));
    assert_eq!(deployment["metadata"]["labels"]["cost"], "1a");
    assert_eq!(
        pod["metadata"]["labels"],
        json!({
            "app.kubernetes.io/name": "app-operator", "control-plane": "controller-manager", "team": "a",
        })
    );
    assert_eq!(pod["metadata"]["annotations"]["a"], "b");
    assert_eq!(deployment["spec"]["replicas"], 2);
    assert_eq!(pod["spec"]["imagePullSecrets"], json!([{"name": "s"}]));
    assert_eq!(pod["spec"]["nodeSelector"], json!({"a": "b"}));
    assert_eq!(pod["spec"]["priorityClassName"], "high");
    assert_eq!(pod["spec"]["serviceAccountName"], "mine");
    assert_eq!(container["image"], "r.example.com/a:v2");
    assert_eq!(container["imagePullPolicy"], "Always");
    assert_eq!(
        container["args"].as_array().and_then(|all| all.last()),
        Some(&json!("--x"))
    );
    assert!(
        objects
            .iter()
            .all(|object| object["kind"] != "ServiceAccount")
    );

    let digest = format!("sha256:{}", "12".repeat(32));
    let flag = format!("image.digest={digest},image.tag=v2");
    let objects = helm.objects(&world, &["--set", &flag]);
    let deployment = deployment_of(&objects);
    assert_eq!(
        deployment["spec"]["template"]["spec"]["containers"][0]["image"],
        format!("app-operator@{digest}")
    );
    let said = helm.fails(
        &world,
        &[
            "template",
            "dist/chart",
            "--set",
            "serviceAccount.create=false",
        ],
    );
    assert!(said.contains("set serviceAccount.name"), "{said}");
}

/// What values add to a field does not depend on the component that the field is otherwise for.
#[test]
fn values_arrive_without_components() {
    let Some((helm, world)) = chart_of(with_everything) else {
        return;
    };
    let objects = helm.objects(
        &world,
        &[
            "--set",
            "webhook.enabled=false,crd.enabled=false,extraEnv[0].name=A,extraEnv[0].value=b",
            "--set",
            "extraVolumes[0].name=v,extraVolumeMounts[0].name=v,extraVolumeMounts[0].mountPath=/v",
        ],
    );
    let deployment = deployment_of(&objects);
    let pod = &deployment["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    assert_eq!(container["env"], json!([{"name": "A", "value": "b"}]));
    assert_eq!(
        container["volumeMounts"],
        json!([{"name": "v", "mountPath": "/v"}])
    );
    assert_eq!(pod["volumes"], json!([{"name": "v"}]));
    let crds = helm.objects(&world, &[]);
    let crds = crds
        .iter()
        .filter(|object| object["kind"] == "CustomResourceDefinition");
    for crd in crds {
        let annotations = &crd["metadata"]["annotations"];
        assert_eq!(
            annotations["helm.sh/resource-policy"], "keep",
            "{annotations}"
        );
    }
}

/// An operator that watches some namespaces has a Role in each, and a `ClusterRole` for the kind that is in none.
#[test]
fn watched_namespaces_have_roles() {
    let Some((helm, world)) = chart_of(with_everything) else {
        return;
    };
    let objects = helm.objects(&world, &["--set", "watchNamespaces={one,two}"]);
    let deployment = deployment_of(&objects);
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let env = container["env"].as_array().expect("variables");
    assert!(
        env.contains(&json!({"name": "WATCH_NAMESPACE", "value": "one,two"})),
        "{env:?}"
    );

    let roles: Vec<_> = objects
        .iter()
        .filter(|object| object["metadata"]["name"] == "app-operator-manager-role")
        .map(|role| {
            (
                role["kind"].as_str(),
                role["metadata"]["namespace"].as_str(),
                role["rules"].to_string().contains("zones"),
            )
        })
        .collect();
    assert_eq!(
        roles,
        [
            (Some("ClusterRole"), None, true),
            (Some("Role"), Some("one"), false),
            (Some("Role"), Some("two"), false),
        ]
    );
}

/// In a namespaced project, the roles of users are Roles: each watched namespace has them.
#[test]
fn user_roles_are_in_watched_namespaces() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    world.rop("edit --namespaced").ok();
    world.rop("generate chart").ok();
    let roles = |values: &str| -> Vec<String> {
        let objects = helm.objects(&world, &["--set", values]);
        let roles = objects.iter().map(|object| &object["metadata"]);
        let roles = roles.filter(|role| role["name"] == "app-operator-appservice-viewer-role");
        roles
            .map(|role| role["namespace"].as_str().expect("a namespace").to_owned())
            .collect()
    };
    assert_eq!(roles("watchNamespaces={one,two}"), ["one", "two"]);
    assert_eq!(roles("replicas=1"), [NAMESPACE]);
    assert_eq!(roles("rbac.userRoles=false"), [""; 0]);
}

/// Alerts about the leader need an election.
#[test]
fn alerts_about_the_leader_follow_the_election() {
    let Some((helm, world)) = chart_of(with_everything) else {
        return;
    };
    for (elects, count) in [("true", 1), ("false", 0)] {
        let values = format!("prometheusAlerts.enabled=true,leaderElection.enabled={elects}");
        let objects = Value::from(helm.objects(&world, &["--set", &values])).to_string();
        assert!(objects.contains("OperatorReconcileErrors"), "{objects}");
        assert_eq!(
            objects.matches("OperatorNoLeader").count(),
            count,
            "{elects}"
        );
    }
}

/// The name of a release is cut, never what tells its objects apart.
#[test]
fn names_have_at_most_63_characters() {
    let Some((helm, world)) = chart_of(with_everything) else {
        return;
    };
    let long = "a".repeat(63);
    let flag = format!("fullnameOverride={long}");
    let all = helm.objects(&world, &[]).len();
    let objects = helm.objects(&world, &["--set", &flag]);
    assert_eq!(broken(&objects), Vec::<String>::new());
    let named = objects
        .iter()
        .filter(|object| object["kind"] != "CustomResourceDefinition");
    let named = named.map(ObjectId::of);
    let mut names = std::collections::BTreeSet::new();
    for id in named {
        assert!(id.name.len() <= 63, "{id}");
        names.insert(id.to_string());
    }
    assert!(names.len() + 2 >= all, "{names:?}");
}

/// What tells roles of long kinds apart is never cut.
#[test]
fn long_names_stay_different() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    let long = "Long".repeat(13);
    for name in ["A", "B"] {
        let kind = format!("{name}{long}");
        let command = format!("create api --group {} --kind {kind}", name.to_lowercase());
        world.rop(&format!("{command} --template minimal")).ok();
    }
    world.rop("generate chart").ok();
    let roles = |flags: &[&str]| {
        let objects = helm.objects(&world, flags);
        let roles = objects
            .iter()
            .filter(|object| object["kind"] == "ClusterRole");
        let names: std::collections::BTreeSet<String> = roles
            .map(|role| role["metadata"]["name"].to_string())
            .collect();
        names
    };
    let all = roles(&[]);
    assert!(all.len() >= 9, "{all:?}");
    assert!(all.iter().any(|name| name.len() > 65), "{all:?}");
    let cut = roles(&["--set", &format!("fullnameOverride={}", "a".repeat(63))]);
    assert_eq!(cut.len(), all.len(), "{cut:?}");
}

/// Text with Helm's braces is text.
#[test]
fn braces_are_literal() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    let crd = "config/crd/bases/app.example.com_appservices.yaml";
    let hostile =
        "{{ if .Values.x }} {{- fail \"a\" -}} }} {{/* c */}} {{{ {{ include \"x\" . }} {{`b`}} {";
    let text = world.read(crd);
    let line = text
        .lines()
        .find(|line| line.contains("description: Desired"))
        .expect("a line");
    let indent = &line[..line.len() - line.trim_start().len()];
    let quoted = Value::from(hostile).to_string();
    let more = "line {{ one }}\\n\\n  {{- two -}}  \\n\\n\\n";
    let added = format!(
        "{indent}description: {quoted}\n{indent}title: \"{more}\"\n{indent}default: {{\"{{{{ k }}}}\": {quoted}}}"
    );
    world.write(crd, &text.replace(line, &added));
    world.rop("generate chart").ok();
    let rendered = comparable(helm.objects(&world, &[]));
    let wanted = kustomized(&world);
    assert!(
        Value::from_iter(wanted.clone())
            .to_string()
            .contains("{{ k }}")
    );
    assert_same(&rendered, &wanted, "braces");
}
