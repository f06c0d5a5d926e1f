//! The public API of the library, line by line: whoever reads a change sees what it does to the API.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use public_api::Builder;
use serde_json::Value;

use crate::support::World;
use crate::support::say::say;

/// The format of rustdoc's JSON that the crate `public-api` reads. It is Rust's own business, and changes with it.
const FORMAT: u64 = 57;

/// `INSTA_UPDATE=always cargo test --test it -- --ignored public_api` writes it anew.
#[test]
#[ignore = "documents the library, for which all that it depends on is checked"]
fn a_change_of_the_public_api_is_seen() {
    let world = World::new();
    let rustdoc = world.path().join("rustdoc");
    // JSON is unstable. The variable is for rustdoc alone: with it, all that has a build script is built anew.
    fs::write(
        &rustdoc,
        "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n",
    )
    .expect("a script");
    fs::set_permissions(&rustdoc, PermissionsExt::from_mode(0o755)).expect("a program");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(env!("CARGO"));
    command
        // As CI makes the docs, so that all that it takes is there.
        .args("doc --quiet --workspace --all-features --no-deps --lib".split(' '))
        .current_dir(root)
        .env("RUSTDOC", &rustdoc)
        .env("RUSTDOCFLAGS", "-Zunstable-options --output-format=json");
    assert!(command.status().expect("cargo").success());

    let path = root.join("target/doc/rop_runtime.json");
    let json = fs::read_to_string(&path).expect("what rustdoc wrote");
    fs::remove_file(&path).expect("it goes");
    let format = serde_json::from_str::<Value>(&json).expect("JSON")["format_version"].as_u64();
    if format != Some(FORMAT) {
        return say(&format!(
            "skipped: this rustdoc writes format {format:?}, and `public-api` reads {FORMAT}"
        ));
    }
    let json_path = world.path().join("api.json");
    fs::write(&json_path, json).expect("a file");
    let api = Builder::from_rustdoc_json(json_path)
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
