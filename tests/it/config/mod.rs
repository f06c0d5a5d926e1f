//! `config/` of generated projects: what kustomize makes of it, and what a real API server makes of
//! that.

mod accepted;
mod cert_manager;
mod containers;
mod features;
mod generators;
mod in_memory;
mod monitoring;
mod offline;
mod people;
mod policies;
mod render;
mod replacements;
mod role_namespaces;
mod roles;
mod without_kubectl;

use std::path::Path;
use std::process::Command;

use rop::disk::View;
use rop::objects::Objects;
use serde_json::Value;

use crate::support::World;
use crate::support::control_plane::ControlPlane;

/// The optional parts, as `config/default` names them, with the kind that each adds.
const COMPONENTS: [(&str, &str); 3] = [
    ("../network-policy", "NetworkPolicy"),
    ("../pod-disruption-budget", "PodDisruptionBudget"),
    ("../prometheus", "ServiceMonitor"),
];

const NAMESPACE: &str = "app-operator-system";

/// A project for the cluster or for one namespace, with as many kinds as asked for: at most two,
/// which are called the same.
fn project(namespaced: bool, kinds: usize) -> World {
    let world = World::new();
    let scope = if namespaced { "--namespaced" } else { "" };
    let apis = ["--api app/AppService", "--api shop/AppService"][..kinds].join(" ");
    world
        .rop(&format!("init --domain example.com {scope} {apis}"))
        .ok();
    world
}

/// Projects of each sort.
fn projects() -> impl Iterator<Item = World> {
    [false, true]
        .into_iter()
        .flat_map(|namespaced| (0..3).map(move |kinds| project(namespaced, kinds)))
}

const DEFAULT_KUSTOMIZATION: &str = "config/default/kustomization.yaml";

/// Namespaces and prefixes that a user can set, the first as `rop init` does.
const PLACES: [(&str, &str); 3] = [
    ("app-operator-system", "app-operator-"),
    ("ops", "my-"),
    ("a", ""),
];

/// What kustomize makes of `config/default` in a namespace and with a prefix of names, where `plain` is its
/// kustomization as `rop init` placed it.
fn placed(world: &World, plain: &str, (namespace, prefix): (&str, &str)) -> Option<Vec<Value>> {
    let old = "namespace: app-operator-system\nnamePrefix: app-operator-\n";
    assert!(plain.contains(old), "{plain}");
    let new = format!("namespace: {namespace}\nnamePrefix: {prefix:?}\n");
    world.write(DEFAULT_KUSTOMIZATION, &plain.replace(old, &new));
    kustomize(world, "config/default")
}

/// Lists components where README.md says that they are listed.
fn set_components(world: &World, components: &[&str]) {
    let line = format!("components: [{}]", components.join(", "));
    world.replace(DEFAULT_KUSTOMIZATION, "components: []", &line);
}

/// What kustomize makes of a folder of the project; it has nothing to complain of. `None`, with a
/// line on stderr, where there is no kubectl.
fn kustomize(world: &World, folder: &str) -> Option<Vec<Value>> {
    let Some(kubectl) = crate::support::kubectl() else {
        eprintln!("skipped: no kubectl");
        return None;
    };
    let mut command = Command::new(kubectl);
    let outcome = world
        .run(command.arg("kustomize").arg(world.path().join(folder)))
        .ok();
    assert!(outcome.stderr.is_empty(), "{folder}: {outcome}");
    let documents = outcome.stdout.split("\n---\n");
    let objects: Vec<Value> = documents
        .map(|document| serde_yaml::from_str(document).expect("YAML"))
        .collect();
    // What rop renders itself is the same, in the same order.
    let view = View::of(&world.path()).expect("a view");
    if let Ok(found) = Objects::in_memory(&view, folder) {
        for (found, object) in found.iter().zip(&objects) {
            assert_eq!(
                serde_yaml::to_string(found).expect("YAML"),
                serde_yaml::to_string(object).expect("YAML"),
                "{folder}"
            );
        }
        assert_eq!(found.iter().count(), objects.len(), "{folder}");
    }
    Some(objects)
}

fn of_kind<'a>(objects: &'a [Value], kind: &str) -> Vec<&'a Value> {
    objects.iter().filter(|o| o["kind"] == kind).collect()
}

/// The one object of a kind.
#[track_caller]
fn the<'a>(objects: &'a [Value], kind: &str) -> &'a Value {
    match of_kind(objects, kind)[..] {
        [object] => object,
        ref others => panic!("{} objects of the kind {kind}", others.len()),
    }
}

/// Whether a user may do something, in the words of `kubectl auth can-i`.
#[track_caller]
fn may(plane: &ControlPlane, user: &str, words: &[&str]) -> bool {
    let user = format!("--as={user}");
    let output = plane.kubectl(&[&["auth", "can-i", &user], words].concat());
    // A reason may follow the answer.
    match String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .next()
    {
        Some("yes") => true,
        Some("no") => false,
        _ => panic!("{words:?}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// Applies `config/default`: the API server takes all of it, and has no warning.
#[track_caller]
fn deploy(plane: &ControlPlane, world: &World) {
    let folder = text(&world.path().join("config/default"));
    let output = plane.kubectl(&["apply", "--server-side", "-k", &folder]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
}

/// A path as kubectl takes it.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
