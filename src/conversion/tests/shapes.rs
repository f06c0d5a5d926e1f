//! Which shapes of types are converted, and how.

use super::of_files;

/// A conversion of a specification with these fields, beside these items, in both versions.
pub(super) fn made(older: (&str, &str), newer: (&str, &str)) -> String {
    let text = |(fields, items): (&str, &str)| {
        format!("#[kube(kind = \"Web\")]\npub struct WebSpec {{ {fields} }}\n{items}\n")
    };
    let (older, newer) = (text(older), text(newer));
    let made = of_files(&[
        (
            "api/src/lib.rs",
            "pub mod app; pub mod shared { pub struct Same { pub a: u8 } pub struct Around<T> { pub inner: T } }",
        ),
        ("api/src/app/v1alpha1/web.rs", &older),
        ("api/src/app/v1/web.rs", &newer),
        (
            "api/src/app/v1/web/part.rs",
            "pub struct Part { pub a: u8 }",
        ),
        (
            "api/src/app/v1alpha1/web/part/mod.rs",
            "pub struct Part { pub a: u8 }",
        ),
        ("api/src/app/v1/other.rs", "pub struct Far { pub a: u8 }"),
    ]);
    made.unwrap_or_else(|error| panic!("{:?}", error.chain().collect::<Vec<_>>()))
}

/// The same fields and items in both versions.
pub(super) fn alike(fields: &str, items: &str) -> String {
    made((fields, items), (fields, items))
}

pub(super) const PORT: &str = "pub struct Port { pub number: u16 }";

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn types_are_followed_wherever_they_are() {
    for (fields, items, expected) in [
        (
            "pub a: Vec<Port>",
            "type Port = Inner; pub struct Inner { pub n: u8 }",
            "a: value.a.into_iter().map(Into::into).collect()",
        ),
        (
            "pub a: Ports",
            "type Ports = Vec<Port>; pub struct Port { pub n: u8 }",
            "a: value.a.into_iter().map(Into::into).collect()",
        ),
        (
            "pub a: Few<Port>",
            "type Few<T> = Option<[T; 2]>; pub struct Port { pub n: u8 }",
            "a: value.a.map(|value| value.map(Into::into))",
        ),
        (
            "pub a: [Port; LENGTH]",
            "const LENGTH: usize = 3; pub struct Port { pub n: u8 }",
            "a: value.a.map(Into::into)",
        ),
        (
            "pub a: (Port, String)",
            PORT,
            "a: (value.a.0.into(), value.a.1)",
        ),
        ("pub a: (Port,)", PORT, "a: (value.a.0.into(),)"),
        (
            "pub a: inner::Port",
            "pub mod inner { pub struct Port { pub n: u8 } }",
            "impl From<v1alpha1::inner::Port> for v1::inner::Port {",
        ),
        (
            "pub a: Port",
            "mod inner { pub struct Port { pub n: u8 } } pub use inner::Port;",
            "impl From<v1alpha1::Port> for v1::Port {",
        ),
        (
            "pub a: Port",
            "mod inner { pub struct Inner { pub n: u8 } } pub use inner::Inner as Port;",
            "impl From<v1alpha1::Port> for v1::Port {",
        ),
        (
            "pub a: Port",
            "mod inner { pub struct Port { pub n: u8 } } pub use self::inner::*;",
            "impl From<v1alpha1::Port> for v1::Port {",
        ),
        (
            "pub a: part::Part",
            "pub mod part;",
            "impl From<v1alpha1::part::Part> for v1::part::Part {",
        ),
        (
            "pub a: self::x::Deep",
            "pub mod x { pub struct Deep { pub up: super::Up } } pub struct Up { pub n: u8 }",
            "up: value.up.into(),",
        ),
        ("pub a: crate::shared::Same", "", "a: value.a,"),
        ("pub a: Same", "use crate::shared::*;", "a: value.a,"),
        (
            "pub a: Around<Port>",
            "use crate::shared::Around; pub struct Port { pub n: u8 }",
            "impl From<crate::shared::Around<v1alpha1::Port>> for crate::shared::Around<v1::Port> {",
        ),
        (
            "pub a: Wrapper<Port>",
            "pub struct Wrapper<T> { pub all: Vec<T> } pub struct Port { pub n: u8 }",
            "impl From<v1alpha1::Wrapper<v1alpha1::Port>> for v1::Wrapper<v1::Port> {",
        ),
        (
            "pub a: Wrapper",
            "pub struct Wrapper<T = String> { pub all: Vec<T> }",
            "impl From<v1alpha1::Wrapper<String>> for v1::Wrapper<String> {",
        ),
        (
            "pub a: Sized<2>",
            "pub struct Sized<const N: usize> { pub all: [Port; N] } pub struct Port { pub n: u8 }",
            "all: value.all.map(Into::into),",
        ),
        (
            "pub a: Map<String, Port>",
            "use std::collections::BTreeMap as Map; pub struct Port { pub n: u8 }",
            ".map(|(key, value)| (key, value.into()))",
        ),
        (
            "pub a: Text",
            "use std::string::String as Text;",
            "a: value.a,",
        ),
        (
            "pub a: k8s::EnvVar",
            "use k8s_openapi::api::core::v1 as k8s;",
            "a: value.a,",
        ),
        ("pub r#type: Port", PORT, "r#type: value.r#type.into(),"),
        (
            "pub a: r#Match",
            "pub struct r#Match { pub r#fn: u8 }",
            "r#fn: value.r#fn,",
        ),
        (
            "pub a: Option<Box<WebSpec>>",
            "",
            "a: value.a.map(|value| Box::new((*value).into())),",
        ),
        (
            "pub a: Node",
            "pub struct Node { pub next: Option<Box<Self>> }",
            "next: value.next.map(|value| Box::new((*value).into())),",
        ),
        (
            "pub a: Option<u8>",
            "pub struct Option<T> { pub inner: T }",
            "impl From<v1alpha1::Option<u8>> for v1::Option<u8> {",
        ),
        (
            "pub a: String",
            "pub struct String { pub n: u8 }",
            "a: value.a.into(),",
        ),
        (
            "#[cfg(unix)] pub a: Port",
            PORT,
            "#[cfg(unix)]\n            a: value.a.into(),",
        ),
        (
            "pub a: Port",
            "#[cfg(unix)] pub struct Port { pub n: u8 }",
            "#[cfg(unix)]\nimpl From<v1alpha1::Port>",
        ),
        (
            "pub a: Mode",
            "pub enum Mode { A, B(u8), C { d: String } }",
            "v1alpha1::Mode::C { d } => Self::C { d },",
        ),
        (
            "pub a: Name",
            "pub struct Name(pub String, pub Port); pub struct Port { pub n: u8 }",
            "Self(value.0, value.1.into())",
        ),
        (
            "pub a: Nothing",
            "pub struct Nothing;",
            "fn from(_: v1alpha1::Nothing) -> Self {\n        Self\n",
        ),
        ("#[serde(flatten)] pub a: Port", PORT, "a: value.a.into(),"),
    ] {
        let text = alike(fields, items);
        assert!(
            text.contains(expected.trim_end_matches(',')),
            "{fields} | {items}\n{text}"
        );
        assert!(
            !text.contains("compile_error!"),
            "{fields} | {items}\n{text}"
        );
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn what_is_the_same_in_objects_goes_over() {
    let mode = "pub enum Mode { One, Other } ";
    for (older, newer, expected) in [
        (
            ("#[serde(rename = \"type\")] pub kind: String", ""),
            ("pub r#type: String", ""),
            "r#type: value.kind,",
        ),
        (
            (
                "pub a: Port",
                "#[serde(rename_all = \"camelCase\")] pub struct Port { pub host_port: u8 }",
            ),
            (
                "pub a: Port",
                "pub struct Port { #[serde(rename = \"hostPort\")] pub node: u8 }",
            ),
            "node: value.host_port,",
        ),
        (
            ("pub a: Port", PORT),
            ("pub a: Endpoint", "pub struct Endpoint { pub number: u16 }"),
            "impl From<v1alpha1::Port> for v1::Endpoint {",
        ),
        (
            ("pub a: Name", "pub struct Name(pub String);"),
            ("pub a: String", ""),
            "a: value.a.0,",
        ),
        (
            ("pub a: String", ""),
            ("pub a: Name", "pub struct Name(pub String);"),
            "a: v1::Name(value.a),",
        ),
        (
            ("#[serde(flatten)] pub a: Port", PORT),
            ("pub number: u16", ""),
            "number: value.a.number",
        ),
        (
            ("pub number: u16", ""),
            ("#[serde(flatten)] pub a: Port", PORT),
            "a: v1::Port {\n                number: value.number,\n            }",
        ),
        (
            ("#[serde(flatten)] pub a: Port", PORT),
            ("#[serde(flatten)] pub a: Port, pub new: u8", PORT),
            "new: Default::default()",
        ),
        (
            ("pub a: Box<Port>", PORT),
            ("pub a: Port", PORT),
            "a: (*value.a).into(),",
        ),
        (
            ("pub a: Port", PORT),
            ("pub a: Box<Port>", PORT),
            "a: Box::new(value.a.into()),",
        ),
        (
            ("pub a: String", ""),
            ("pub a: Option<String>", ""),
            "a: Some(value.a),",
        ),
        (("pub a: i32", ""), ("pub a: i64", ""), "a: value.a.into(),"),
        (
            ("pub a: std::collections::BTreeMap<String, u8>", ""),
            ("pub a: std::collections::HashMap<String, u8>", ""),
            "a: value.a.into_iter().collect(),",
        ),
        (
            ("pub a: Mode", mode),
            (
                "pub a: Mode",
                "#[derive(Default)] pub enum Mode { One, #[default] Usual }",
            ),
            "v1alpha1::Mode::Other => Self::Usual,",
        ),
        (
            ("", ""),
            ("pub a: Option<String>", ""),
            "a: Default::default(),",
        ),
        (
            (
                "pub a: Mode",
                "#[serde(rename_all = \"snake_case\")] pub enum Mode { FirstOne }",
            ),
            (
                "pub a: Mode",
                "pub enum Mode { #[serde(rename = \"first_one\")] Renamed }",
            ),
            "v1alpha1::Mode::FirstOne => Self::Renamed,",
        ),
        (
            ("pub a: Mode", "pub enum Mode { A { b: u8, c: u8 } }"),
            ("pub a: Mode", "pub enum Mode { A { b: u8 } }"),
            "v1alpha1::Mode::A { b, .. } => Self::A { b },",
        ),
    ] {
        let text = made(older, newer);
        assert!(
            text.contains(expected.trim_end_matches(',')),
            "{older:?} {newer:?}\n{text}"
        );
    }
}
