//! The public API of the library, line by line: whoever reads a change sees what it does to the API.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use public_api::Builder;
use serde_json::Value;

use crate::support::World;
use crate::support::cargo::{RUSTDOC, command};
use crate::support::say::say;

/// The format of rustdoc's JSON that the crate `public-api` reads. It is Rust's own business, and changes with it.
const FORMAT: u64 = 57;

/// `INSTA_UPDATE=always cargo test --test it -- --ignored public_api` writes it anew.
#[test]
#[ignore = "documents the library, with all of its features"]
fn a_change_of_the_public_api_is_seen() {
    let world = World::new();
    let rustdoc = world.path().join("rustdoc");
    // JSON is unstable. The variable is for rustdoc alone: with it, all that has a build script is built anew.
    let script = format!("#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec '{RUSTDOC}' \"$@\"\n");
    fs::write(&rustdoc, script).expect("a script");
    fs::set_permissions(&rustdoc, PermissionsExt::from_mode(0o755)).expect("a program");
    let flags = "-Zunstable-options --output-format=json --out-dir";
    let mut command = command();
    command
        .args("test --quiet --doc --package rop-runtime --all-features".split(' '))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("RUSTDOC", &rustdoc)
        .env(
            "RUSTDOCFLAGS",
            format!("{flags} {}", world.path().display()),
        );
    assert!(command.status().expect("cargo").success());

    let path = world.path().join("rop_runtime.json");
    let json = fs::read_to_string(&path).expect("what rustdoc wrote");
    let format = serde_json::from_str::<Value>(&json).expect("JSON")["format_version"].as_u64();
    if format != Some(FORMAT) {
        return say(&format!(
            "skipped: this rustdoc writes format {format:?}, and `public-api` reads {FORMAT}"
        ));
    }
    let api = Builder::from_rustdoc_json(path)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .expect("an API");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("runtime-api", api));
}
