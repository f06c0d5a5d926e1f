//! A kustomization that kubectl renders downloads nothing and starts no program.

use std::process::Command;

use super::DEFAULT_KUSTOMIZATION;
use crate::support::{Outcome, World};

/// A project whose `config/default` rop leaves to kubectl, with more lines in its kustomization.
fn project(lines: &str) -> World {
    let world = World::new();
    world.rop("init --domain example.com").ok();
    let text = world.read(DEFAULT_KUSTOMIZATION);
    let text = text.replace("components: []\n", "");
    let text = format!("{text}buildMetadata: [managedByLabel]\n{lines}");
    world.write(DEFAULT_KUSTOMIZATION, &text);
    world
}

/// Renders the folder with a kubectl that leaves a file. Gives whether it was started.
fn render(world: &World) -> (Outcome, bool) {
    world.write("../kubectl", "#!/bin/sh\ntouch \"$0.started\"\nexit 1\n");
    let kubectl = world.path().join("../kubectl");
    let made = Command::new("chmod").arg("+x").arg(&kubectl).status();
    assert!(made.expect("chmod").success());
    let started = kubectl.with_extension("started");
    // From an earlier call.
    let _ = std::fs::remove_file(&started);
    let mut command = world.command(".");
    command
        .args(["generate", "installer"])
        .env("KUBECTL", &kubectl);
    let outcome = world.run(&mut command);
    (outcome, started.exists())
}

#[track_caller]
fn refused(world: &World, part: &str) {
    let (outcome, is_started) = render(world);
    let error = &outcome.stderr;
    assert!(!is_started, "{part}: {error}");
    assert_eq!(outcome.code, 1, "{part}: {error}");
    assert!(error.contains(part), "{part}: {error}");
}

const URL: &str = "http://127.0.0.1:1/a.yaml";

#[test]
fn an_address_is_named_with_its_line() {
    let world = project("components:\n- ../prometheus\n- github.com/example/base//deploy?ref=v1\n");
    insta::assert_snapshot!(render(&world).0, @"
    exit: 1
    --- stderr
    error[unsafe-kustomization]: `config/default/kustomization.yaml`, line 20: remote resource `github.com/example/base//deploy?ref=v1`: rop does not download resources
    hint: save its output in the project, and list that file
    ");
}

#[test]
fn each_field_that_takes_an_address() {
    for lines in [
        format!("components: [{URL}]"),
        format!("Components: [{URL}]"),
        format!("bases: [{URL}]"),
        format!("crds: [{URL}]"),
        format!("configurations: [{URL}]"),
        format!("openapi:\n  path: {URL}"),
        format!("generators: [{URL}]"),
        format!("transformers: [{URL}]"),
        format!("validators: [{URL}]"),
        format!("patches:\n- path: {URL}"),
        format!("patchesStrategicMerge: [{URL}]"),
        format!("patchesStrategicMerge:\n- |\n  {URL}"),
        format!("replacements:\n- path: {URL}"),
        format!("configMapGenerator:\n- name: a\n  files: [\"key={URL}\"]"),
        format!("secretGenerator:\n- name: a\n  envs: [{URL}]"),
        format!("x: &a [{URL}]\ncrds: *a"),
        format!(
            "transformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {{name: a}}\n  path: {URL}"
        ),
        format!(
            "generators:\n- '{{apiVersion: builtin, kind: ConfigMapGenerator, name: a, files: [{URL}]}}'"
        ),
    ] {
        refused(&project(&lines), &format!("remote resource `{URL}`"));
    }
}

#[test]
fn each_form_of_address() {
    for address in [
        "https://example.com/a",
        "HTTPS:example.com/a",
        "git@github.com:example/base",
        "user@example.com/base",
        "git::https://example.com/base",
        "gh:example/base",
        "ssh://example.com/base",
        "file:///etc",
        "GitHub.com/example/base",
        "github.com/example/base",
        "example.com/base?ref=v1",
    ] {
        let world = project(&format!("components: [\"{address}\"]"));
        // kustomize prefers a repository to a folder of this name.
        world.write(
            "config/default/github.com/example/base/kustomization.yaml",
            "",
        );
        refused(&world, &format!("remote resource `{address}`"));
    }
}

#[test]
fn programs_are_not_started() {
    for (lines, part) in [
        (
            "helmCharts:\n- name: a\n  repo: b",
            "line 18: `helmCharts` starts Helm",
        ),
        (
            "helmChartInflationGenerator:\n- chartName: a",
            "starts Helm",
        ),
        (
            "generators:\n- |\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n  name: a",
            "`HelmChartInflationGenerator` starts a program",
        ),
        (
            "transformers:\n- |\n  apiVersion: example.com/v1\n  kind: Mine\n  metadata: {name: a}",
            "`Mine` starts a program",
        ),
        ("generators: [mine.yaml]", "`Mine` starts a program"),
        ("validators: [plugins]", "config/default/plugins/mine.yaml"),
        ("validators: [patched]", "`patches` changes the settings"),
    ] {
        let world = project(lines);
        let mine = "apiVersion: example.com/v1\nkind: Mine\n";
        world.write("config/default/mine.yaml", mine);
        world.write("config/default/plugins/mine.yaml", mine);
        let list = "resources: [mine.yaml]\n";
        world.write("config/default/plugins/kustomization.yaml", list);
        let patched = "resources: [../plugins]\npatches: []\n";
        world.write("config/default/patched/kustomization.yaml", patched);
        refused(&world, part);
    }
}

#[test]
fn a_base_of_a_base_is_checked() {
    let world = project("components: [../a]");
    world.write(
        "config/a/kustomization.yaml",
        "resources: [../b, ../default]\n",
    );
    world.write("config/b/Kustomization", &format!("resources:\n- {URL}\n"));
    refused(
        &world,
        &format!("`config/b/Kustomization`, line 2: remote resource `{URL}`"),
    );
}

#[test]
fn what_cannot_be_checked_is_refused() {
    for (lines, part) in [
        ("crds:\n- !!binary aHR0cDovL2E=", "`!!binary` can hide"),
        ("a: &a\n  crds: [x]\n<<: *a", "`<<` can hide"),
        (
            "crds: [",
            "error[malformed-file]: malformed `config/default/kustomization.yaml`",
        ),
        (
            "components: [../nope]",
            "line 18: lists `../nope`, which does not exist",
        ),
    ] {
        refused(&project(lines), part);
    }
}

#[test]
fn what_is_no_file_is_not_read() {
    for (lines, at) in [
        ("components: [pipe]", "pipe"),
        ("crds: [link]", "pipe"),
        ("components: [folder]", "folder/kustomization.yaml"),
    ] {
        let world = project(lines);
        let folder = world.path().join("config/default");
        world.write("config/default/folder/a", "");
        let made = Command::new("mkfifo").arg(folder.join(at)).status();
        assert!(made.expect("mkfifo").success());
        std::os::unix::fs::symlink(at, folder.join("link")).expect("a link");
        refused(&world, "it is not a regular file");
    }
}

/// A base can be anywhere in the repository of the project. Beyond it are files of its user.
#[test]
fn a_base_is_in_the_repository() {
    let world = project("components: [../../../common]");
    world.write("../common/kustomization.yaml", "resources: []\n");
    let (outcome, is_started) = render(&world);
    assert!(!is_started, "{outcome}");
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error[unsafe-kustomization]: `config/default/kustomization.yaml`, line 18: `../../../common` is outside of the project, which is in no git repository
    hint: copy it into the project
    ");
    // The place of a repository, or of a work tree of one.
    world.write("../.git", "gitdir: elsewhere\n");
    assert!(render(&world).1);
    // A base of a base, by a relative path.
    world.write("../../home/kustomization.yaml", "");
    world.write(
        "../common/kustomization.yaml",
        "resources: []\ncomponents: [../../home]\n",
    );
    let (outcome, is_started) = render(&world);
    assert!(!is_started, "{outcome}");
    let error = outcome.stderr;
    assert!(
        error.contains("common/kustomization.yaml`, line 2: `../../home` is outside"),
        "{error}"
    );
}

#[test]
fn no_link_leads_out_of_the_repository() {
    for (at, to) in [
        ("config/default/out", "../../../home"),
        (
            "config/default/out/kustomization.yaml",
            "../../../../home/kustomization.yaml",
        ),
        ("config/default/out/a.yaml", "../../../../home/a.yaml"),
    ] {
        let world = project("components: [out]");
        world.write("../home/kustomization.yaml", "secret: [\n");
        world.write("../home/a.yaml", "secret: [\n");
        if at != "config/default/out" {
            world.write("config/default/out/other", "");
        }
        if at.ends_with("a.yaml") {
            world.write(
                "config/default/out/kustomization.yaml",
                "resources: [a.yaml]\n",
            );
        }
        std::os::unix::fs::symlink(to, world.path().join(at)).expect("a link");
        refused(&world, "outside");
    }
    // The folder itself.
    let world = project("components: [../prometheus]");
    let folder = world.path().join("config/default");
    std::fs::rename(&folder, world.path().join("../default")).expect("a folder");
    std::os::unix::fs::symlink("../../default", folder).expect("a link");
    refused(&world, "outside");
}

/// Links in circles end, and what only looks like an address is none.
#[test]
fn the_rest_is_left_to_kubectl() {
    let world = project(
        "components: [loop, a/b/b/b]\ncommonAnnotations: {docs: https://example.com}\n\
         images: [{name: controller, newName: localhost:5000/a}]\n\
         configMapGenerator: [{name: a, literals: [u=https://example.com]}]\n\
         patches:\n- patch: |\n    # see https://example.com?ref=a\n    kind: A\n\
         transformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  patch: 'a: https://example.com'\n",
    );
    let folder = world.path().join("config/default");
    std::os::unix::fs::symlink("loop", folder.join("loop")).expect("a link");
    world.write("config/default/a/kustomization.yaml", "resources: [b]\n");
    std::os::unix::fs::symlink(".", folder.join("a/b")).expect("a link");
    let (outcome, is_started) = render(&world);
    assert!(is_started, "{outcome}");
}
