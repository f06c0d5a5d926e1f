//! Conversions of types of all shapes.

mod missing;
mod random;
mod shapes;

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;

const OLDER: &str = r#"
use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
#[derive(CustomResource)]
#[kube(group = "app.example.com", version = "v1alpha1", kind = "Web", status = "WebStatus", printcolumn(name = "A", type_ = "b"), validation = Rule::new("x").message("y"))]
pub struct WebSpec {
    pub image: String,
    pub ports: Vec<Port>,
    pub by_name: BTreeMap<String, Port>,
    pub first: Option<Port>,
    pub boxed: Box<Port>,
    pub mode: Mode,
    pub old: i32,
    pub changed: i32,
    pub lists: Option<Vec<Port>>,
    pub name: Name,
}
pub struct WebStatus { pub conditions: Vec<Condition> }
pub struct Port { pub number: u16 }
pub struct Name(pub String, pub Mode);
pub enum Mode { Plain, One(Port), Named { port: Port, name: String }, Gone(String) }
"#;

const NEWER: &str = r#"
use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
#[derive(CustomResource)]
#[kube(group = "app.example.com", version = "v1", kind = "Web", status = "WebStatus")]
pub struct WebSpec {
    pub image: String,
    pub ports: Vec<Port>,
    pub by_name: BTreeMap<String, Port>,
    pub first: Option<Port>,
    pub boxed: Box<Port>,
    pub mode: Mode,
    pub new: Option<String>,
    pub changed: String,
    pub lists: Option<Vec<Port>>,
    pub name: Name,
}
pub struct WebStatus { pub conditions: Vec<Condition> }
pub struct Port { pub number: u16 }
pub struct Name(pub String, pub Mode);
pub enum Mode { Plain, One(Port), Named { port: Port, name: String } }
"#;

/// The conversion of a project with these files.
fn of_files(files: &[(&str, &str)]) -> Result<String> {
    let read = |path: &str| {
        let file = files.iter().find(|(known, _)| *known == path);
        Ok(file.map(|(_, text)| (*text).to_owned()))
    };
    let versions = Versions {
        kind: "Web",
        group: "app",
        module: "web",
        older: "v1alpha1",
        newer: "v1",
        conversion: "web_conversion_v1alpha1",
    };
    source(versions, &read)
}

fn made(older: &str, newer: &str) -> Result<String> {
    of_files(&[
        ("api/src/app/v1alpha1/web.rs", older),
        ("api/src/app/v1/web.rs", newer),
    ])
}

fn formatted(text: &str) -> String {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt");
    let stdin = rustfmt.stdin.take();
    stdin
        .expect("a pipe")
        .write_all(text.as_bytes())
        .expect("it reads");
    let output = rustfmt.wait_with_output().expect("it ends");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn every_type_goes_both_ways() {
    let text = made(OLDER, NEWER).expect("a source");
    insta::with_settings!({ snapshot_path => "../../../snapshots" }, {
        insta::assert_snapshot!(text);
    });
    assert_eq!(formatted(&text), text);
}

#[test]
fn types_that_cannot_be_read_are_an_error() {
    let error = made("pub struct {", NEWER).expect_err("not Rust");
    let chain: Vec<_> = error.chain().collect();
    assert_eq!(chain[0], "failed to read `api/src/app/v1alpha1/web.rs`");
    assert!(chain[1].starts_with("line 1, column 12: "), "{chain:?}");
    let error = made("pub struct A;", NEWER).expect_err("no kind");
    assert_eq!(
        error.hints(),
        ["write the conversions by hand, as `From` both ways"]
    );
}
