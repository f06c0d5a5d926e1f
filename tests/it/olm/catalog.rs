//! Catalogs as folders and as images, whoever wrote them.

use std::os::unix::fs::symlink;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::support::World;

pub(super) const BUNDLE: &str = "\
schema: olm.bundle
name: a.v1.0.0
package: a
image: example.com/a:v1.0.0
properties:
- {type: olm.package, value: {packageName: a, version: 1.0.0}}
";

const CATALOG: &str = "\
schema: olm.package
name: a
defaultChannel: stable
---
schema: olm.channel
package: a
name: stable
entries: [{name: a.v1.0.0}]
---
";

fn world() -> World {
    let world = World::new();
    world.write("catalog/a/catalog.yaml", &format!("{CATALOG}{BUNDLE}"));
    world
}

#[test]
fn init() {
    let world = World::new();
    world.write("icon.svg", "<svg/>");
    world.write("about.md", "# App\n\nText.\n");
    let line = "catalog init app --default-channel stable --icon icon.svg --description about.md";
    insta::assert_snapshot!(world.rop(line).ok(), @"
    exit: 0
    --- stderr
       create catalog/app/catalog.yaml

    next:
      rop catalog add BUNDLE_DIR --image REGISTRY/BUNDLE:TAG
    ");
    insta::assert_snapshot!(world.read("catalog/app/catalog.yaml"), @"
    ---
    schema: olm.package
    name: app
    defaultChannel: stable
    description: |
      # App

      Text.
    icon:
      base64data: PHN2Zy8+
      mediatype: image/svg+xml
    ");
    world.rop(line).did_nothing();
    world.rop("catalog init app").did_nothing();
    insta::assert_snapshot!(world.rop("catalog init app --default-channel fast").exits(2), @"
    exit: 2
    --- stderr
    error[already-exists]: the package `app` is in the catalog already, with another `defaultChannel` (catalog/app/catalog.yaml:4)
    hint: leave the flag out, or edit the file
    ");
    // Another package beside it.
    world.rop("catalog init other --output catalog").ok();
    assert_eq!(world.tree().len(), 4);
}

#[test]
fn init_refuses() {
    let world = World::new();
    world.write("icon.svg", "no image");
    for line in [
        "catalog init App",
        "catalog init app --icon icon.svg",
        "catalog init app --icon none.svg",
        "catalog init app --output /",
    ] {
        let outcome = world.rop(line);
        assert!([1, 2].contains(&outcome.code), "{outcome}");
        assert_eq!(world.tree().len(), 1, "{outcome}");
    }
    world.rop("catalog init app --dry-run").ok();
    assert_eq!(world.tree().len(), 1);
}

/// In a project its folder is what holds PROJECT, wherever rop is run.
#[test]
fn a_catalog_of_a_project() {
    let world = World::without_runtime();
    world
        .rop_in(
            "config",
            &["catalog", "init", "app", "--output", "../catalog"],
        )
        .ok();
    assert!(world.path().join("catalog/app/catalog.yaml").is_file());
    world.rop("generate project").did_nothing();
}

#[test]
fn files_that_are_excluded() {
    let world = world();
    world.write("catalog/README.md", "# A\n\nText: [\n");
    world
        .rop("catalog validate")
        .exits(1)
        .says("catalog/README.md:");
    world.write("catalog/.indexignore", "*.md\n/tmp/\n");
    world.write("catalog/tmp/x", "[");
    world.rop("catalog validate").ok();
}

#[test]
fn links_out_of_the_catalog() {
    let world = world();
    world.write("secret.yaml", "schema: other\n");
    symlink("../secret.yaml", world.path().join("catalog/link.yaml")).expect("a link");
    insta::assert_snapshot!(world.rop("catalog validate").exits(1), @"
    exit: 1
    --- stderr
    error[invalid-catalog]: the catalog `catalog` has 1 error:
      catalog/link.yaml: a link leads out of the catalog [file-unreadable]
        hint: replace the file, or name it in `.indexignore`
    ");
    world.rop("catalog build --image a/b:v1").exits(1);
    assert!(!world.path().join("target").exists());
}

/// opm cannot read them either, or waits for ever.
#[test]
fn what_is_no_file_of_a_catalog_is_named() {
    let world = world();
    let catalog = world.path().join("catalog");
    symlink("nothing.yaml", catalog.join("broken.yaml")).expect("a link");
    symlink("/dev/zero", catalog.join("endless.yaml")).expect("a link");
    let pipe = std::process::Command::new("mkfifo")
        .arg(catalog.join("pipe.yaml"))
        .status();
    assert!(pipe.expect("mkfifo runs").success());
    let outcome = world.rop("catalog validate").exits(1);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
    error[invalid-catalog]: the catalog `catalog` has 3 errors:
      catalog/broken.yaml: it is a link to nothing [file-unreadable]
        hint: replace the file, or name it in `.indexignore`
      catalog/endless.yaml: a link leads out of the catalog [file-unreadable]
        hint: replace the file, or name it in `.indexignore`
      catalog/pipe.yaml: failed to read `catalog/pipe.yaml`: it is not a regular file [file-unreadable]
        hint: replace the file, or name it in `.indexignore`
    ");
    world.write(
        "catalog/.indexignore",
        "broken.yaml\nendless.yaml\npipe.yaml\n",
    );
    world.rop("catalog validate").ok();
}

/// Nothing that a catalog holds hangs rop, ends its stack or steers the terminal.
#[test]
fn hostile_catalogs() {
    let deep = format!("a: {}{}", "[".repeat(100_000), "]".repeat(100_000));
    let aliases = format!(
        "a: &a [x, x]\nb: &b [{}]\nc: [{}]",
        "*a, ".repeat(5000),
        "*b, ".repeat(5000)
    );
    let many: String = (0..20_000)
        .map(|i| format!("- {{name: a{i}, replaces: a{}}}\n", i + 1))
        .collect();
    let chain = format!(
        "{CATALOG}{BUNDLE}---\nschema: olm.channel\npackage: a\nname: long\nentries:\n{many}"
    );
    for text in [
        &*deep,
        &aliases,
        &chain,
        "schema: [\n",
        "- 1\n---\n1\n",
        "{\"schema\": \"olm.bundle\"} {",
        "schema: olm.channel\nentries: {a: b}\nname: {}\npackage: \"\\e[2J\\u202e\"\n",
        "schema: olm.bundle\nproperties: [1, [], {type: olm.package, value: 3}]\n",
        "schema: olm.deprecations\nentries: [1, {reference: 2}]\n",
    ] {
        let world = World::new();
        world.write("catalog/a.yaml", text);
        for line in ["catalog validate", "catalog validate --json"] {
            let outcome = world.rop(line).exits(1);
            for printed in [&outcome.stdout, &outcome.stderr] {
                let hidden = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
                assert!(!printed.contains(hidden), "{printed:?}");
            }
        }
    }
    let world = World::new();
    std::fs::create_dir_all(world.path().join("catalog")).expect("a folder");
    std::fs::write(world.path().join("catalog/a.yaml"), [0xff, 0xfe]).expect("a file");
    world
        .rop("catalog validate")
        .exits(1)
        .says("file-unreadable");
}

/// The blob of a layout that a descriptor names.
pub(super) fn blob(layout: &Path, descriptor: &Value) -> Vec<u8> {
    let digest = descriptor["digest"].as_str().expect("a digest");
    let file = layout.join("blobs").join(digest.replace(':', "/"));
    std::fs::read(file).expect("a blob")
}

pub(super) fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

#[test]
fn an_image() {
    let world = world();
    world.write("catalog/.indexignore", "*.md\n");
    world.write("catalog/README.md", "text");
    let line =
        "catalog build --image example.com/cat:v1 --platform linux/amd64 --label a=b --output oci:";
    let first = world.rop(&format!("{line}one")).ok();
    let second = world.rop(&format!("{line}two")).ok();
    assert_eq!(first.stdout, second.stdout);
    let layout = world.path().join("one");
    let index = json(&std::fs::read(layout.join("index.json")).expect("an index"));
    let manifest = json(&blob(&layout, &index["manifests"][0]));
    let mut config = json(&blob(&layout, &manifest["config"]));
    config["rootfs"]["diff_ids"] = Value::Null;
    insta::assert_snapshot!(format!("{config:#}"), @r#"
    {
      "architecture": "amd64",
      "config": {
        "Labels": {
          "a": "b",
          "operators.operatorframework.io.index.configs.v1": "/configs",
          "org.opencontainers.image.created": "1970-01-01T00:00:00Z"
        }
      },
      "created": "1970-01-01T00:00:00Z",
      "history": [
        {
          "created": "1970-01-01T00:00:00Z",
          "created_by": "rop 0.1.0: the catalog"
        }
      ],
      "os": "linux",
      "rootfs": {
        "diff_ids": null,
        "type": "layers"
      }
    }
    "#);
    let layer = blob(&layout, &manifest["layers"][0]);
    let mut archive = tar::Archive::new(GzDecoder::new(&*layer));
    let entries = archive.entries().expect("an archive").map(|entry| {
        let entry = entry.expect("an entry");
        let header = entry.header();
        let path = entry.path().expect("a path").display().to_string();
        format!(
            "{:o} {} {path}",
            header.mode().expect("a mode"),
            header.mtime().expect("a time")
        )
    });
    assert_eq!(
        entries.collect::<Vec<_>>(),
        [
            "755 0 configs/",
            "644 0 configs/.indexignore",
            "755 0 configs/a/",
            "644 0 configs/a/catalog.yaml",
        ]
    );
    let mut archive = tar::Archive::new(GzDecoder::new(&*layer));
    let mut files = archive.entries().expect("an archive");
    let file = files.find_map(|entry| {
        let entry = entry.expect("an entry");
        let is_catalog = entry.path().expect("a path").ends_with("catalog.yaml");
        is_catalog.then(|| std::io::read_to_string(entry).expect("text"))
    });
    assert_eq!(
        file.as_deref(),
        Some(&*world.read("catalog/a/catalog.yaml"))
    );
}

#[test]
fn what_building_says() {
    let world = world();
    let mut build = world.command(".");
    let build =
        build.args("catalog build --image example.com/cat:v1 --platform linux/arm64".split(' '));
    let outcome = world.run(build).ok().to_string();
    let digest = outcome
        .split("sha256:")
        .nth(1)
        .and_then(|it| it.get(..64))
        .expect("a digest");
    insta::assert_snapshot!(outcome.replace(digest, "[DIGEST]"), @r#"
    exit: 0
    --- stdout
    example.com/cat@sha256:[DIGEST]
    --- stderr
        write docker-archive:[DIR]/app-operator/target/image/cat.tar
         done example.com/cat:v1 (0.0 MB, 0.0 MB unpacked)
    note: a CatalogSource needs `image: example.com/cat:v1` and `grpcPodConfig: {"extractContent":{"catalogDir":"/configs"}}`; a ClusterCatalog needs `ref: example.com/cat:v1`

    next:
      rop catalog build --image example.com/cat:v1 --push
    "#);
    insta::assert_snapshot!(world.rop("catalog build --image example.com/cat:v1 --push --dry-run").ok(), @"
    exit: 0
    --- stdout
        build example.com/cat:v1 without an engine
         push example.com/cat:v1
    --- stderr
    note: dry run: nothing was built
    ");
    for (line, says) in [
        ("--image cat --push", "needs a registry"),
        ("--image example.com/cat@sha256:0 --push", "hex digits"),
        (
            "--image a/b --platform linux/amd64,linux/arm64 --output docker-archive:x",
            "one platform",
        ),
    ] {
        world
            .rop(&format!("catalog build {line}"))
            .exits(2)
            .says(says);
    }
    world.write("catalog/b.yaml", "a: b\n");
    insta::assert_snapshot!(world.rop("catalog build --image a/b").exits(1), @"
    exit: 1
    --- stderr
    error[invalid-catalog]: the catalog is invalid, so no image was built
      caused by: the catalog `catalog` has 1 error:
      catalog/b.yaml:1: the document has no `schema` [schema-missing]
          hint: add `schema: olm.package`, `olm.channel`, `olm.bundle` or `olm.deprecations`, or name the file in `.indexignore`
    ");
}
