//! `rop catalog add`: what becomes of a bundle, and that nothing else in the catalog changes.

use serde_json::Value;

use crate::support::{Outcome, World};

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: apps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: App, listKind: AppList, plural: apps, singular: app}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
";

/// Writes a bundle of a version, which has all that becomes a property.
fn bundle(world: &World, version: &str) {
    let csv = format!(
        "\
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: app.v{version}
  labels: {{operatorframework.io/arch.arm64: supported}}
  annotations:
    capabilities: Basic Install
    olm.properties: '[{{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.20\"}}]'
spec:
  displayName: App
  version: {version}
  minKubeVersion: 1.30.0
  keywords: [app]
  installModes: [{{type: AllNamespaces, supported: true}}]
  provider: {{name: Example}}
  customresourcedefinitions:
    owned: [{{name: apps.example.com, version: v1, kind: App}}]
    required: [{{name: dbs.example.org, version: v1, kind: Db}}]
  install:
    strategy: deployment
    spec:
      deployments:
      - name: manager
        spec:
          template:
            spec:
              initContainers: [{{name: init, image: example.com/init:v1}}]
              containers: [{{name: manager, image: 'example.com/app:v{version}'}}]
  relatedImages:
  - {{name: db, image: example.com/db:v1}}
"
    );
    world.write("bundle/manifests/app.clusterserviceversion.yaml", &csv);
    world.write("bundle/manifests/example.com_apps.yaml", CRD);
    world.write(
        "bundle/metadata/annotations.yaml",
        "\
annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: app
  operators.operatorframework.io.bundle.channels.v1: stable
",
    );
    world.write(
        "bundle/metadata/dependencies.yaml",
        "\
dependencies:
- {type: olm.package, value: {packageName: db, version: '>=1.0.0'}}
- {type: olm.gvk, value: {group: example.net, version: v1, kind: Net}}
- {type: olm.constraint, value: {failureMessage: needs it, cel: {rule: 'true'}}}
",
    );
    world.write(
        "bundle/metadata/properties.yaml",
        "properties:\n- {type: example.com/x, value: {b: 1, a: 2}}\n",
    );
}

fn world() -> World {
    let world = World::new();
    world.rop("catalog init app").ok();
    bundle(&world, "1.0.0");
    world
}

const FILE: &str = "catalog/app/catalog.yaml";

#[test]
fn a_default_channel_that_is_missing_is_noted() {
    let world = World::new();
    world.rop("catalog init app --default-channel fast").ok();
    bundle(&world, "1.0.0");
    let add = "catalog add bundle --image example.com/app-bundle:v1.0.0";
    let note = "note: the default channel `fast` does not exist yet";
    world.rop(add).ok().says(note);
    world.rop("catalog validate").exits(1);
    let outcome = world.rop(&format!("{add} --channels fast")).ok();
    assert!(!outcome.to_string().contains(note), "{outcome}");
    world.rop("catalog validate").ok();
}

#[test]
#[expect(clippy::too_many_lines, reason = "the file is shown whole")]
fn a_bundle_with_an_image() {
    let world = world();
    let line = "catalog add bundle --image example.com/app-bundle:v1.0.0";
    insta::assert_snapshot!(world.rop(line).ok(), @"
    exit: 0
    --- stderr
    note: `app.v1.0.0` is in the channel `stable`
       update catalog/app/catalog.yaml

    next:
      rop catalog validate catalog
      rop catalog build catalog --image REGISTRY/CATALOG:TAG --push
    ");
    insta::assert_snapshot!(world.read(FILE), @r#"
    ---
    schema: olm.package
    name: app
    defaultChannel: stable
    ---
    schema: olm.channel
    package: app
    name: stable
    entries:
    - name: app.v1.0.0
    ---
    schema: olm.bundle
    name: app.v1.0.0
    package: app
    image: example.com/app-bundle:v1.0.0
    properties:
    - type: example.com/x
      value:
        a: 2
        b: 1
    - type: olm.constraint
      value:
        cel:
          rule: "true"
        failureMessage: needs it
    - type: olm.gvk
      value:
        group: example.com
        kind: App
        version: v1
    - type: olm.gvk
      value:
        group: example.com
        kind: App
        version: v1beta1
    - type: olm.gvk.required
      value:
        group: example.net
        kind: Net
        version: v1
    - type: olm.gvk.required
      value:
        group: example.org
        kind: Db
        version: v1
    - type: olm.maxOpenShiftVersion
      value: "4.20"
    - type: olm.package
      value:
        packageName: app
        version: "1.0.0"
    - type: olm.package.required
      value:
        packageName: db
        versionRange: ">=1.0.0"
    - type: olm.csv.metadata
      value:
        annotations:
          capabilities: Basic Install
          olm.properties: "[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.20\"}]"
        apiServiceDefinitions: {}
        crdDescriptions:
          owned:
          - kind: App
            name: apps.example.com
            version: v1
          required:
          - kind: Db
            name: dbs.example.org
            version: v1
        displayName: App
        installModes:
        - supported: true
          type: AllNamespaces
        keywords:
        - app
        labels:
          operatorframework.io/arch.arm64: supported
        minKubeVersion: "1.30.0"
        provider:
          name: Example
    relatedImages:
    - name: ""
      image: example.com/app-bundle:v1.0.0
    - name: ""
      image: example.com/app:v1.0.0
    - name: db
      image: example.com/db:v1
    - name: ""
      image: example.com/init:v1
    "#);
    world.rop(line).did_nothing();
    world.rop("catalog validate").ok();
}

#[test]
fn a_bundle_without_an_image() {
    let world = world();
    world.rop("catalog add bundle").ok();
    world.rop("catalog add bundle").did_nothing();
    world.rop("catalog validate").ok();
    let text = world.read(FILE);
    assert!(text.contains("image: \"\"\n"), "{text}");
    assert_eq!(text.matches("type: olm.bundle.object\n").count(), 2);
    assert!(!text.contains("olm.csv.metadata"));
}

/// The entries of a channel, as JSON.
fn entries(world: &World, channel: &str) -> Value {
    let text = world.read(FILE);
    let documents = text.split("---\n").filter(|it| it.contains("olm.channel"));
    let mut documents = documents.map(|it| serde_yaml::from_str::<Value>(it).expect("YAML"));
    let found = documents.find(|it| it["name"] == channel);
    found.unwrap_or_else(|| panic!("no {channel} in {text}"))["entries"].clone()
}

fn add(world: &World, version: &str, flags: &str) {
    bundle(world, version);
    let line = format!("catalog add bundle --image example.com/b:v{version} {flags}");
    world.rop(&line).ok();
    world.rop(&line).did_nothing();
    world.rop("catalog validate").ok();
}

#[test]
fn the_head_is_replaced() {
    let world = world();
    for version in ["1.0.0", "1.0.1", "1.1.0"] {
        add(&world, version, "");
    }
    add(
        &world,
        "1.2.0",
        "--channels stable,fast --replaces app.v1.0.1 --skips app.v1.1.0 --skip-range >=1.0.0",
    );
    assert_eq!(
        entries(&world, "stable").to_string(),
        r#"[{"name":"app.v1.0.0"},{"name":"app.v1.0.1","replaces":"app.v1.0.0"},{"name":"app.v1.1.0","replaces":"app.v1.0.1"},{"name":"app.v1.2.0","replaces":"app.v1.0.1","skips":["app.v1.1.0"],"skipRange":">=1.0.0"}]"#
    );
    assert_eq!(entries(&world, "fast").as_array().map(Vec::len), Some(1));
}

/// opm reads the edges of an entry from its bundle, too.
#[test]
fn edges_of_the_bundle_are_taken() {
    let world = world();
    add(&world, "1.0.0", "");
    add(&world, "1.0.1", "");
    let edges = |replaces: &str| {
        bundle(&world, "1.1.0");
        let csv = "bundle/manifests/app.clusterserviceversion.yaml";
        world.replace(
            csv,
            "  annotations:\n",
            "  annotations:\n    olm.skipRange: '>=1.0.0 <1.1.0'\n",
        );
        world.replace(
            csv,
            "  displayName: App\n",
            &format!("  displayName: App\n  replaces: {replaces}\n  skips: [app.v1.0.1]\n"),
        );
    };
    edges("app.v1.0.0");
    world.rop("catalog add bundle --semver --channels stable").ok().says(
        "so `replaces: app.v1.0.0`, `skips: [app.v1.0.1]`, `olm.skipRange: >=1.0.0 <1.1.0` of the ClusterServiceVersion has \
        no effect",
    );
    world
        .rop("catalog add bundle")
        .ok()
        .says("the entry takes `replaces: app.v1.0.0`, `skips: [app.v1.0.1]`, `olm.skipRange: >=1.0.0 <1.1.0`");
    world
        .rop("catalog add bundle")
        .ok()
        .omits("the entry takes");
    world
        .rop("catalog add bundle --channels fast --replaces app.v1.0.1 --skips app.v1.0.0 --skip-range <1.1.0")
        .ok()
        .omits("the entry takes");
    let new = |channel: &str| {
        entries(&world, channel)
            .as_array()
            .and_then(|all| all.last().cloned())
    };
    assert_eq!(
        new("stable").map(|entry| entry.to_string()).as_deref(),
        Some(
            r#"{"name":"app.v1.1.0","replaces":"app.v1.0.0","skips":["app.v1.0.1"],"skipRange":">=1.0.0 <1.1.0"}"#
        )
    );
    assert_eq!(
        new("fast").map(|entry| entry.to_string()).as_deref(),
        Some(
            r#"{"name":"app.v1.1.0","replaces":"app.v1.0.1","skips":["app.v1.0.0"],"skipRange":"<1.1.0"}"#
        )
    );
    edges("App");
    let csv = "bundle/manifests/app.clusterserviceversion.yaml";
    world.replace(csv, "1.1.0", "1.1.1");
    world
        .rop("catalog add bundle --channels other")
        .exits(2)
        .says("cannot use `spec.replaces` of the ClusterServiceVersion");
}

#[test]
fn a_head_that_is_skipped_is_followed_by_nothing() {
    let world = world();
    for (version, flags) in [
        ("1.0.0", ""),
        ("1.0.1", ""),
        ("1.1.0", "--skips app.v1.0.1"),
    ] {
        add(&world, version, flags);
    }
    assert_eq!(
        entries(&world, "stable").to_string(),
        r#"[{"name":"app.v1.0.0"},{"name":"app.v1.0.1","replaces":"app.v1.0.0"},{"name":"app.v1.1.0","replaces":"app.v1.0.0","skips":["app.v1.0.1"]}]"#
    );
}

#[test]
fn channels_by_version() {
    let world = world();
    for (version, channels) in [
        ("1.0.0", "candidate,stable"),
        ("1.0.1", "candidate,stable"),
        ("1.1.0", "candidate,stable"),
        // A fix of an older version.
        ("1.0.2", "candidate"),
        ("2.0.0", "candidate"),
    ] {
        add(
            &world,
            version,
            &format!("--semver=both --channels {channels}"),
        );
    }
    for (channel, expected) in [
        (
            "stable-v1",
            r#"[{"name":"app.v1.0.0"},{"name":"app.v1.0.1","skips":["app.v1.0.0"]},{"name":"app.v1.1.0","replaces":"app.v1.0.1","skips":["app.v1.0.0"]}]"#,
        ),
        (
            "stable-v1.0",
            r#"[{"name":"app.v1.0.0"},{"name":"app.v1.0.1","skips":["app.v1.0.0"]}]"#,
        ),
        (
            "stable-v1.1",
            r#"[{"name":"app.v1.1.0","replaces":"app.v1.0.1","skips":["app.v1.0.0"]}]"#,
        ),
        (
            "candidate-v1.0",
            r#"[{"name":"app.v1.0.0"},{"name":"app.v1.0.1"},{"name":"app.v1.0.2","skips":["app.v1.0.0","app.v1.0.1"]}]"#,
        ),
        (
            "candidate-v1.1",
            r#"[{"name":"app.v1.1.0","replaces":"app.v1.0.2","skips":["app.v1.0.0","app.v1.0.1"]}]"#,
        ),
        ("candidate-v2", r#"[{"name":"app.v2.0.0"}]"#),
    ] {
        assert_eq!(entries(&world, channel).to_string(), expected, "{channel}");
    }
    let text = world.read(FILE);
    assert!(text.contains("defaultChannel: stable-v1.1\n"), "{text}");
}

/// Whoever wrote the catalog, nothing of it is lost.
#[test]
fn comments_order_and_unknown_fields_stay() {
    let world = world();
    let text = "\
# The catalog of the team.
schema: olm.package # ours
unknown: {a: [1, 2]}
name: app
description: |
  Text with
  ---- in it.
---
entries:
  # The first.
  - name: app.v0.9.0 # old
    x-note: \"kept\"
  # Behind the last.
name: stable
package: app
schema: olm.channel
---
schema: olm.channel
package: app
name: fast
entries: [ {name: app.v0.9.0} ]
---
schema: olm.bundle
name: app.v0.9.0
package: app
image: example.com/b:v0.9.0
properties: [{type: olm.package, value: {packageName: app, version: 0.9.0}}]
# The end.
---
schema: example.com/other
";
    for line_end in ["\n", "\r\n"] {
        world.write(FILE, &text.replace('\n', line_end));
        let line = "catalog add bundle --image example.com/b:v1.0.0 --channels stable,fast,new";
        world.rop(line).ok();
        world.rop("catalog validate").ok();
        let after = world.read(FILE).replace(line_end, "\n");
        let mut rest = after.lines();
        for kept in text.lines().filter(|line| !line.starts_with("entries: [")) {
            assert!(rest.any(|line| line == kept), "{kept:?} in {after}");
        }
        let added = similar_lines(text, &after);
        insta::allow_duplicates! {
            insta::assert_snapshot!(added, @r#"
            +defaultChannel: stable
            +  - name: app.v1.0.0
            +    replaces: app.v0.9.0
            -entries: [ {name: app.v0.9.0} ]
            +entries: [ {name: app.v0.9.0} , {"name":"app.v1.0.0","replaces":"app.v0.9.0"}]
            +---
            +schema: olm.channel
            +package: app
            +name: new
            +entries:
            +- name: app.v1.0.0
            "#);
        }
        world.rop(line).did_nothing();
    }
}

/// The lines that a text has and another has not, up to the bundle.
fn similar_lines(before: &str, after: &str) -> String {
    let diff = similar::TextDiff::from_lines(before, after);
    let changes = diff.iter_all_changes();
    let changes = changes.filter(|change| change.tag() != similar::ChangeTag::Equal);
    let lines = changes.map(|change| format!("{}{change}", change.tag()));
    lines
        .take_while(|line| !line.contains("olm.bundle"))
        .collect()
}

#[test]
fn edges_that_somebody_edited_stay() {
    let world = world();
    add(&world, "1.0.0", "--semver --channels stable");
    add(&world, "1.0.1", "--semver --channels stable");
    world.replace(
        FILE,
        "  skips:\n  - app.v1.0.0\n",
        "  replaces: app.v1.0.0 # by hand\n",
    );
    bundle(&world, "1.0.2");
    let outcome = world
        .rop("catalog add bundle --semver --channels stable")
        .ok();
    assert!(
        outcome.stderr.contains("was edited, so it is kept"),
        "{outcome}"
    );
    assert!(world.read(FILE).contains("replaces: app.v1.0.0 # by hand"));
}

/// A catalog with two versions.
fn filled() -> World {
    let world = world();
    add(&world, "1.0.0", "");
    add(&world, "1.1.0", "");
    world
}

/// Runs a command that must fail and leave everything as it was.
#[track_caller]
fn refused(world: &World, line: &str, code: i32) -> Outcome {
    let tree = world.tree();
    let outcome = world.rop(line).exits(code);
    assert_eq!(world.tree(), tree, "{outcome}");
    outcome
}

#[test]
fn bad_flags() {
    let world = filled();
    let refused = |line: &str, code: i32| refused(&world, line, code);
    // A changed bundle of a version that is there.
    world.replace(
        "bundle/manifests/example.com_apps.yaml",
        "  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n",
        "",
    );
    insta::assert_snapshot!(refused("catalog add bundle --image example.com/b:other", 2), @"
    exit: 2
    --- stderr
    error[already-exists]: cannot add `app.v1.1.0`
      caused by: the bundle `app.v1.1.0` is in the catalog already (catalog/app/catalog.yaml:95), and differs:
      `image` is `example.com/b:v1.1.0` there and `example.com/b:other` here
      `properties` differ in the type `olm.gvk`
      `relatedImages` differ in the image `example.com/b:other`, `example.com/b:v1.1.0`
    hint: a published version does not change: raise the version; if nobody has it yet, remove its `olm.bundle` first
    ");
    bundle(&world, "1.0.5");
    insta::assert_snapshot!(refused("catalog add bundle", 2), @"
    exit: 2
    --- stderr
    error[invalid-name]: cannot add `app.v1.0.5`
      caused by: the version 1.0.5 of `app.v1.0.5` is not higher than 1.1.0, that of `app.v1.1.0`, the head of the channel `stable`
    hint: to upgrade those who stay on 1.0, add it to a channel of that version: `--channels stable-v1.0 --skip-range '>=1.0.0 <1.0.5'`
    hint: to have it in `stable`, first add it to `skips` of `app.v1.1.0` (catalog/app/catalog.yaml:11)
    ");
    bundle(&world, "1.2.0");
    insta::assert_snapshot!(refused("catalog add bundle --replaces app.v1.0.0", 1), @"
    exit: 1
    --- stderr
    error[invalid-catalog]: cannot add `app.v1.2.0`
      caused by: the catalog would break a rule with `app.v1.2.0`:
      catalog/app/catalog.yaml:13: the channel `stable` has 2 heads: `app.v1.1.0`, `app.v1.2.0` [channel-several-heads]
          field: entries[2].name
          hint: let the newest entry replace or skip the other heads
    hint: choose the entry that it follows with `--replaces`, `--skips` or `--semver`
    ");
    bundle(&world, "1.0.5");
    insta::assert_snapshot!(refused("catalog add bundle --semver --channels beta", 2), @"
    exit: 2
    --- stderr
    error[invalid-name]: cannot add `app.v1.0.5`
      caused by: semver channels have a tier, and `beta` is none
    hint: use `candidate`, `fast` or `stable`, as in `--channels candidate`
    ");
    insta::assert_snapshot!(refused("catalog add bundle --skip-range ^1.0.0", 2), @"
    exit: 2
    --- stderr
    error[invalid-name]: cannot add `app.v1.0.5`
      caused by: the range `^1.0.0` has the unknown operator `^`
    hint: write for example `>=1.0.0 <1.2.0`: a blank means AND, `||` OR
    ");
    refused("catalog add bundle --semver --replaces x", 2);
    refused("catalog add catalog", 1);
    refused("catalog add bundle --catalog nowhere", 1);
}

/// Each way that the hints name works.
#[test]
fn a_lower_version_has_a_place() {
    let add = |world: &World, flags: &[&str]| {
        let line = ["catalog", "add", "bundle"].iter().chain(flags);
        world.rop_in(".", &line.copied().collect::<Vec<_>>())
    };
    let below = "is not higher than 1.1.0, that of `app.v1.1.0`, the head of the channel `stable`";
    // A channel of its own.
    let world = filled();
    bundle(&world, "1.0.5");
    for flags in [&[][..], &["--replaces", "app.v1.0.0"]] {
        add(&world, flags).exits(2).says(below);
    }
    let flags = [
        "--channels",
        "stable-v1.0",
        "--skip-range",
        ">=1.0.0 <1.0.5",
    ];
    add(&world, &flags).ok().omits("names no entry");
    world.rop("catalog validate").ok();
    // There, too, a version can be lower than the head.
    bundle(&world, "1.0.4");
    let refused = add(&world, &flags[..2]).exits(2);
    refused
        .says("the head of the channel `stable-v1.0`")
        .says("hint: to have it in `stable-v1.0`, first add it to `skips` of `app.v1.0.5`")
        .omits("--channels");
    world.replace(
        FILE,
        "  skipRange: \">=1.0.0 <1.0.5\"\n",
        "  skips: [app.v1.0.4]\n",
    );
    add(&world, &flags[..2]).ok();
    let first = &entries(&world, "stable-v1.0")[1];
    assert_eq!(first.to_string(), r#"{"name":"app.v1.0.4"}"#);
    world.rop("catalog validate").ok();
    // Skipped by the head.
    let world = filled();
    world.replace(
        FILE,
        "- name: app.v1.1.0\n",
        "- name: app.v1.1.0\n  skips: [app.v1.0.5]\n",
    );
    bundle(&world, "1.0.5");
    add(&world, &[]).ok();
    assert_eq!(entries(&world, "stable")[2]["replaces"], "app.v1.0.0");
    world.rop("catalog validate").ok();
    // The same version under another name.
    bundle(&world, "1.1.0");
    let path = "bundle/manifests/app.clusterserviceversion.yaml";
    world.replace(path, "name: app.v1.1.0\n", "name: app.v1.1.0-again\n");
    let same = add(&world, &["--replaces", "app.v1.0.0"]).exits(2);
    same.says("hint: raise the version of the bundle");
}

/// A hint is a command that is pasted, and others wrote the bundle.
#[test]
fn a_hint_runs_no_name() {
    let world = world();
    world.replace(
        "bundle/metadata/annotations.yaml",
        "package.v1: app",
        "package.v1: \"app$(touch x);'b\\e[2J\"",
    );
    world
        .rop("catalog add bundle")
        .exits(1)
        .says("hint: a new package cannot have this name: only lowercase letters, digits and `-` are allowed, not '$'");
}

/// Channels are in labels of images.
#[test]
fn bad_channels() {
    let world = filled();
    bundle(&world, "1.2.0");
    let before = world.tree();
    for name in ["", " ", "a b", "a\nb", "\u{1b}[2J", "a/b"] {
        let add = ["catalog", "add", "bundle", "--channels", name];
        let init = ["catalog", "init", "other", "--default-channel", name];
        for (line, flag) in [
            (add, "--channels candidate,stable"),
            (init, "--default-channel stable"),
        ] {
            let outcome = world.rop_in(".", &line).exits(2);
            outcome
                .says("error[invalid-name]")
                .says("invalid channel `")
                .says(flag);
        }
    }
    assert_eq!(world.tree(), before);
    let annotations = "bundle/metadata/annotations.yaml";
    world.replace(annotations, "v1: stable", "v1: \"a\\tb\"");
    refused(&world, "catalog add bundle", 2)
        .says("invalid channel `a")
        .says("in `metadata/annotations.yaml`");
    // A channel that others wrote stays usable.
    world.replace(FILE, "name: stable\n", "name: the stable\n");
    world.replace(FILE, "defaultChannel: stable", "defaultChannel: the stable");
    let channels = "the stable,the stable";
    world
        .rop_in(".", &["catalog", "add", "bundle", "--channels", channels])
        .ok();
    let entries = entries(&world, "the stable");
    assert_eq!(entries.as_array().map(Vec::len), Some(3), "{entries}");
}

/// opm allows edges to bundles that no channel has: they may be published elsewhere, or misspelled.
#[test]
fn edges_to_nothing_are_named() {
    let world = filled();
    bundle(&world, "1.2.0");
    let line = "catalog add bundle --channels stable,new --skips app.v1.1.1,app.v1.1.0 --replaces app.v1.0.0";
    let outcome = world.rop(line).ok();
    insta::assert_snapshot!(notes(&outcome), @"
    note: `--skips app.v1.1.1` names no entry of the channel `stable` in catalog/app/catalog.yaml: did you mean `app.v1.1.0`?
    note: `--replaces app.v1.0.0` names no entry of the channel `new` in catalog/app/catalog.yaml: check the name, or add that bundle first
    note: `--skips app.v1.1.1` names no entry of the channel `new` in catalog/app/catalog.yaml: check the name, or add that bundle first
    note: `--skips app.v1.1.0` names no entry of the channel `new` in catalog/app/catalog.yaml: check the name, or add that bundle first
    ");
    for flag in ["--replaces", "--skips"] {
        bundle(&world, "1.3.0");
        let outcome = world.rop_in(".", &["catalog", "add", "bundle", flag, "app v1"]);
        outcome.exits(2).says("invalid name of a bundle `app v1`");
    }
}

/// The notes on edges.
fn notes(outcome: &Outcome) -> String {
    let lines = outcome
        .stderr
        .lines()
        .filter(|line| line.contains("names no entry"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Others may have published it: it is not refused.
#[test]
fn a_bundle_that_olm_refuses_is_named() {
    let world = world();
    let csv = "bundle/manifests/app.clusterserviceversion.yaml";
    world.replace(csv, "strategy: deployment", "strategy: helm");
    insta::assert_snapshot!(world.rop("catalog add bundle").ok(), @"
    exit: 0
    --- stderr
    note: `bundle` has 1 error and 2 warnings; `bundle/manifests/app.clusterserviceversion.yaml:20`: unknown install strategy `helm`; `rop bundle validate bundle` shows how to fix them
    note: `app.v1.0.0` is in the channel `stable`
       update catalog/app/catalog.yaml

    next:
      rop catalog validate catalog
      rop catalog build catalog --image REGISTRY/CATALOG:TAG --push
    ");
}

#[test]
fn bad_bundles() {
    let world = filled();
    let refused = |line: &str, code: i32| refused(&world, line, code);
    for (file, from, to) in [
        (
            "manifests/app.clusterserviceversion.yaml",
            "version: 1.0.5",
            "version: v1",
        ),
        (
            "manifests/app.clusterserviceversion.yaml",
            "name: app.v1.0.5",
            "name: App_1",
        ),
        (
            "manifests/app.clusterserviceversion.yaml",
            "version: v1, kind: App}",
            "version: v2, kind: App}",
        ),
        ("manifests/app.clusterserviceversion.yaml", "'[{", "'[["),
        (
            "manifests/example.com_apps.yaml",
            "kind: CustomResourceDefinition\n",
            "",
        ),
        ("manifests/example.com_apps.yaml", "spec:", "---\nspec:"),
        ("manifests/example.com_apps.yaml", "spec:", "spec: ["),
        ("metadata/annotations.yaml", "package.v1", "package.v2"),
        ("metadata/annotations.yaml", "annotations:", "other:"),
    ] {
        bundle(&world, "1.0.5");
        world.replace(&format!("bundle/{file}"), from, to);
        refused("catalog add bundle --replaces app.v1.1.0", 1);
    }
}

/// What `rop bundle validate` cannot read, `rop catalog add` cannot, with the same file and line.
#[test]
fn unreadable_bundles() {
    let world = filled();
    let crd = "bundle/manifests/example.com_apps.yaml";
    for (file, text, place, reason) in [
        (
            crd,
            "kind: A\nkind: B\n",
            "`manifests/example.com_apps.yaml:2`",
            "`kind` is set twice in the same object",
        ),
        (
            crd,
            "kind: A\nspec:\n  a: 1\n  a: 2\n",
            "`manifests/example.com_apps.yaml:4`",
            "`spec.a` is set twice in the same object",
        ),
        (
            crd,
            "kind: A\na: [\n",
            "`manifests/example.com_apps.yaml:2`",
            "the file is not valid YAML",
        ),
        (
            crd,
            "kind: A\n---\nkind: B\n",
            "`manifests/example.com_apps.yaml:2`",
            "OLM v0 reads only the first",
        ),
        (
            "bundle/manifests/other.yaml",
            "kind: ClusterServiceVersion\n",
            "`manifests/other.yaml`",
            "it is the second ClusterServiceVersion",
        ),
        (
            "bundle/metadata/annotations.yaml",
            "annotations: {}\n",
            "`metadata/annotations.yaml`",
            "the annotation `operators.operatorframework.io.bundle.package.v1` is missing",
        ),
    ] {
        bundle(&world, "1.0.5");
        world.write(file, text);
        let outcome = refused(&world, "catalog add bundle", 1);
        outcome.says(place).says(reason);
        std::fs::remove_dir_all(world.path().join("bundle")).expect("a bundle");
    }
    // opm ignores these too.
    bundle(&world, "1.2.0");
    world.write("bundle/manifests/.hidden", "[");
    world.write("bundle/manifests/folder/a.yaml", "[");
    world.write("bundle/metadata/README.md", "# Text: [\n");
    world.rop("catalog add bundle").ok();
}

#[test]
fn bad_catalogs() {
    let world = filled();
    let refused = |line: &str, code: i32| refused(&world, line, code);
    bundle(&world, "1.2.0");
    let (text, json) = (
        world.read(FILE),
        r#"{"schema": "olm.package", "name": "app"}"#,
    );
    world.write(FILE, json);
    insta::assert_snapshot!(refused("catalog add bundle", 1), @"
    exit: 1
    --- stderr
    error[uneditable-yaml]: cannot add `app.v1.2.0`
      caused by: cannot edit the document at catalog/app/catalog.yaml:1: it is written as JSON
    hint: write it in the block style of YAML, one field a line
    ");
    world.write(FILE, &text.replace("package: app\n", "package: [\n"));
    refused("catalog add bundle", 1);
    world.write(FILE, &text.replace("name: app\n", "name: other\n"));
    insta::assert_snapshot!(refused("catalog add bundle", 1), @"
    exit: 1
    --- stderr
    error[invalid-catalog]: cannot add `app.v1.2.0`
      caused by: the catalog has no package `app`
    hint: create it first: `rop catalog init app`
    ");
    // No link of a bundle leads out of it.
    world.write(FILE, &text);
    std::fs::remove_file(world.path().join("bundle/manifests/example.com_apps.yaml"))
        .expect("a file");
    world.write("secret.yaml", CRD);
    let link = world.path().join("bundle/manifests/example.com_apps.yaml");
    std::os::unix::fs::symlink("../../secret.yaml", link).expect("a link");
    refused("catalog add bundle", 1);
}

/// Whatever way the channel and the default are written, the bundle gets in or nothing is written.
#[test]
fn forms_of_yaml() {
    let package = "schema: olm.package\nname: app\n";
    let channel = "schema: olm.channel\npackage: app\nname: stable\n";
    for (head, entries, is_editable) in [
        ("", "entries:\n", true),
        ("", "entries: []\n", true),
        ("", "", true),
        ("", "entries: # none\n", true),
        ("defaultChannel:\n", "entries: null\n", false),
        ("defaultChannel :\n", "entries:\n", true),
        ("defaultChannel: # none\n", "entries:\n", true),
        ("defaultChannel: ''\n", "\"entries\":\n\n", true),
        ("x: &a []\n", "y: &b []\nentries: *b\n", false),
    ] {
        let world = World::new();
        bundle(&world, "1.0.0");
        let text = format!("{package}{head}---\n{channel}{entries}");
        world.write(FILE, text.trim_end());
        let outcome = world.rop("catalog add bundle --image example.com/b:v1");
        assert_eq!(outcome.code == 0, is_editable, "{text}: {outcome}");
        if is_editable {
            drop(world.rop("catalog validate").ok());
        } else {
            assert_eq!(world.read(FILE), text.trim_end());
        }
    }
}
