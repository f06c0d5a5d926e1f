//! Images as files, and what the tools of others make of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{Quick, SHA, digest, json};
use crate::support::tools::tools;

/// The type of what rop attaches to an image.
const SPDX: &str = "application/spdx+json";

/// A document of a layout.
fn blob(layout: &Path, digest: &Value) -> Value {
    let digest = digest.as_str().and_then(|digest| digest.strip_prefix(SHA));
    let file = layout.join("blobs/sha256").join(digest.expect("a digest"));
    serde_json::from_slice(&std::fs::read(file).expect("a blob")).expect("JSON")
}

fn index(layout: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(layout.join("index.json")).expect("an index"))
        .expect("JSON")
}

/// Where nothing else is asked for: a file, and how to load it.
#[test]
fn a_file_below_target() {
    let quick = Quick::new();
    let outcome = quick.rop("build example.com/app:v1 --engine none").ok();
    let text = outcome.to_string().replace(&digest(&outcome), "[DIGEST]");
    insta::assert_snapshot!(text, @"
    exit: 0
    --- stdout
    example.com/app@[DIGEST]
    --- stderr
     building the operator for linux/amd64
      packing the image for linux/amd64
        write docker-archive:[DIR]/app-operator/target/image/app-operator.tar
         done example.com/app:v1 (0.1 MB, 0.1 MB unpacked)

    next:
      docker load --input target/image/app-operator.tar
      podman load --input target/image/app-operator.tar
      kind load image-archive target/image/app-operator.tar
      rop build --push example.com/app:v1
    ");
    assert!(
        quick
            .world
            .path()
            .join("target/image/app-operator.tar")
            .is_file()
    );
    let leftover = std::fs::read_dir(quick.world.path().join("target/image")).expect("a folder");
    assert_eq!(leftover.count(), 1);
}

#[test]
fn what_an_image_says_of_itself() {
    let quick = Quick::new();
    quick.rop("build example.com/app:v1 --engine none --output oci:out --label a=b --label org.opencontainers.image.title=x").ok();
    let layout = quick.world.path().join("out");
    let manifest = blob(&layout, &index(&layout)["manifests"][0]["digest"]);
    let mut config = blob(&layout, &manifest["config"]["digest"]);
    assert_eq!(
        config["rootfs"]["diff_ids"].as_array().map(Vec::len),
        Some(1)
    );
    config["rootfs"]["diff_ids"] = json!(["[DIFF]"]);
    config["architecture"] = json!("[ARCH]");
    insta::assert_snapshot!(format!("{config:#}"), @r#"
    {
      "architecture": "[ARCH]",
      "config": {
        "Entrypoint": [
          "/manager"
        ],
        "Env": [
          "PATH=/"
        ],
        "Labels": {
          "a": "b",
          "org.opencontainers.image.created": "2023-11-14T22:13:20Z",
          "org.opencontainers.image.title": "x",
          "org.opencontainers.image.version": "0.1.0"
        },
        "User": "65532:65532",
        "WorkingDir": "/"
      },
      "created": "2023-11-14T22:13:20Z",
      "history": [
        {
          "created": "2023-11-14T22:13:20Z",
          "created_by": "rop 0.1.0: the operator and what it needs"
        }
      ],
      "os": "linux",
      "rootfs": {
        "diff_ids": [
          "[DIFF]"
        ],
        "type": "layers"
      }
    }
    "#);
    assert_eq!(manifest["annotations"], config["config"]["Labels"]);
}

/// A cloned project can have a link that leads out of it, which is known before anything is compiled.
#[test]
fn a_target_directory_elsewhere() {
    let quick = Quick::new();
    let outside = quick.world.path().with_file_name("outside");
    std::fs::create_dir_all(&outside).expect("a folder");
    let link = quick.world.path().join("target/image");
    std::fs::create_dir_all(quick.world.path().join("target")).expect("a folder");
    std::os::unix::fs::symlink(&outside, link).expect("a link");
    let refused = quick.rop("build a --engine none").exits(1);
    refused.says("`target/image` points out of the project, to ");
    assert_eq!(quick.builds(), Vec::<String>::new());
    assert_eq!(std::fs::read_dir(&outside).expect("a folder").count(), 0);
}

/// The commit is in it, and whether the sources are those of the commit.
#[test]
fn the_commit() {
    let quick = Quick::new();
    let git = |arguments: &str| {
        let mut git = Command::new("git");
        git.args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments.split(' '))
        .env("GIT_COMMITTER_DATE", "1600000000 +0000")
        .current_dir(quick.world.path());
        quick.world.run(&mut git).ok().stdout.trim().to_owned()
    };
    git("init --quiet");
    git("add .");
    git("commit --quiet --message x");
    let labels = || {
        let mut build = quick.command("build a --engine none --output oci:target/out --label x=y");
        quick.world.run(build.env_remove("SOURCE_DATE_EPOCH")).ok();
        let layout = quick.world.path().join("target/out");
        let manifest = blob(&layout, &index(&layout)["manifests"][0]["digest"]);
        blob(&layout, &manifest["config"]["digest"])
    };
    let (head, config) = (git("rev-parse HEAD"), labels());
    assert_eq!(
        config["config"]["Labels"]["org.opencontainers.image.revision"],
        *head
    );
    assert_eq!(config["created"], "2020-09-13T12:26:40Z");
    quick.world.write("src/other.rs", "");
    let revision = labels()["config"]["Labels"]["org.opencontainers.image.revision"].clone();
    assert_eq!(revision, *format!("{head}-dirty"));
    let mut build = quick.command("build a --engine none");
    let outcome = quick.world.run(build.env("SOURCE_DATE_EPOCH", "today"));
    insta::assert_snapshot!(outcome.exits(2), @"
    exit: 2
    --- stderr
    error[invalid-timestamp]: invalid SOURCE_DATE_EPOCH `today`: expected seconds since 1970
    hint: for example `date +%s` prints the current time
    ");
}

/// The form changes nothing about the image, and neither does a second time.
#[test]
fn the_same_image_in_each_form() {
    let quick = Quick::new();
    let build = |output: &str| {
        let arguments = format!("build example.com/app:v1 --engine none --output {output}");
        digest(&quick.rop(&arguments).ok())
    };
    let first = build("oci:dir");
    assert_eq!(build("oci-archive:oci.tar"), first);
    assert_eq!(build("docker-archive:docker.tar"), first);
    let read = |name: &str| std::fs::read(quick.world.path().join(name)).expect("a file");
    assert_eq!(
        read("oci.tar"),
        read("docker.tar"),
        "tools of both sorts read it"
    );
    quick.compiles_to("two");
    assert_ne!(build("oci:dir"), first);

    let Some([skopeo]) = tools(["skopeo"]) else {
        return;
    };
    for name in [
        "oci-archive:oci.tar:example.com/app:v1",
        "docker-archive:docker.tar:example.com/app:v1",
    ] {
        let mut inspect = Command::new(&skopeo);
        inspect
            .args(["inspect", "--config", name])
            .current_dir(quick.world.path());
        assert_eq!(
            json(&mut inspect)["config"]["User"],
            "65532:65532",
            "{name}"
        );
    }
    let mut raw = Command::new(&skopeo);
    raw.args(["manifest-digest"]).arg(
        quick
            .world
            .path()
            .join("dir/blobs/sha256")
            .join(&first[SHA.len()..]),
    );
    assert_eq!(quick.world.run(&mut raw).ok().stdout.trim(), first);
    let copy = "docker-archive:docker.tar:example.com/app:v1";
    let mut copied = Command::new(&skopeo);
    copied
        .args([
            "--insecure-policy",
            "copy",
            "--quiet",
            copy,
            "oci:copied:v1",
        ])
        .current_dir(quick.world.path());
    quick.world.run(&mut copied).ok();
}

/// A directory keeps what it has under other names, and is left alone where it is no layout.
#[test]
fn a_directory_that_is_there() {
    let quick = Quick::new();
    for image in ["a:v1", "a:v2", "a:v1"] {
        quick
            .rop(&format!("build {image} --engine none --output oci:out"))
            .ok();
    }
    let layout = quick.world.path().join("out");
    let name = |entry: &Value| entry["annotations"]["org.opencontainers.image.ref.name"].clone();
    let names: Vec<_> = index(&layout)["manifests"]
        .as_array()
        .expect("entries")
        .iter()
        .map(name)
        .collect();
    assert_eq!(names, ["a:v2", "a:v1"]);
    // A layout that came with a clone may lead elsewhere.
    let outside = quick.world.path().with_file_name("outside");
    std::fs::rename(layout.join("blobs"), &outside).expect("a folder");
    std::os::unix::fs::symlink(&outside, layout.join("blobs")).expect("a link");
    quick
        .rop("build a:v3 --engine none --output oci:out")
        .exits(1)
        .says("error[not-an-image-layout]")
        .says("`blobs` in the directory is a link");
    quick.world.write("other/notes.txt", "mine");
    insta::assert_snapshot!(quick.rop("build a --engine none --output oci:other --quiet").exits(1), @"
    exit: 1
    --- stderr
    error[not-an-image-layout]: failed to write `oci:other`
      caused by: the directory is not empty and not an OCI image layout
    hint: use an empty directory, or one that does not exist
    ");
    assert_eq!(quick.world.read("other/notes.txt"), "mine");
    insta::assert_snapshot!(quick.rop("build a --engine none --output oci-archive:other --quiet").exits(1), @"
    exit: 1
    --- stderr
    error[files-in-the-way]: failed to write `oci-archive:other`
      caused by: `other` exists and is not an image archive
    hint: remove it, or choose another file
    ");
    for form in ["oci-archive", "docker-archive"] {
        quick
            .rop(&format!(
                "build a --engine none --output {form}:other/notes.txt"
            ))
            .exits(1)
            .says("`other/notes.txt` exists and is not an image archive");
    }
    assert_eq!(quick.world.read("other/notes.txt"), "mine");
    assert_eq!(
        std::fs::read_dir(quick.world.path().join("other"))
            .expect("a folder")
            .count(),
        1
    );
}

/// Other archives are no images, whatever their files are called.
#[test]
fn an_archive_of_something_else() {
    let quick = Quick::new();
    let path = quick.world.path().join("backup.tar");
    let archive = |name: &str, content: &str| {
        let mut archive = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let added = archive.append_data(&mut header, name, content.as_bytes());
        added.expect("an entry");
        archive.into_inner().expect("an archive")
    };
    for (name, content) in [
        ("notes.txt", "mine"),
        ("manifest.json", r#"{"name": "an extension"}"#),
        ("a/oci-layout", r#"{"imageLayoutVersion": "1.0.0"}"#),
    ] {
        let data = archive(name, content);
        std::fs::write(&path, &data).expect("a file");
        for flags in ["", " --dry-run"] {
            let build = "build a --engine none --output oci-archive:backup.tar";
            let refused = quick.rop(&format!("{build}{flags}")).exits(1);
            refused.says("`backup.tar` exists and is not an image archive");
        }
        assert_eq!(std::fs::read(&path).expect("a file"), data, "{name}");
    }
    assert_eq!(quick.builds(), Vec::<String>::new());
    // An image of either form is replaced by one of the other.
    let saved = archive("./manifest.json", r#"[{"Config": "a", "Layers": []}]"#);
    std::fs::write(&path, saved).expect("a file");
    for form in ["oci-archive", "docker-archive"] {
        let build = format!("build a --engine none --output {form}:backup.tar");
        quick.rop(&build).ok();
    }
}

/// A toolchain without a target, to which targets can be added.
fn rustc_stand_in(quick: &Quick) -> PathBuf {
    let system = quick.bin.join("sysroot");
    let rustc = format!(
        "#!/bin/sh\ncase \"$1\" in\n-vV) printf 'host: x\\ncommit-hash: y\\n' ;;\n*) echo '{}' ;;\nesac\n",
        system.display()
    );
    quick.install("rustc-stand-in", &rustc);
    system
}

/// Rust has to be there for each platform. Here a stand-in says that it is.
#[test]
fn several_platforms() {
    let quick = Quick::new();
    let two = "build a:v1 --engine none --platform linux/amd64,linux/arm64 --output oci:out";
    let system = rustc_stand_in(&quick);
    let build = |arguments: &str| {
        let mut command = quick.command(arguments);
        quick
            .world
            .run(command.env("RUSTC", quick.bin.join("rustc-stand-in")))
    };
    let library = |triple: &str| system.join("lib/rustlib").join(triple).join("lib");
    std::fs::create_dir_all(library("x86_64-unknown-linux-gnu")).expect("a folder");
    insta::assert_snapshot!(build(two).exits(1), @"
    exit: 1
    --- stderr
    error[target-missing]: cannot compile for linux/arm64: neither `aarch64-unknown-linux-musl` nor `aarch64-unknown-linux-gnu` is installed
    hint: run `rustup target add aarch64-unknown-linux-musl` and install a C compiler for it, or build with a container engine
    ");
    assert_eq!(
        quick.builds(),
        Vec::<String>::new(),
        "before anything is compiled"
    );
    std::fs::create_dir_all(library("aarch64-unknown-linux-musl")).expect("a folder");
    build(two).ok();
    let targets: Vec<_> = quick
        .builds()
        .iter()
        .filter_map(|line| {
            Some(
                line.split("--target ")
                    .nth(1)?
                    .split(' ')
                    .next()?
                    .to_owned(),
            )
        })
        .collect();
    assert_eq!(
        targets,
        ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-musl"]
    );
    let layout = quick.world.path().join("out");
    let images = blob(&layout, &index(&layout)["manifests"][0]["digest"]);
    let images = images["manifests"].as_array().expect("images").clone();
    let platforms: Vec<_> = images
        .iter()
        .map(|image| image["platform"].clone())
        .collect();
    assert_eq!(
        platforms,
        [
            json!({"architecture": "amd64", "os": "linux"}),
            json!({"architecture": "arm64", "os": "linux"})
        ]
    );
    for image in &images {
        let config = blob(
            &layout,
            &blob(&layout, &image["digest"])["config"]["digest"],
        );
        assert_eq!(config["architecture"], image["platform"]["architecture"]);
    }
    insta::assert_snapshot!(build(&two.replace("oci:out", "docker-archive:x.tar")).exits(2), @"
    exit: 2
    --- stderr
    error[engine-limit]: a docker-archive can contain one platform only
    hint: use `--output oci-archive:FILE`, or set one platform
    ");
    if let Some([skopeo]) = tools(["skopeo"]) {
        let mut inspect = Command::new(&skopeo);
        inspect
            .args([
                "inspect",
                "--override-arch=arm64",
                "--config",
                "oci:out:a:v1",
            ])
            .current_dir(quick.world.path());
        assert_eq!(json(&mut inspect)["architecture"], "arm64");
    }
}

/// The crates that are linked into the operator, and no other.
#[test]
fn the_bill_of_materials() {
    let quick = Quick::new();
    quick
        .rop("build a:v1 --engine none --output oci:out --sbom")
        .ok();
    let layout = quick.world.path().join("out");
    let entries = index(&layout)["manifests"].clone();
    assert_eq!(entries[1]["artifactType"], SPDX);
    let manifest = blob(&layout, &entries[1]["digest"]);
    assert_eq!(manifest["subject"]["digest"], entries[0]["digest"]);
    let document = blob(&layout, &manifest["layers"][0]["digest"]);
    let packages = document["packages"].as_array().expect("packages").clone();
    let names: Vec<_> = packages
        .iter()
        .filter_map(|package| package["name"].as_str())
        .collect();
    for name in ["app-operator", "app-operator-api", "kube", "ring", "tokio"] {
        assert!(names.contains(&name), "{name} is in {names:?}");
    }
    for name in ["serde_derive", "syn", "windows-sys", "opentelemetry"] {
        assert!(!names.contains(&name), "{name} is in {names:?}");
    }
    let kube = packages
        .iter()
        .find(|package| package["name"] == "kube")
        .expect("kube");
    assert_eq!(
        kube["externalRefs"][0]["referenceLocator"],
        *format!(
            "pkg:cargo/kube@{}",
            kube["versionInfo"].as_str().expect("a version")
        )
    );
    assert_eq!(document["creationInfo"]["created"], "2023-11-14T22:13:20Z");
    let ids: std::collections::BTreeSet<_> = packages
        .iter()
        .map(|package| package["SPDXID"].to_string())
        .collect();
    assert_eq!(ids.len(), packages.len(), "each has a name of its own");
}

/// A program that needs libraries would not start in the image.
#[test]
fn a_program_that_is_not_static() {
    let quick = Quick::new();
    std::fs::write(
        quick.bin.join("manager"),
        std::fs::read("/bin/sh").expect("a program"),
    )
    .expect("a file");
    let outcome = quick
        .rop("build a --engine none --platform linux/amd64")
        .exits(1);
    insta::assert_snapshot!(outcome, @"
    exit: 1
    --- stderr
     building the operator for linux/amd64
    error[program-not-static]: the operator for linux/amd64 is dynamically linked, but the image has no libraries
    hint: `x86_64-unknown-linux-gnu` does not link statically: use another target, or build with a container engine
    ");
}

/// Cargo's own words say what is wrong with the sources.
#[test]
fn an_operator_that_does_not_build() {
    let quick = Quick::new();
    quick.install("cargo-stand-in", "#!/bin/sh\nif [ \"$1\" = build ]; then echo 'error[E0432]: unresolved import' >&2; exit 101; fi\nexec cargo \"$@\"\n");
    insta::assert_snapshot!(quick.rop("build a --engine none").exits(1), @"
    exit: 1
    --- stderr
     building the operator for linux/amd64
    error[E0432]: unresolved import
    error[build-failed]: failed to build the operator: see the cargo output above
    hint: fix the errors above and run the command again; nothing was written
    ");
    assert!(!quick.world.path().join("target/image").exists());
}
