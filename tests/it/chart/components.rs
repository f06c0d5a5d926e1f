//! Components of the user's, which may bring anything.

use serde_json::{Value, json};

use super::helm::Helm;
use crate::support::World;

const DEPLOYMENT: &str = "dist/chart/templates/manager/controller-manager.yaml";

/// Adds a component with a patch of the Deployment.
fn add(world: &World, name: &str, patch: &str) {
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- path: patch.yaml\n";
    world.write(&format!("config/{name}/kustomization.yaml"), component);
    let patch = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: controller-manager\n  namespace: system\n{patch}"
    );
    world.write(&format!("config/{name}/patch.yaml"), &patch);
}

fn deployment(helm: &Helm, world: &World, flags: &[&str]) -> Value {
    let objects = helm.objects(world, flags);
    let found = objects
        .into_iter()
        .find(|object| object["kind"] == "Deployment");
    found.expect("a Deployment")
}

/// Each of two brings the same, and a third one another image: nothing of that is there while they are off.
#[test]
fn what_is_off_brings_nothing() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    let host = "spec:\n  template:\n    spec:\n      hostNetwork: true\n";
    add(&world, "host-a", host);
    add(&world, "host-b", host);
    add(
        &world,
        "canary",
        "spec:\n  replicas: 5\n  template:\n    spec:\n      containers:\n      - name: manager\n        \
         image: example.com/canary@sha256:12\n        imagePullPolicy: Always\n",
    );
    world.rop("generate chart").ok();
    let values = world.read("dist/chart/values.yaml");
    assert!(values.contains("repository: app-operator\n"), "{values}");
    assert!(values.contains("replicas: 1\n"), "{values}");
    let facts = |flags: &[&str]| {
        let object = deployment(&helm, &world, flags);
        let pod = &object["spec"]["template"]["spec"];
        let container = &pod["containers"][0];
        json!([
            pod["hostNetwork"],
            object["spec"]["replicas"],
            container["image"],
            container["imagePullPolicy"],
        ])
    };
    let own = "app-operator:latest";
    assert_eq!(facts(&[]), json!([null, 1, own, null]));
    assert_eq!(
        facts(&["--set", "image.tag=v2,image.pullPolicy=Never,replicas=2"]),
        json!([null, 2, "app-operator:v2", "Never"])
    );
    for component in ["hostA", "hostB"] {
        assert_eq!(
            facts(&["--set", &format!("{component}.enabled=true")]),
            json!([true, 1, own, null])
        );
    }
    assert_eq!(
        facts(&["--set", "canary.enabled=true"]),
        json!([null, 5, "example.com/canary@sha256:12", "Always"])
    );
}

/// What two remove, or set to different values, depends on which of them are on.
#[test]
fn components_follow_each_other() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    let grace = |seconds: &str| {
        format!("spec:\n  template:\n    spec:\n      terminationGracePeriodSeconds: {seconds}\n")
    };
    for (name, seconds) in [
        ("one", "1"),
        ("other", "2"),
        ("third", "null"),
        ("two", "null"),
    ] {
        add(&world, name, &grace(seconds));
    }
    world.rop("generate chart").ok();
    for (flags, expected) in [
        ("one.enabled=false", json!(30)),
        ("one.enabled=true", json!(1)),
        ("other.enabled=true", json!(2)),
        ("third.enabled=true", Value::Null),
        ("two.enabled=true", Value::Null),
        ("one.enabled=true,two.enabled=true", Value::Null),
        ("one.enabled=true,other.enabled=true", json!(2)),
        (
            "one.enabled=true,other.enabled=true,third.enabled=true",
            Value::Null,
        ),
    ] {
        let object = deployment(&helm, &world, &["--set", flags]);
        let found = &object["spec"]["template"]["spec"]["terminationGracePeriodSeconds"];
        assert_eq!(*found, expected, "{flags}");
    }
}

/// A component that is off and cannot be rendered is the user's affair.
#[test]
fn what_is_off_and_broken_is_left_out() {
    let world = World::with_api();
    world.write(
        "config/broken/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- patch: |-\n    - op: add\n      \
         path: /spec/paused\n      value: true\n",
    );
    let outcome = world.rop("generate chart").ok();
    outcome.says(
        "the chart leaves out `config/broken`: rop does not render patch 1 in `config/broken`",
    );
    assert!(!world.read("dist/chart/values.yaml").contains("broken"));
    assert!(world.read(DEPLOYMENT).contains("kind: Deployment"));
    world.replace(
        "config/default/kustomization.yaml",
        "components: []",
        "components: [../broken]",
    );
    let outcome = world.rop("generate chart").exits(1);
    outcome.says("rop does not render patch 1 in `config/broken`");
}

/// Two that define one object are alternatives: the chart has one of them.
#[test]
fn of_alternatives_there_is_one() {
    let world = World::with_api();
    for name in ["first", "second"] {
        world.write(
            &format!("config/{name}/kustomization.yaml"),
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [map.yaml]\n",
        );
        world.write(
            &format!("config/{name}/map.yaml"),
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map\n  namespace: system\n",
        );
    }
    let outcome = world.rop("generate chart").ok();
    outcome
        .says("note: the chart leaves out `config/second`, which cannot be on together with `config/first`: ");
    let values = world.read("dist/chart/values.yaml");
    assert!(
        values.contains("first:\n") && !values.contains("second:\n"),
        "{values}"
    );
}

/// Folders, and what the values of their components are below.
const FOLDERS: [(&str, &str); 16] = [
    ("strategy", "strategyComponent"),
    ("annotations", "annotationsComponent"),
    ("replicas", "replicasComponent"),
    ("watch-namespaces", "watchNamespacesComponent"),
    ("common-labels", "commonLabelsComponent"),
    ("extra-args", "extraArgsComponent"),
    ("name-override", "nameOverrideComponent"),
    ("pod-labels", "podLabelsComponent"),
    ("service-account", "serviceAccountComponent"),
    ("tags", "tagsComponent"),
    ("global", "globalComponent"),
    ("2fa", "component2fa"),
    ("--", "component"),
    ("a\u{1b}[2Jb", "a2jb"),
    ("on", "componentOn"),
    ("foo-bar", "fooBar"),
];

/// Values of components are none of the chart's, and each is another one's, whatever the folders are called.
#[test]
fn any_folder_is_a_value_of_its_own() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    let grace = "spec:\n  template:\n    spec:\n      terminationGracePeriodSeconds: 7\n";
    for (number, (name, _)) in FOLDERS.iter().enumerate() {
        let object = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map-{number}\n  namespace: system\n"
        );
        world.write(&format!("config/{name}/map.yaml"), &object);
        world.write(
            &format!("config/{name}/kustomization.yaml"),
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [map.yaml]\n",
        );
    }
    add(&world, "metrics", grace);
    // A value that another component had would be taken over.
    for (other, first) in [("fooBar", "foo-bar"), ("foo_bar", "foo-bar"), ("_", "--")] {
        add(&world, other, grace);
        let mut names = [other, first];
        names.sort_unstable();
        let [one, two] = names;
        world.rop("generate chart").exits(1).says(&format!(
            "no chart can be generated: the components `config/{one}` and `config/{two}` have the same value"
        ));
        std::fs::remove_dir_all(world.path().join("config").join(other)).expect("a folder");
    }
    world.rop("generate chart").ok().omits("leaves out");
    let values = world.read("dist/chart/values.yaml");
    assert!(!values.contains('\u{1b}'), "{values}");
    let set = |value: &str| json!({ value: { "enabled": true } });
    let mut sets: Vec<Value> = FOLDERS.iter().map(|(_, value)| set(value)).collect();
    sets.push(json!({}));
    let maps = helm.all(&world, &sets).into_iter().map(|objects| {
        let maps = objects
            .iter()
            .filter(|object| object["kind"] == "ConfigMap");
        let names = maps.map(|map| map["metadata"]["name"].clone());
        names.collect::<Vec<_>>()
    });
    let maps: Vec<_> = maps.collect();
    assert_eq!(maps[FOLDERS.len()], Vec::<Value>::new());
    for (number, (_, value)) in FOLDERS.iter().enumerate() {
        assert!(
            values.contains(&format!("\n{value}:\n")),
            "{value}: {values}"
        );
        assert_eq!(
            maps[number],
            [format!("app-operator-map-{number}")],
            "{value}"
        );
    }
    let grace_of = |flag: &str| {
        let object = deployment(&helm, &world, &["--set", flag]);
        object["spec"]["template"]["spec"]["terminationGracePeriodSeconds"].clone()
    };
    assert_eq!(grace_of("metrics.enabled=true"), 30);
    assert_eq!(grace_of("metricsComponent.enabled=true"), 7);
}

/// What a component sets is that of the component while it is on; the value of the chart stays for the others.
#[test]
fn values_stay_beside_components() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    add(
        &world,
        "infra",
        "  annotations: {reload: \"yes\"}\nspec:\n  template:\n    spec:\n      nodeSelector: {pool: infra}\n",
    );
    let account = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- target: {kind: ServiceAccount}\n  \
                   patch: '[{op: add, path: /metadata/annotations, value: {a: \"b\"}}]'\n";
    world.write("config/account/kustomization.yaml", account);
    world.rop("generate chart").ok();
    let facts = |flags: &[&str]| {
        let objects = helm.objects(&world, flags);
        let of = |kind: &str| {
            let found = objects.iter().find(|object| object["kind"] == kind);
            found.unwrap_or_else(|| panic!("no {kind}"))
        };
        let deployment = of("Deployment");
        json!([
            deployment["metadata"]["annotations"],
            deployment["spec"]["template"]["spec"]["nodeSelector"],
            of("ServiceAccount")["metadata"]["annotations"],
        ])
    };
    let values = "annotations.x=y,nodeSelector.disk=ssd,serviceAccount.annotations.c=d";
    assert_eq!(facts(&[]), json!([null, null, null]));
    assert_eq!(
        facts(&["--set", values]),
        json!([{"x": "y"}, {"disk": "ssd"}, {"c": "d"}])
    );
    let on = "infra.enabled=true,account.enabled=true";
    assert_eq!(
        facts(&["--set", on]),
        json!([{"reload": "yes"}, {"pool": "infra"}, {"a": "b"}])
    );
    assert_eq!(
        facts(&["--set", &format!("{on},{values}")]),
        json!([{"reload": "yes", "x": "y"}, {"pool": "infra"}, {"a": "b", "c": "d"}])
    );
}

/// A component asks for several replicas as the value does: they need leader election.
#[test]
fn replicas_of_a_component_need_leader_election() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    add(&world, "three", "spec:\n  replicas: 3\n");
    world.rop("generate chart").ok();
    let without = "three.enabled=true,leaderElection.enabled=false";
    let said = helm.fails(&world, &["template", "dist/chart", "--set", without]);
    assert!(said.contains("leaderElection.enabled is false"), "{said}");
    for (values, replicas) in [
        ("three.enabled=true", 3),
        // The component's are the ones that run.
        ("replicas=1,three.enabled=true", 3),
        ("replicas=2", 2),
        ("leaderElection.enabled=false", 1),
    ] {
        let objects = helm.objects(&world, &["--set", values]);
        let deployment = objects.iter().find(|it| it["kind"] == "Deployment");
        let found = deployment.map(|it| it["spec"]["replicas"].clone());
        assert_eq!(found, Some(json!(replicas)), "{values}");
    }
}

/// Each component is rendered with and without the others, so that there may not be any number of them.
#[test]
fn there_are_not_too_many() {
    let world = World::with_api();
    for number in 0..65 {
        world.write(
            &format!("config/part{number}/kustomization.yaml"),
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n",
        );
    }
    world
        .rop("generate chart")
        .exits(1)
        .says("a chart has values for 64 at most");
}
