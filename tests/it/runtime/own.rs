//! The crate's own tests, which are built with other features than what rop depends on: so they have a cargo of their own.

use std::path::Path;

use crate::support::cargo::command;

#[test]
fn its_own_tests_pass() {
    let mut command = command();
    command.args(["test", "--package", "rop-runtime", "--all-features"]);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")));
    let output = command.output().expect("cargo");
    let [out, err] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
    assert!(output.status.success(), "{out}\n{err}");
}
