//! Images: how they are built, what is in them, and what registries do to those who push.
//!
//! Most tests have a stand-in for cargo, which compiles nothing; `real` has no such.

mod choice;
mod context;
mod credentials;
mod engines;
mod faults;
mod helpers;
mod hostile;
mod output;
mod push;
mod real;
mod reference;
mod reproducible;
mod store;
mod tls;

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::support::tools::{install, tools};
use crate::support::{Outcome, World};

/// Says that it built a file; for all else it is the real one.
const CARGO: &str = r#"#!/bin/sh
case "$1" in
build)
    echo "$@" "$CARGO_BUILD_RUSTFLAGS" >>"$(dirname "$0")/built"
    echo "{\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"app-operator\"},\"executable\":\"$(dirname "$0")/manager\"}" ;;
*)
    exec cargo "$@" ;;
esac
"#;

/// What stands before the digests of blobs that images have.
const SHA: &str = "sha256:";

/// A project whose operator is compiled in no time.
struct Quick {
    world: World,
    bin: PathBuf,
}

impl Quick {
    fn new() -> Self {
        let world = World::with_api();
        let bin = world.path().with_file_name("bin");
        std::fs::create_dir(&bin).expect("a folder");
        let quick = Self { world, bin };
        quick.compiles_to("one");
        quick.install("cargo-stand-in", CARGO);
        quick
    }

    /// Lets cargo build another program from now on: a header of ELF with text behind it.
    fn compiles_to(&self, text: &str) {
        let mut program = vec![0; 120];
        program[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (program[32], program[54], program[56], program[64]) = (64, 56, 1, 1);
        program.extend(text.as_bytes());
        std::fs::write(self.bin.join("manager"), program).expect("a program");
    }

    /// Puts a script on PATH, before all others.
    fn install(&self, name: &str, script: &str) {
        install(&self.bin, name, script);
    }

    /// rop, about to be run.
    fn command(&self, arguments: &str) -> Command {
        let mut command = self.world.command(".");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [self.bin.clone()]
            .into_iter()
            .chain(std::env::split_paths(&path));
        command
            .args(arguments.split_whitespace())
            .env("PATH", std::env::join_paths(folders).expect("a PATH"))
            .env("CARGO", self.bin.join("cargo-stand-in"))
            // Nobody's logins but those of a test.
            .env("DOCKER_CONFIG", self.bin.join("docker"))
            .env("SOURCE_DATE_EPOCH", "1700000000");
        command
    }

    #[must_use = "look at how the command ended"]
    fn rop(&self, arguments: &str) -> Outcome {
        self.world.run(&mut self.command(arguments))
    }

    /// How often cargo was asked to build.
    fn builds(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.bin.join("built")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }
}

/// What a program prints, read as JSON. It has to succeed.
#[track_caller]
fn json(command: &mut Command) -> Value {
    let output = command.output().expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// What skopeo says of an image, wherever it is. `None` where there is no skopeo.
#[track_caller]
fn inspect(reference: &str, flags: &[&str]) -> Option<Value> {
    let [skopeo] = tools(["skopeo"])?;
    let mut command = Command::new(skopeo);
    command
        .args(["inspect", "--tls-verify=false"])
        .args(flags)
        .arg(reference);
    Some(json(&mut command))
}

/// The digest in what `rop build` printed.
#[track_caller]
fn digest(outcome: &Outcome) -> String {
    let (_, digest) = outcome.stdout.trim().split_once('@').expect("a digest");
    digest.to_owned()
}
