//! Names that meet in files and modules once their words are joined.

use std::collections::BTreeSet;
use std::path::Path;

use rop::plan::Tree;
use rop::project::{Policies, Project, ProjectKind, Template, Webhooks};

use crate::support::{World, seeds};

/// Groups and kinds that meet in many ways once their words are joined.
const MEETING_GROUPS: [&str; 14] = [
    "a", "app", "b", "a-b", "a.b", "http", "type", "serde", "proc", "k8s", "rop", "1st", "v1",
    "aux",
];
const MEETING_KINDS: [&str; 30] = [
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
    "Default",
    "Webhook",
    "Policies",
    "Mutating",
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
            let mut new = ProjectKind::own(
                project.domain.clone(),
                rng.choice(groups).expect("one").parse().expect("a group"),
                rng.choice(["v1", "v1beta1"])
                    .expect("one")
                    .parse()
                    .expect("a version"),
                rng.choice(kinds).expect("one").parse().expect("a kind"),
            );
            if rng.u8(..4) == 0 {
                new.controllers.clear();
            }
            new.versions[0].template = *rng.choice(Template::all()).expect("one");
            let mut with_it = project.clone();
            match with_it.add(new) {
                Ok(()) => project = with_it,
                Err(error) => {
                    assert_eq!(error.kind(), rop::ErrorKind::Usage, "seed {seed}");
                    refused += 1;
                }
            }
        }
        for project in [with_webhooks(&project), project] {
            let tree = rop::template::render(&project).expect("a tree");
            check_paths(&tree, seed);
        }
    }
    assert!(refused > 0, "no name was refused");
}

/// The kinds of a project, each with another version, webhooks and policies.
fn with_webhooks(project: &Project) -> Project {
    let mut more = project.clone();
    for kind in project.own_kinds() {
        let version = "v2".parse().expect("a version");
        if more.add(kind.in_version(version)).is_err() {
            continue;
        }
        let (group, kind) = (&kind.group, &kind.name);
        let webhooks = Webhooks {
            defaulting: true,
            validation: true,
            conversion: true,
            ..Webhooks::default()
        };
        let policies = Policies {
            mutating: true,
            validating: true,
        };
        let added = more.add_webhooks(group, None, kind, &webhooks);
        added.expect("webhooks of a kind of the project");
        let added = more.add_policies(group, None, kind, policies);
        added.expect("policies of a kind of the project");
    }
    more
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
        let parts: Vec<_> = path.trim_end_matches(".rs").split('/').collect();
        for part in parts.iter().filter(|_| code) {
            assert!(!words.contains(part), "seed {seed}: {path}");
            // rustc and clippy warn of it, and of a module within one of its name.
            assert!(!part.contains("__"), "seed {seed}: {path}");
        }
        let is_within_itself = parts.windows(2).any(|parts| parts[0] == parts[1]);
        assert!(!(code && is_within_itself), "seed {seed}: {path}");
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
