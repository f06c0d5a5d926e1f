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
        log.lines()
            .filter(|line| !asked(line))
            .map(str::to_owned)
            .collect()
    }
}

#[test]
fn the_first_engine_that_answers() {
    let quick = Quick::with_engines([("docker", SILENT), ("podman", ENGINE), ("buildah", ENGINE)]);
    insta::assert_snapshot!(quick.rop("build example.com/app --tag v1 --tag v2 --label a=b").ok(), @"");
    insta::assert_snapshot!(quick.told().join("\n"), @"");
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
    insta::assert_snapshot!(outcome.stderr, @"");
    assert_eq!(quick.builds().len(), 1);
    insta::assert_snapshot!(quick.rop("build a --engine podman").exits(1), @"");
    insta::assert_snapshot!(quick.rop("build a --build-arg A=b").exits(2), @"");
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
    insta::assert_snapshot!(quick.rop("build a --base b --engine docker").exits(2), @"");
    let two = "--platform linux/amd64,linux/arm64";
    quick
        .rop(&format!("build a {two} --dry-run"))
        .ok()
        .says("without an engine");
    insta::assert_snapshot!(quick.rop(&format!("build a {two} --engine docker")).exits(2), @"");
    insta::assert_snapshot!(quick.rop("build a --output oci:x --engine docker").exits(2), @"");
    std::fs::remove_file(quick.world.path().join("Dockerfile")).expect("a Dockerfile");
    quick
        .rop("build a --dry-run")
        .ok()
        .says("without an engine");
    insta::assert_snapshot!(quick.rop("build a --engine docker").exits(1), @"");
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
    insta::assert_snapshot!(quick.told().join("\n"), @"");
}

#[test]
fn an_engine_that_fails() {
    let fails = "#!/bin/sh\nif [ \"$1\" = info ]; then exit 0; fi\necho 'error: no space left' >&2\nexit 125\n";
    let quick = Quick::with_engines([("docker", SILENT), ("podman", fails), ("buildah", SILENT)]);
    insta::assert_snapshot!(quick.rop("build a --engine podman").exits(1), @"");
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
    insta::assert_snapshot!(quick.world.run(&mut make).ok().stdout, @"");
}
