//! The JSON of each command is what the book documents. All other tests compare what they print with it too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use clap::Command;

use crate::support::World;
use crate::support::schema::{check, sections};
use crate::update::Release;

/// Commands without JSON: what they print is a script, or they run until they are stopped.
const WITHOUT: [&str; 4] = ["completion", "dev", "run", "up local"];

/// Commands that do what another one does, and print its object.
const OTHER_NAMES: [&str; 4] = [
    "generate bundle",
    "generate crds",
    "generate openapi",
    "new",
];

#[test]
fn each_command_is_documented() {
    let documented: BTreeSet<_> = sections()
        .iter()
        .flat_map(|it| &it.commands)
        .copied()
        .collect();
    let command = rop::cli::command();
    let mut missing = Vec::new();
    let mut known = BTreeSet::new();
    leaves(&command, "", &mut |name| {
        let is_known = [
            documented.contains(name),
            WITHOUT.contains(&name),
            OTHER_NAMES.contains(&name),
        ];
        if !is_known.contains(&true) {
            missing.push(name.to_owned());
        }
        known.insert(name.to_owned());
    });
    assert_eq!(missing, [""; 0]);
    let listed = [&WITHOUT[..], &OTHER_NAMES].concat();
    let gone: Vec<_> = documented
        .iter()
        .chain(&listed)
        .filter(|name| !name.contains("--") && !known.contains(**name))
        .collect();
    assert_eq!(gone, [&""; 0]);
}

#[test]
fn commands_without_json_refuse_it() {
    let world = World::without_runtime();
    for command in ["completion bash", "dev", "man", "run", "up local"] {
        let outcome = world.rop(&format!("{command} --json")).exits(2);
        assert!(
            outcome.stderr.contains(" does not support `--json`: "),
            "{command}: {outcome}"
        );
        check(&outcome.stdout);
    }
}

/// Calls `look` with each command that has no commands below it, or can run without one.
pub(crate) fn leaves(command: &Command, above: &str, look: &mut impl FnMut(&str)) {
    for below in command.get_subcommands() {
        let name = format!("{above} {}", below.get_name());
        let name = name.trim_start();
        if !(below.has_subcommands() && below.is_subcommand_required_set()) {
            look(name);
        }
        leaves(below, name, look);
    }
}

/// What needs neither a compiler nor a cluster prints every field that is documented, and no other.
#[test]
fn each_field_is_printed() {
    let mut seen: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut run = |world: &World, command: &str| {
        // A note names the project.
        let arguments: Vec<_> = command.split(' ').chain(["--json"]).collect();
        let outcome = world.rop_in("config", &arguments);
        let (section, fields) = check(&outcome.stdout);
        seen.entry(section.name).or_default().extend(fields);
    };
    let world = World::without_runtime();
    for command in [
        "version",
        "doctor",
        "check --skip manifests",
        "create api --group app --kind AppService --port x",
        "edit --multigroup",
        "bundle",
        "generate installer",
        "bundle render",
        "bundle validate",
        "bundle validate --list-optional",
        "catalog init",
        "catalog add --image registry.example.com/bundle:v1",
        "catalog validate",
        "generate docs",
    ] {
        run(&world, command);
    }
    world.write(
        "docs/api.md",
        &format!("{}mine\n", world.read("docs/api.md")),
    );
    run(&world, "check --skip manifests");
    world.write("config/rbac/kustomization.yaml", "resources: [");
    run(&world, "check --skip manifests");
    let world = World::without_runtime();
    let path = "src/controller/app_service/reconcile.rs";
    let text = world.read(path);
    let line = text.lines().next().expect("a line");
    let release = Release::of(&world);
    release.had(path, "//! The former text.", line);
    release.had("deny.toml", "# Former.\n[", "[");
    world.replace(path, "//! The former text.", "//! Ours.");
    run(&world, "update --conflicts=markers");
    let world = World::without_runtime();
    Release::of(&world).had("deny.toml", "# Former.\n[", "[");
    fs::remove_file(world.path().join("deny.toml")).expect("a file");
    let project = world.read("PROJECT");
    world.write("PROJECT", &format!("{project}multigroup: true\n"));
    run(&world, "update");
    Release::of(&world).version("0.0.9");
    run(&world, "check --skip manifests");
    for section in sections() {
        let is_offline = [
            "Failures",
            "Files",
            "Update",
            "Check",
            "Version",
            "Bundle validators",
            "Bundle manifests",
        ]
        .contains(&section.name);
        if is_offline {
            let seen = seen.get(section.name).expect("an object");
            let mut unseen = section.unseen(seen);
            // Tests of interrupted commands print these, and files of a part move only if PROJECT was merged.
            unseen.retain(|field| {
                !field.starts_with("interrupted.") && *field != "parts[].changes[].from"
            });
            assert_eq!(unseen, [""; 0], "{}", section.name);
        }
    }
}
