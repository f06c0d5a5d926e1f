//! A panic of rop says that it is a bug, and has an exit code of its own.

use std::process::Command;

const PANICS: &str = "ROP_TEST_PANICS";

#[test]
fn a_panic_is_reported_as_a_bug() {
    if std::env::var_os(PANICS).is_some() {
        rop::cli::report_panics();
        panic!("a cause with \u{1b}[2J in it");
    }
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "panic::a_panic_is_reported_as_a_bug",
            "--nocapture",
        ])
        .env(PANICS, "1")
        .output()
        .expect("this program starts");
    assert_eq!(output.status.code(), Some(101));
    let message = String::from_utf8_lossy(&output.stderr);
    let version = env!("CARGO_PKG_VERSION");
    for part in [
        &format!("error[bug]: this is a bug in rop {version} ("),
        "), at tests/it/panic.rs:11:9\n  caused by: a cause with \\u{1b}[2J in it\nhint: report it ",
    ] {
        assert!(message.contains(part), "{message}");
    }
}
