//! A path that somebody types starts where they are, as for cargo and kubectl: also in a folder of a project.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::support::World;
use crate::support::tools::install;

/// Every argument that is a path, with a command that is run in the folder `sub` and the file that it then writes there.
/// What it reads exists there alone.
const PATHS: [(&str, &str, Option<&str>); 29] = [
    (
        "rop init dir",
        "init new --domain example.com",
        Some("new/PROJECT"),
    ),
    ("rop new name", "new old", Some("old/PROJECT")),
    (
        "rop create api crd",
        "create api --group example.org --kind Widget --external-crd crd.yaml --controller=false",
        None,
    ),
    (
        "rop bundle output",
        "bundle --output out",
        Some("out/metadata/annotations.yaml"),
    ),
    (
        "rop bundle image_digests",
        "bundle --image-digests digests.yaml",
        None,
    ),
    (
        "rop generate bundle output",
        "generate bundle --output-dir made",
        Some("made/metadata/annotations.yaml"),
    ),
    (
        "rop generate bundle image_digests",
        "generate bundle --image-digests digests.yaml",
        None,
    ),
    ("rop bundle validate bundle", "bundle validate out", None),
    ("rop bundle render directory", "bundle render out", None),
    (
        "rop bundle build directory",
        "bundle build out --image example.com/a:v1 --output oci-archive:a.tar",
        None,
    ),
    (
        "rop bundle build output",
        "bundle build out --image example.com/a:v1 --output oci-archive:bundle.tar",
        Some("bundle.tar"),
    ),
    ("rop scorecard directory", "scorecard out --list", None),
    (
        "rop scorecard config",
        "scorecard out --list --config out/tests/scorecard/config.yaml",
        None,
    ),
    (
        "rop catalog init output",
        "catalog init app-operator --output cat",
        Some("cat/app-operator/catalog.yaml"),
    ),
    (
        "rop catalog init description",
        "catalog init a --output texts --description text.md",
        Some("texts/a/catalog.yaml"),
    ),
    (
        "rop catalog init icon",
        "catalog init b --output texts --icon icon.svg",
        Some("texts/b/catalog.yaml"),
    ),
    (
        "rop catalog add bundle",
        "catalog add out --catalog cat",
        None,
    ),
    (
        "rop catalog add catalog",
        "catalog add out --catalog cat",
        None,
    ),
    ("rop catalog validate catalog", "catalog validate cat", None),
    (
        "rop catalog build catalog",
        "catalog build cat --image example.com/c:v1 --output oci-archive:cat.tar",
        Some("cat.tar"),
    ),
    (
        "rop catalog build output",
        "catalog build cat --image example.com/c:v1 --output oci:cat.oci",
        Some("cat.oci/index.json"),
    ),
    (
        "rop build output",
        "build a:v1 --engine docker --output docker-archive:app.tar",
        Some("app.tar"),
    ),
    (
        "rop generate chart output",
        "generate chart --output page",
        Some("page/Chart.yaml"),
    ),
    (
        "rop generate docs output",
        "generate docs --output page.md",
        Some("page.md"),
    ),
    ("rop man output", "man --output pages", Some("pages/rop.1")),
    ("rop olm install sources", "olm install olm.yaml", None),
    ("rop olm uninstall sources", "olm uninstall olm.yaml", None),
    ("rop run bundle bundle", "run bundle out", None),
    (
        "rop run bundle-upgrade bundle",
        "run bundle-upgrade out",
        None,
    ),
];

/// Reads a file that it is named, and fails for all else that it is asked.
const KUBECTL: &str = "#!/bin/sh\necho 'no cluster here' >&2\nexit 1\n";

/// Writes what it is asked to, where it is.
const DOCKER: &str = r#"#!/bin/sh
case "$1" in save) echo x >"${2#--output=}" ;; esac
"#;

#[test]
fn a_path_starts_where_its_user_is() {
    let world = World::with_api();
    let bin = world.path().with_file_name("bin");
    std::fs::create_dir(&bin).expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [bin.clone()]
        .into_iter()
        .chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("a PATH");
    install(&bin, "kubectl", KUBECTL);
    install(&bin, "docker", DOCKER);
    let digests = format!("app-operator:latest: sha256:{}\n", "0".repeat(64));
    let crd = include_str!("create_api/widget.yaml");
    for (file, text) in [
        ("crd.yaml", crd),
        ("digests.yaml", &digests),
        ("text.md", "Text.\n"),
        ("icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"),
        (
            "olm.yaml",
            "apiVersion: operators.coreos.com/v1\nkind: OLMConfig\nmetadata: {name: cluster}\n---\n\
             apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: olm-operator, namespace: olm}\n",
        ),
    ] {
        world.write(&format!("sub/{file}"), text);
    }
    for (argument, command, written) in PATHS {
        let mut rop = world.command("sub");
        rop.args(command.split(' '))
            .env("KUBECTL", bin.join("kubectl"))
            .env("PATH", &path);
        let outcome = world.run(&mut rop);
        assert!(
            outcome.code == 0 || outcome.stderr.contains("no cluster here"),
            "{argument}: {outcome}"
        );
        if let Some(written) = written {
            assert!(
                world.path().join("sub").join(written).is_file(),
                "{argument}: {outcome}"
            );
        }
    }
}

/// rop works as if it was started in the directory.
#[test]
fn another_directory() {
    let world = World::with_api();
    let bundle = "bundle --output out";
    world.write("sub/a", "");
    let rop = |directory: &str, command: &str| {
        world.rop_in(directory, &command.split(' ').collect::<Vec<_>>())
    };
    rop("sub", bundle).ok();
    let expected = world.tree();
    std::fs::remove_dir_all(world.path().join("sub/out")).expect("a bundle");
    // Also behind the command, and from outside of the project.
    let folder = world.path().file_name().expect("a name").to_owned();
    let folder = folder.to_str().expect("UTF-8");
    for command in [
        format!("-C {folder}/sub {bundle}"),
        format!("{bundle} --directory {folder}/sub"),
    ] {
        rop("..", &command).ok();
        assert_eq!(world.tree(), expected, "{command}");
        std::fs::remove_dir_all(world.path().join("sub/out")).expect("a bundle");
    }
    let new = "-C sub init new --domain example.com";
    rop(".", new).ok();
    assert!(world.path().join("sub/new/PROJECT").is_file());
    for (directory, reason) in [("nope", "No such file"), ("PROJECT", "Not a directory")] {
        rop(".", &format!("-C {directory} check"))
            .exits(2)
            .says(&format!(
                "error[invalid-directory]: failed to change to the directory `{directory}`"
            ))
            .says(reason);
    }
    let json = rop(".", "-C nope check --json").exits(2).stdout;
    assert!(json.contains("\"code\": \"invalid-directory\""), "{json}");
}

/// No file gets a name that a terminal acts on or hides.
#[test]
fn outputs_have_plain_names() {
    let world = World::with_api();
    let tree = world.tree();
    for command in [
        "man",
        "generate docs",
        "generate chart",
        "bundle",
        "generate bundle",
        "catalog init app-operator",
        "build a:v1",
        "bundle build bundle --image example.com/a:v1",
    ] {
        for name in ["oci:a\u{1b}[2J", "oci:a\nb", "oci:a\u{202e}b"] {
            let output = format!("--output={name}");
            let mut words: Vec<_> = command.split(' ').collect();
            words.push(&output);
            let outcome = world.rop_in(".", &words).exits(2);
            let shown = name.escape_default();
            assert!(
                outcome
                    .stderr
                    .starts_with(&format!("error[invalid-name]: invalid path `{shown}`")),
                "{command}: {outcome}"
            );
        }
    }
    assert_eq!(world.tree(), tree);
}

/// A default is the project's, wherever the command runs.
#[test]
fn a_default_is_of_the_project() {
    let world = World::with_api();
    world.write("sub/a", "");
    let rop = |command: &str| world.rop_in("sub", &command.split(' ').collect::<Vec<_>>());
    for (command, written) in [
        ("bundle", "bundle/metadata/annotations.yaml"),
        (
            "catalog init app-operator",
            "catalog/app-operator/catalog.yaml",
        ),
        ("catalog add ../bundle", "catalog/app-operator/catalog.yaml"),
        ("catalog validate", "catalog/app-operator/catalog.yaml"),
        ("bundle validate", "bundle/metadata/annotations.yaml"),
    ] {
        rop(command).ok();
        assert!(world.path().join(written).is_file(), "{command}");
    }
}

#[test]
fn no_path_is_forgotten() {
    fn walk(command: &clap::Command, words: &str, found: &mut BTreeSet<String>) {
        let names = [
            "FILE",
            "DIR",
            "FOLDER",
            "BUNDLE_DIR",
            "BUNDLE",
            "FILE|URL",
            "FORMAT:PATH",
        ];
        for argument in command.get_arguments() {
            let mut values = argument.get_value_names().into_iter().flatten();
            let is_path = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
            if is_path || values.any(|name| names.contains(&name.as_str())) {
                found.insert(format!("{words} {}", argument.get_id()));
            }
        }
        for command in command.get_subcommands() {
            walk(command, &format!("{words} {}", command.get_name()), found);
        }
    }
    let mut found = BTreeSet::new();
    walk(&rop::cli::command(), "rop", &mut found);
    // kubectl reads it where rop was started, or in the directory of `-C`, which a test of its own has.
    found.retain(|argument| !argument.ends_with(" kubeconfig") && argument != "rop start");
    // It builds a simulation, as the tests of that do.
    found.remove("rop simulate report");
    let tested: BTreeSet<_> = PATHS
        .iter()
        .map(|(argument, ..)| (*argument).to_owned())
        .collect();
    assert_eq!(found, tested);
}
