//! Every name that rop accepts gives a project that compiles and a CRD that the API server accepts.

mod meeting;

use std::collections::BTreeSet;

use rop::project::{Project, ProjectKind, Template};

use crate::support::World;
use crate::support::cargo::{cargo, rop};
use crate::support::control_plane::ControlPlane;

/// Kinds in awkward company: keywords, names of the prelude, names that the generated code imports,
/// names whose plural is no other word, names that YAML reads as something else.
const KINDS: [&str; 56] = [
    "Type",
    "Box",
    "Option",
    "Result",
    "String",
    "Vec",
    "Error",
    "Context",
    "Client",
    "Controller",
    "Condition",
    "Status",
    "Spec",
    "Api",
    "Object",
    "Match",
    "Async",
    "Pod",
    "Deployment",
    "Service",
    "CRD",
    "HTTPRoute",
    "DNSRecord",
    "MySQLCluster",
    "X",
    "A1",
    "Self",
    "Crate",
    "Policy",
    "Proxy",
    "Bus",
    "Gateway",
    "Endpoints",
    "Fish",
    "Datum",
    "Series",
    "Kafka2Topic",
    "On",
    "Yes",
    "Null",
    "True",
    "N",
    "Mod",
    "Arc",
    "Some",
    "Ok",
    "Resource",
    "Rule",
    "CustomResource",
    "Serialize",
    "Default",
    "Clone",
    "Lib",
    "V1",
    "Names",
    "AnUnusuallyLongKindThatStillLeavesRoomForTheNameOfItsOwnLst",
];

/// Groups: words of Rust's own, names of crates, and all that DNS allows.
const GROUPS: [&str; 19] = [
    "core", "std", "self", "crate", "super", "type", "test", "my-group", "a.b", "1st", "apps",
    "kube", "serde", "bin", "lib", "alloc", "async", "v1", "0",
];

/// One project with all of them: each kind once, and one kind in every group.
fn project() -> World {
    let mut project = Project::new(
        "my-2nd-operator-3".parse().expect("a name"),
        "example.com".parse().expect("a domain"),
    );
    let templates = Template::all();
    let mut add = |group: &str, kind: &str, number: usize| {
        let version = ["v1", "v1alpha1", "v2beta10"][number % 3];
        let mut new = ProjectKind::own(
            project.domain.clone(),
            group.parse().expect("a group"),
            version.parse().expect("a version"),
            kind.parse().expect("a kind"),
        );
        // Only some get a controller: CI compiles all of this.
        if !number.is_multiple_of(3) {
            new.controllers.clear();
        }
        new.versions[0].template = templates[number / 3 % templates.len()];
        new.namespaced = !number.is_multiple_of(7);
        project.add(new).expect("a new kind");
    };
    for (number, kind) in KINDS.iter().enumerate() {
        add("names", kind, number);
    }
    for (number, group) in GROUPS.iter().enumerate() {
        add(group, "Thing", number);
    }
    World::of(&project)
}

#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn accepted_names_compile_and_are_accepted() {
    let world = project();
    let crds = std::fs::read_dir(world.path().join("config/crd/bases"))
        .expect("CRDs")
        .count();
    assert_eq!(crds, KINDS.len() + GROUPS.len());
    cargo(&world, "test --locked").ok().has_no_warning();
    rop(&world, "generate manifests --check").ok();

    let Some(plane) = ControlPlane::new() else {
        return;
    };
    plane.install(&world.path().join("config/default"));
    let reasons = "jsonpath={range .items[*].status.conditions[?(@.type==\"NonStructuralSchema\")]}{.message}{end}";
    assert_eq!(plane.kubectl_ok(&["get", "crd", "-o", reasons]), "");
    plane.apply_folder(&world.path().join("config/samples"));
}

/// What rop refuses is refused for a reason, with nothing written.
#[test]
fn refused_names_write_nothing() {
    let world = World::with_api();
    let tree = world.tree();
    let long = "A".repeat(60);
    let mut messages = BTreeSet::new();
    let mut create = |flag: &str, value: &str| {
        let mut words = vec!["create".to_owned(), "api".to_owned()];
        for (name, default) in [("group", "app"), ("kind", "Cache"), ("version", "v1")] {
            let value = if name == flag { value } else { default };
            words.push(format!("--{name}={value}"));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let outcome = world.rop_in(".", &words).exits(2);
        assert!(
            outcome
                .stderr
                .contains(&format!("error[invalid-name]: invalid {flag} `{value}`: ")),
            "{outcome}"
        );
        messages.insert(outcome.stderr);
    };
    for kind in [
        "app",
        "Äpp",
        "App-Service",
        "App_Service",
        "App.Service",
        "9App",
        "",
        &long,
    ] {
        create("kind", kind);
    }
    for group in ["App", "a_b", "-a", "a-", "a..b", ".", "", "ä"] {
        create("group", group);
    }
    for version in ["1", "v0", "v01", "v1gamma", "v1alpha", "V1", "v1.0", ""] {
        create("version", version);
    }
    assert_eq!(messages.len(), 24, "each says which value it is about");
    assert_eq!(world.tree(), tree);
}

/// The longest group that a domain leaves room for, and one character more.
#[test]
fn the_name_of_a_crd_has_room() {
    let world = World::with_project();
    let label = "a".repeat(61);
    let group = [&*label; 3].join(".");
    let create = |group: &str, kind: &str| {
        world.rop_in(
            ".",
            &[
                "create",
                "api",
                "--dry-run",
                "--group",
                group,
                "--kind",
                kind,
            ],
        )
    };
    create(&group, "App").ok();
    create(&format!("{group}.{label}"), "App")
        .exits(2)
        .says("must have at most 253 characters, but has 259");
    create(&group, &"A".repeat(59))
        .exits(2)
        .says("must have at most 253 characters");
}
