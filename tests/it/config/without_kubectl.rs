//! Every shape of project renders without kubectl.

use std::fs;
use std::path::Path;

use rop::disk::View;
use rop::objects::Objects;

use super::{COMPONENTS, DEFAULT_KUSTOMIZATION, kustomize};
use crate::support::{Outcome, World};

/// What projects are made of: options of `rop init`, and the commands after it.
const SHAPES: [(&str, &[&str]); 8] = [
    ("", &[]),
    (
        "--namespaced",
        &["create api --group app --kind AppService"],
    ),
    ("--multigroup", &WEBHOOKS),
    ("", &WEBHOOKS),
    ("", &POLICIES),
    (
        "--namespaced",
        &[
            "create api --group app --kind Job --template job",
            "create api --group app --kind Worker --template pod",
            "create api --group app --kind Small --template minimal",
        ],
    ),
    (
        "",
        &[
            "create api --group app --kind Site --image nginx:1 --port 8080",
            "create api --group app --kind Wide --template minimal --cluster-scoped",
            "create api --group app --kind ShoppingList --template minimal",
            "create api --group app --kind StatefulSet --template minimal",
            "create webhook --group core --kind Pod --defaulting --validation",
        ],
    ),
    (
        "",
        &["create api --group core --version v1 --kind ConfigMap --resource=false"],
    ),
];

const WEBHOOKS: [&str; 5] = [
    "create api --group app --kind AppService",
    "create webhook --group app --kind AppService --defaulting --validation",
    "create api --group app --version v1 --kind AppService",
    "create webhook --group app --kind AppService --conversion",
    "create api --group shop --kind AppService",
];

const POLICIES: [&str; 4] = [
    "create api --group app --kind AppService",
    "create policy --group app --kind AppService --validating",
    "create policy --group core --kind Pod --mutating",
    "create webhook --group app --kind AppService --validation",
];

/// Markers that ask for roles in other namespaces.
const MARKERS: &str = "\
// +kubebuilder:rbac:groups=core,resources=pods,verbs=get,namespace=a
// +kubebuilder:rbac:groups=core,resources=secrets,verbs=get,namespace=b,roleName=my.reader
";

fn shape(options: &str, commands: &[&str]) -> World {
    let world = World::new();
    world
        .rop(&format!("init --domain example.com {options}"))
        .ok();
    for command in commands {
        world.rop(command).ok();
    }
    world
}

/// Adds a component to those that `config/default` lists.
fn add_component(world: &World, component: &str) {
    let text = world.read(DEFAULT_KUSTOMIZATION);
    let line = text.lines().find(|line| line.starts_with("components:"));
    let line = line.expect("components");
    let list = line.trim_end_matches(']');
    let comma = if list.ends_with('[') { "" } else { ", " };
    let new = format!("{list}{comma}{component}]");
    world.write(DEFAULT_KUSTOMIZATION, &text.replace(line, &new));
}

/// Every folder that has a kustomization renders.
#[track_caller]
fn all_folders_render(world: &World) {
    let config = world.path().join("config");
    for entry in fs::read_dir(&config).expect("config") {
        let folder = entry.expect("a folder").path();
        let file = folder.join("kustomization.yaml");
        let Ok(text) = fs::read_to_string(file) else {
            continue;
        };
        if !text.contains("kind: Component") {
            let name = folder.file_name().expect("a name").to_string_lossy();
            in_memory(world, &format!("config/{name}"));
        }
    }
}

#[track_caller]
fn in_memory(world: &World, folder: &str) {
    let view = View::of(&world.path()).expect("a view");
    if let Err(place) = Objects::in_memory(&view, folder) {
        panic!("{folder} needs kubectl: {place}");
    }
}

/// The folders that matter render as kubectl renders them.
#[track_caller]
fn same_as_kubectl(world: &World) {
    for folder in ["default", "samples", "production"] {
        let folder = format!("config/{folder}");
        if world.path().join(&folder).is_dir() {
            kustomize(world, &folder);
        }
    }
}

/// rop, with a kubectl that fails.
fn rop(world: &World, arguments: &str) -> Outcome {
    let mut command = world.command(".");
    command
        .args(arguments.split(' '))
        .env("KUBECTL", "/bin/false");
    world.run(&mut command)
}

#[test]
fn every_shape_renders() {
    for (options, commands) in SHAPES {
        let world = shape(options, commands);
        all_folders_render(&world);
        for (component, _) in COMPONENTS {
            add_component(&world, component);
        }
        all_folders_render(&world);
        world.write(
            "config/production/kustomization.yaml",
            "namespace: ops\nnamePrefix: my-\nresources: [../default]\n",
        );
        all_folders_render(&world);
        same_as_kubectl(&world);
    }
}

#[test]
fn cert_manager_and_roles_in_namespaces_render() {
    let world = shape("", &WEBHOOKS);
    world.use_cert_manager();
    let main = world.read("src/main.rs");
    world.write("src/main.rs", &format!("{MARKERS}{main}"));
    world.rop("create api --group app --kind Cache").ok();
    assert!(world.read(DEFAULT_KUSTOMIZATION).contains("transformers"));
    for (component, _) in COMPONENTS {
        add_component(&world, component);
    }
    all_folders_render(&world);
    for line in ["", "transformers:\n- ../rbac/namespaces\n"] {
        world.write(
            "config/production/kustomization.yaml",
            &format!("namespace: ops\nnamePrefix: my-\nresources: [../default]\n{line}"),
        );
        in_memory(&world, "config/production");
        same_as_kubectl(&world);
    }
    for command in [
        "bundle --image example.com/a:v1",
        "bundle render",
        "generate installer --image example.com/a:v1",
        "generate deploy",
    ] {
        let outcome = rop(&world, command);
        assert_eq!(outcome.code, 0, "{command}: {outcome}");
    }
}

#[test]
fn the_examples_render() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for example in fs::read_dir(examples).expect("examples") {
        let example = example.expect("an example").path();
        if !example.is_dir() {
            continue;
        }
        let world = World::new();
        for (path, text) in crate::support::world::tree(&example) {
            world.write(&path, &text);
        }
        all_folders_render(&world);
        same_as_kubectl(&world);
    }
}

/// What kubectl is needed for is said, if there is none and with `--verbose`.
#[test]
fn the_reason_for_kubectl_is_visible() {
    let world = shape("", &[]);
    let text = world.read(DEFAULT_KUSTOMIZATION);
    world.write(
        DEFAULT_KUSTOMIZATION,
        &format!("{text}buildMetadata: [managedByLabel]\n"),
    );
    let installer = |verbose: &[&str]| {
        let mut command = world.command(".");
        command.args(["generate", "installer"]).args(verbose);
        command
    };
    let mut without = installer(&[]);
    without.env("KUBECTL", "/nonexistent/kubectl");
    insta::assert_snapshot!(world.run(&mut without).exits(1), @"
    exit: 1
    --- stderr
    error[kubectl-missing]: `config/default` needs kubectl: rop does not render `config/default/kustomization.yaml`: line 18 column 1: unknown field `buildMetadata`
      caused by: $KUBECTL is `/nonexistent/kubectl`, which does not exist
    hint: set $KUBECTL to the path of kubectl, or unset it to use kubectl on PATH
    ");
    let Some(kubectl) = crate::support::kubectl() else {
        return;
    };
    let mut with = installer(&["--verbose"]);
    let outcome = world.run(with.env("KUBECTL", kubectl)).ok();
    assert!(
        outcome
            .stderr
            .contains("note: `config/default` needs kubectl: "),
        "{outcome}"
    );
}
