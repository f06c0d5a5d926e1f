//! Whole trees: what each template makes, and that PROJECT alone makes the same again.

use std::collections::BTreeMap;

use rop::project::{Project, Template};

use crate::support::World;

/// The commands that make a project with everything in it that can be asked for.
const EVERYTHING: [&str; 16] = [
    "init --domain example.com --owner Example --license apache2 --multigroup",
    "create api --group app --kind AppService --short-name as --category all --image nginx:1.28 --port 8080",
    "create api --group app --version v1 --kind Setting --template minimal --plural settings",
    "create api --group ops --version v1beta1 --kind Runner --template pod --cluster-scoped --finalizer",
    "create api --group ops --version v1beta1 --kind Record --controller=false",
    "create webhook --group ops --kind Runner --defaulting --validation --validation-path /validate-runners",
    "create webhook --group core --kind Pod --defaulting",
    "create api --group apps --version v1 --kind Deployment --resource=false",
    "create api --group ops --kind Runner --resource=false --controller-name audit",
    "create policy --group ops --kind Runner --validating --mutating",
    "create policy --group core --kind Pod --validating",
    "create api --group ops --version v1 --kind Runner --hub",
    "create webhook --group ops --kind Runner --conversion",
    "create api --group example.org --kind Widget --resource=false --external-crd widget.yaml",
    "create webhook --group example.org --kind Widget --validation",
    "create policy --group example.org --kind Widget --validating",
];

fn everything() -> World {
    let world = World::new();
    world.write("widget.yaml", include_str!("create_api/widget.yaml"));
    for command in EVERYTHING {
        world.rop(command).ok();
    }
    std::fs::remove_file(world.path().join("widget.yaml")).expect("the CRD");
    world
}

/// The CRD of another operator comes from its user.
#[test]
fn the_project_file_alone_makes_the_same_tree() {
    let (world, again) = (everything(), World::new());
    for path in ["PROJECT", "config/external/example.org_widgets.yaml"] {
        again.write(path, &world.read(path));
    }
    again.rop("generate project").ok();
    let (expected, tree) = (world.tree(), again.tree());
    assert_eq!(
        tree.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    for (path, text) in &tree {
        assert_eq!(text, &expected[path], "{path}");
    }
    let parse = |text: &str| Project::parse(text).expect("PROJECT");
    let project = parse(&tree["PROJECT"]);
    assert_eq!(parse(&project.to_text().expect("a text")), project);
}

/// One step and two steps lead to the same project.
#[test]
fn apis_at_init_are_those_of_create_api() {
    let at_once = World::new();
    at_once
        .rop("init --domain example.com --api app/AppService --api cache/v1/Redis")
        .ok();
    let later = World::with_project();
    later.rop("create api --group app --kind AppService").ok();
    later
        .rop("create api --group cache --version v1 --kind Redis")
        .ok();
    let parsed = |world: &World| Project::parse(&world.read("PROJECT")).expect("PROJECT");
    assert_eq!(parsed(&at_once), parsed(&later));
    let without_lists = |world: &World| {
        let mut tree = world.tree();
        tree.retain(|path, _| path != "PROJECT" && !path.ends_with("kustomization.yaml"));
        tree
    };
    assert_eq!(without_lists(&at_once), without_lists(&later));
}

#[test]
fn rendered_trees() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots/tree");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| {
        let empty = World::with_project();
        insta::assert_snapshot!("init", print(&empty.tree()));
        for template in Template::all() {
            let world = World::with_project();
            let before = world.tree();
            let create = format!("create api --group app --kind AppService --template {template}");
            world.rop(&create).ok();
            let without = world.tree();
            let mut added = without.clone();
            added.retain(|path, text| before.get(path) != Some(text));
            insta::assert_snapshot!(template.to_string(), print(&added));

            let world = World::with_project();
            world.rop(&format!("{create} --finalizer")).ok();
            let mut more = world.tree();
            more.retain(|path, text| without.get(path) != Some(text));
            insta::assert_snapshot!(format!("{template}-finalizer"), print(&more));
        }
        for (name, create) in [
            (
                "controller",
                "api --resource=false --group apps --kind Deployment",
            ),
            (
                "controller-name",
                "api --resource=false --group app --kind AppService --controller-name backup",
            ),
            (
                "policy",
                "policy --group app --kind AppService --validating --mutating",
            ),
            (
                "policy-pod",
                "policy --group core --kind Pod --validating --mutating",
            ),
        ] {
            let world = World::with_api();
            let before = world.tree();
            world.rop(&format!("create {create}")).ok();
            let mut added = world.tree();
            added.retain(|path, text| before.get(path) != Some(text));
            insta::assert_snapshot!(name, print(&added));
        }
        insta::assert_snapshot!(
            "everything",
            everything()
                .tree()
                .into_keys()
                .filter(|path| !is_noise(path))
                .collect::<Vec<_>>()
                .join("\n")
        );
    });
}

/// Files that stand in the repository as they are, for a reviewer to see there.
fn is_noise(path: &str) -> bool {
    path.starts_with("runtime/") || path.starts_with(".rop/base/")
}

/// Every file with its text, but for those that would only be noise in a review.
fn print(tree: &BTreeMap<String, String>) -> String {
    tree.iter()
        .filter(|(path, _)| !is_noise(path))
        .map(|(path, text)| {
            let text = match &**path {
                "Cargo.lock" => "(resolved dependencies)\n".to_owned(),
                // The sum of the templates changes with each of them.
                ".rop/record" => {
                    let lines = text.split_inclusive('\n');
                    lines
                        .filter(|line| !line.starts_with("templates "))
                        .collect()
                }
                _ => text.clone(),
            };
            format!("======== {path}\n{text}")
        })
        .collect()
}
