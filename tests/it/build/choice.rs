//! Which engine builds an image, and what it is told.

use std::process::Command;

use super::Quick;

/// Takes note of what it is told, and does it.
const ENGINE: &str = r#"#!/bin/sh
echo "${0##*/} $*" >>"$(dirname "$0")/told"
"#;

/// There, but its daemon is not.
const SILENT: &str = "#!/bin/sh
echo 'Cannot connect to the Docker daemon.' >&2
exit 1
";

impl Quick {
    /// With these engines and no other: scripts that are found before what the machine has.
    fn with_engines(engines: [(&str, &str); 3]) -> Self {
        let quick = Self::new();
        for (name, script) in engines {
            quick.install(name, script);
        }
        quick
    }

    /// What engines were told, but for the question whether they are there.
    fn told(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.bin.join("told")).unwrap_or_default();
        let asked = |line: &&str| line.ends_with(" info") || line.contains(" version ");
        let folder = self.world.path().display().to_string();
        log.lines()
            .filter(|line| !asked(line))
            .map(|line| line.replace(&folder, "[PROJECT]"))
            .collect()
    }
}

#[test]
fn the_first_engine_that_answers() {
    let quick = Quick::with_engines([("docker", SILENT), ("podman", ENGINE), ("buildah", ENGINE)]);
    insta::assert_snapshot!(quick.rop("build example.com/app --tag v1 --tag v2 --label a=b").ok(), @"
    exit: 0
    --- stderr
         done example.com/app

    next:
      podman push example.com/app:v1
    ");
    insta::assert_snapshot!(quick.told().join("\n"), @"podman build --tag example.com/app:v1 --tag example.com/app:v2 --label=a=b --label=org.opencontainers.image.created=2023-11-14T22:13:20Z --label=org.opencontainers.image.title=app-operator --label=org.opencontainers.image.version=0.1.0 --timestamp=1700000000 .");
    assert_eq!(
        quick.builds(),
        Vec::<String>::new(),
        "the Dockerfile does it"
    );
}

#[test]
fn no_engine_answers() {
    let quick = Quick::with_engines([("docker", SILENT), ("podman", SILENT), ("buildah", SILENT)]);
    let outcome = quick.rop("build example.com/app:v1").ok();
    let note = outcome.stderr.lines().next().unwrap_or_default();
    insta::assert_snapshot!(note, @"note: docker does not respond (Cannot connect to the Docker daemon.), podman does not respond (Cannot connect to the Docker daemon.), buildah does not respond (Cannot connect to the Docker daemon.): building without an engine");
    assert_eq!(quick.builds().len(), 1);
    insta::assert_snapshot!(quick.rop("build a --engine podman").exits(1), @"
    exit: 1
    --- stderr
    error[engine-unavailable]: podman does not respond
      caused by: Cannot connect to the Docker daemon.
    hint: start podman, or build without an engine: `--engine none`
    ");
    insta::assert_snapshot!(quick.rop("build a --build-arg A=b").exits(2), @"
    exit: 2
    --- stderr
    error[engine-limit]: `--build-arg` needs a container engine, but none is used
    hint: select a running engine, for example `--engine docker`
    ");
}

/// What an engine cannot do, rop does; where an engine is wanted, it says so.
#[test]
fn flags_that_are_for_rop() {
    let quick = Quick::with_engines([("docker", ENGINE), ("podman", ENGINE), ("buildah", ENGINE)]);
    quick
        .rop("build a --sbom --dry-run")
        .ok()
        .says("build a:latest without an engine");
    quick
        .rop("build a --base b --dry-run")
        .ok()
        .says("without an engine");
    quick
        .rop("build a --base scratch --dry-run")
        .ok()
        .says("with docker");
    insta::assert_snapshot!(quick.rop("build a --base b --engine docker").exits(2), @"
    exit: 2
    --- stderr
    error[engine-limit]: `--base` cannot be used with `--engine docker`
    hint: set it in the Dockerfile instead, or let rop build: `--engine none`
    ");
    let two = "--platform linux/amd64,linux/arm64";
    quick
        .rop(&format!("build a {two} --dry-run"))
        .ok()
        .says("without an engine");
    insta::assert_snapshot!(quick.rop(&format!("build a {two} --engine docker")).exits(2), @"
    exit: 2
    --- stderr
    error[engine-limit]: docker builds for one platform only
    hint: set one platform, or let rop build for all of them: `--engine none`
    ");
    insta::assert_snapshot!(quick.rop("build a --output oci:x --engine docker").exits(2), @"
    exit: 2
    --- stderr
    error[engine-limit]: docker writes docker-archive only
    hint: use `--output docker-archive:FILE`, or let rop build: `--engine none`
    ");
    std::fs::remove_file(quick.world.path().join("Dockerfile")).expect("a Dockerfile");
    quick
        .rop("build a --dry-run")
        .ok()
        .says("without an engine");
    insta::assert_snapshot!(quick.rop("build a --engine docker").exits(1), @"
    exit: 1
    --- stderr
    error[no-dockerfile]: no Dockerfile in `[DIR]/app-operator`
    hint: create a Dockerfile with `rop generate project --restore`, or let rop build: `--engine none`
    ");
    assert_eq!(quick.told(), Vec::<String>::new());
}

#[test]
fn each_engine_is_told_in_its_own_words() {
    let quick = Quick::with_engines([("docker", ENGINE), ("podman", ENGINE), ("buildah", ENGINE)]);
    let image = "127.0.0.1:1/app:v1 --timeout 1 --insecure --push --build-arg BUILDER=b";
    for engine in ["docker", "podman", "buildah"] {
        for form in ["docker-archive", "oci-archive"] {
            let arguments = format!("build {image} --engine {engine} --output {form}:out.tar");
            if (engine, form) != ("docker", "oci-archive") {
                quick.rop(&arguments).ok();
            }
        }
    }
    quick
        .rop("build a --engine podman --platform linux/arm64 --output oci:out")
        .ok();
    insta::assert_snapshot!(quick.told().join("\n"), @"
    docker build --tag 127.0.0.1:1/app:v1 --label=org.opencontainers.image.created=2023-11-14T22:13:20Z --label=org.opencontainers.image.title=app-operator --label=org.opencontainers.image.version=0.1.0 --build-arg=BUILDER=b --build-arg=SOURCE_DATE_EPOCH=1700000000 --progress=plain .
    docker save --output=[PROJECT]/out.tar 127.0.0.1:1/app:v1
    docker push 127.0.0.1:1/app:v1
    podman build --tag 127.0.0.1:1/app:v1 --label=org.opencontainers.image.created=2023-11-14T22:13:20Z --label=org.opencontainers.image.title=app-operator --label=org.opencontainers.image.version=0.1.0 --build-arg=BUILDER=b --timestamp=1700000000 .
    podman save --format=docker-archive --output=[PROJECT]/out.tar 127.0.0.1:1/app:v1
    podman push --tls-verify=false 127.0.0.1:1/app:v1
    podman build --tag 127.0.0.1:1/app:v1 --label=org.opencontainers.image.created=2023-11-14T22:13:20Z --label=org.opencontainers.image.title=app-operator --label=org.opencontainers.image.version=0.1.0 --build-arg=BUILDER=b --timestamp=1700000000 .
    podman save --format=oci-archive --output=[PROJECT]/out.tar 127.0.0.1:1/app:v1
    podman push --tls-verify=false 127.0.0.1:1/app:v1
    buildah build --tag 127.0.0.1:1/app:v1 --label=org.opencontainers.image.created=2023-11-14T22:13:20Z --label=org.opencontainers.image.title=app-operator --label=org.opencontainers.image.version=0.1.0 --build-arg=BUILDER=b --timestamp=1700000000 .
    buildah push 127.0.0.1:1/app:v1 docker-archive:[PROJECT]/out.tar:127.0.0.1:1/app:v1
    buildah push --tls-verify=false 127.0.0.1:1/app:v1
    buildah build --tag 127.0.0.1:1/app:v1 --label=org.opencontainers.image.created=2023-11-14T22:13:20Z --label=org.opencontainers.image.title=app-operator --label=org.opencontainers.image.version=0.1.0 --build-arg=BUILDER=b --timestamp=1700000000 .
    buildah push 127.0.0.1:1/app:v1 oci-archive:[PROJECT]/out.tar:127.0.0.1:1/app:v1
    buildah push --tls-verify=false 127.0.0.1:1/app:v1
    podman build --tag a:latest --platform=linux/arm64 --label=org.opencontainers.image.created=2023-11-14T22:13:20Z --label=org.opencontainers.image.title=app-operator --label=org.opencontainers.image.version=0.1.0 --timestamp=1700000000 .
    podman save --format=oci-dir --output=[PROJECT]/out a:latest
    ");
}

#[test]
fn an_engine_that_fails() {
    let fails = "#!/bin/sh\nif [ \"$1\" = info ]; then exit 0; fi\necho 'error: no space left' >&2\nexit 125\n";
    let quick = Quick::with_engines([("docker", SILENT), ("podman", fails), ("buildah", SILENT)]);
    insta::assert_snapshot!(quick.rop("build a --engine podman").exits(1), @"
    exit: 1
    --- stderr
    error: no space left
    error[engine-failed]: failed to build the image: see the podman output above
    hint: fix the errors above and run the command again, or build without an engine: `--engine none`
    ");
}

/// The Makefile of a project leaves images to rop.
#[test]
fn the_makefile() {
    let quick = Quick::new();
    let mut make = Command::new("make");
    make.args([
        "--dry-run",
        "--no-print-directory",
        "IMG=a:v1",
        "docker-build",
        "docker-push",
    ])
    .current_dir(quick.world.path());
    insta::assert_snapshot!(quick.world.run(&mut make).ok().stdout, @"
    rop build --engine auto a:v1
    rop build --engine auto --push a:v1
    ");
}

/// The context of an engine is the project, and a path may lead out of it.
#[test]
fn a_runtime_beside_the_project() {
    let quick = Quick::with_engines([("docker", ENGINE), ("podman", ENGINE), ("buildah", ENGINE)]);
    let project = quick.world.read("PROJECT");
    let runtime = |path: &str| {
        let text = format!("{project}runtime: path:{path}\n");
        quick.world.write("PROJECT", &text);
    };
    runtime("../rop-runtime");
    insta::assert_snapshot!(quick.rop("build a --engine podman").exits(2), @"
    exit: 2
    --- stderr
    error[engine-limit]: podman cannot read the runtime at `../rop-runtime`: it is outside the project
    hint: build without an engine: `--engine none`
    ");
    let outcome = quick.rop("build a --dry-run").ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stdout
        build a:latest without an engine
        write docker-archive:[DIR]/app-operator/target/image/app-operator.tar
    --- stderr
    note: the runtime at `../rop-runtime` is outside the project: building without an engine
    note: dry run: nothing was built
    ");
    assert!(quick.told().is_empty());
    runtime("vendor/rop-runtime");
    quick.rop("build a --engine podman").ok();
    assert_eq!(quick.told().len(), 1);
}
