//! Every name that rop accepts gives a project that compiles and a CRD that the API server accepts.

use std::collections::BTreeSet;
use std::path::Path;

use rop::plan::Tree;
use rop::project::{Project, Resource, Template};

use crate::generated::LINT;
use crate::support::cargo::{cargo, rop};
use crate::support::control_plane::ControlPlane;
use crate::support::{World, seeds};

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
    let world = World::new();
    world
        .rop("init --domain example.com --project-name my-2nd-operator-3")
        .ok();
    let templates = ["minimal", "pod", "workload"];
    let create = |group: &str, kind: &str, number: usize| {
        // Only some get a controller: CI compiles all of this.
        let controller = if number.is_multiple_of(3) {
            ""
        } else {
            "--no-controller"
        };
        let template = templates[number / 3 % 3];
        let scope = if number.is_multiple_of(7) {
            "--cluster-scoped"
        } else {
            ""
        };
        let version = ["v1", "v1alpha1", "v2beta10"][number % 3];
        world
            .rop(&format!("create api --group {group} --kind {kind} --version {version} --template {template} {controller} {scope}"))
            .ok();
    };
    for (number, kind) in KINDS.iter().enumerate() {
        create("names", kind, number);
    }
    for (number, group) in GROUPS.iter().enumerate() {
        create(group, "Thing", number);
    }
    world
}

#[test]
fn accepted_names_compile_and_are_accepted() {
    let world = project();
    let crds = std::fs::read_dir(world.path().join("config/crd/bases"))
        .expect("CRDs")
        .count();
    assert_eq!(crds, KINDS.len() + GROUPS.len());
    cargo(&world, LINT).ok();
    cargo(&world, "test --locked").ok();
    rop(&world, "generate manifests --check").ok();

    let Some(plane) = ControlPlane::start() else {
        return;
    };
    plane.install(&world.path().join("config/default"));
    let reasons = "jsonpath={range .items[*].status.conditions[?(@.type==\"NonStructuralSchema\")]}{.message}{end}";
    assert_eq!(plane.kubectl_ok(&["get", "crd", "-o", reasons]), "");
    let samples = world.path().join("config/samples");
    plane.kubectl_ok(&["apply", "--server-side", "-k", &samples.to_string_lossy()]);
}

/// Groups and kinds that meet in many ways once their words are joined.
const MEETING_GROUPS: [&str; 14] = [
    "a", "app", "b", "a-b", "a.b", "http", "type", "serde", "proc", "k8s", "rop", "1st", "v1",
    "aux",
];
const MEETING_KINDS: [&str; 26] = [
    "A",
    "B",
    "AB",
    "Foo",
    "BFoo",
    "ABFoo",
    "AppFoo",
    "Server",
    "HTTPServer",
    "HttpServer",
    "Httpserver",
    "Json",
    "Macro",
    "Openapi",
    "Runtime",
    "Option",
    "OptionResource",
    "FooSpec",
    "FooStatus",
    "FooList",
    "Type",
    "TypeType",
    "V1",
    "Aux",
    "Con",
    "App",
];

/// Random kinds in random groups: what is accepted has files and modules of its own, and names that
/// Rust takes. `ROP_TEST_ROUNDS` and `ROP_TEST_SEED` are as in `interrupted::random`.
#[test]
fn accepted_names_never_meet() {
    let mut refused = 0;
    for seed in seeds(60) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut project = Project::new(
            "app-operator".parse().expect("a name"),
            "example.com".parse().expect("a domain"),
        );
        project.multigroup = rng.u8(..4) == 0;
        // Half of the projects draw from the few names that meet most.
        let few = rng.bool();
        let groups = &MEETING_GROUPS[..if few { 3 } else { MEETING_GROUPS.len() }];
        let kinds = &MEETING_KINDS[..if few { 7 } else { MEETING_KINDS.len() }];
        for _ in 0..rng.usize(2..9) {
            let mut new = Resource::new(
                project.domain.clone(),
                rng.choice(groups).expect("one").parse().expect("a group"),
                rng.choice(["v1", "v1beta1"])
                    .expect("one")
                    .parse()
                    .expect("a version"),
                rng.choice(kinds).expect("one").parse().expect("a kind"),
            );
            new.controller = rng.u8(..4) > 0;
            new.template = *rng
                .choice(&[Template::Workload, Template::Pod, Template::Minimal])
                .expect("one");
            let mut with_it = project.clone();
            match with_it.add(new) {
                Ok(()) => project = with_it,
                Err(error) => {
                    assert_eq!(error.kind(), rop::ErrorKind::Usage, "seed {seed}");
                    refused += 1;
                }
            }
        }
        let tree = rop::template::render(&project).expect("a tree");
        check_paths(&tree, seed);
    }
    assert!(refused > 0, "no name was refused");
}

fn check_paths(tree: &Tree, seed: u64) {
    let words = [
        "abstract",
        "as",
        "aux",
        "con",
        "core",
        "k8s_openapi",
        "kube",
        "proc_macro",
        "rop_runtime",
        "self",
        "serde",
        "serde_json",
        "type",
    ];
    let mut paths = BTreeSet::new();
    for path in tree.files().map(rop::plan::File::path) {
        // Not every file system tells the cases of letters apart.
        assert!(paths.insert(path.to_lowercase()), "seed {seed}: {path}");
        let code =
            path.starts_with("api/src/") || path.starts_with("src/") || path.starts_with("tests/");
        for part in path.trim_end_matches(".rs").split('/').filter(|_| code) {
            assert!(!words.contains(&part), "seed {seed}: {path}");
        }
    }
    for path in &paths {
        // `x.rs` and `x/mod.rs` are two files of one module.
        if let Some(folder) = path.strip_suffix("/mod.rs") {
            assert!(
                !paths.contains(&format!("{folder}.rs")),
                "seed {seed}: {path}"
            );
        }
        let above = Path::new(path).ancestors().skip(1);
        for folder in above.filter_map(Path::to_str) {
            assert!(!paths.contains(folder), "seed {seed}: {folder} is a file");
        }
    }
}

/// Names that were found to meet.
#[test]
fn names_that_meet_after_two_steps_are_refused() {
    for (apis, both) in [
        (
            ["app/Server", "app/HTTPServer", "http/Server"],
            "http/v1alpha1 Server and app/v1alpha1 HTTPServer would both have the files `src/controller/http_server/`",
        ),
        (
            ["app/Foo", "b/Foo", "app/BFoo"],
            "app/v1alpha1 BFoo and b/v1alpha1 Foo would both have the files `src/controller/b_foo/`",
        ),
    ] {
        let world = World::new();
        let flags = apis.map(|api| format!("--api {api}")).join(" ");
        world
            .rop(&format!("init --domain example.com {flags}"))
            .exits(2)
            .says(both);
        assert!(world.tree().is_empty());
        world
            .rop(&format!("init --domain example.com --multigroup {flags}"))
            .ok();
    }
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
                .contains(&format!("error: the {flag} `{value}` ")),
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
        .says("has 259 characters: 253 is the most");
    create(&group, &"A".repeat(59))
        .exits(2)
        .says("is longer than 253 characters");
}
