//! What is not converted, and what the user is told instead.

use super::of_files;
use super::shapes::{PORT, alike, made};

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn what_is_not_understood_does_not_compile_and_says_what_to_write() {
    let two = "#[cfg(unix)] pub struct Port { pub n: u8 } #[cfg(not(unix))] pub struct Port { pub m: u8 }";
    let pair = "pub struct Pair<T: Tr> { pub a: T::Out }";
    for (older, newer, expected) in [
        (
            ("pub a: String", ""),
            ("pub a: Mode", "pub enum Mode { A }"),
            "set `WebSpec.a` (`Mode` in v1) from `value.a` (`String` in v1alpha1)",
        ),
        (
            ("", "fn all() -> u8 { 100 }"),
            (
                "#[serde(default = \"all\")] pub a: u8",
                "fn all() -> u8 { 100 }",
            ),
            "set `WebSpec.a`, which v1alpha1 does not have: its default is `all`",
        ),
        (
            ("pub a: port!()", ""),
            ("pub a: port!()", ""),
            "the macro `port!` is not expanded",
        ),
        (
            ("pub a: Port", "define!(Port);"),
            ("pub a: Port", "define!(Port);"),
            "`Port` may come from the macro `define!`",
        ),
        (
            ("pub a: Box<dyn Port>", ""),
            ("pub a: Box<dyn Port>", ""),
            "trait objects are not followed",
        ),
        (
            ("pub a: Port", two),
            ("pub a: Port", two),
            "`Port` has several definitions",
        ),
        (
            ("pub a: Port", "pub struct Port { number: u8 }"),
            ("pub a: Port", PORT),
            "the field `number` of `Port` is private to `api/src/app/v1alpha1/web.rs`: make it `pub`",
        ),
        (
            (
                "pub a: inner::Port",
                "mod inner { pub struct Port { pub n: u8 } }",
            ),
            ("pub a: Port", PORT),
            "`Port` is private to",
        ),
        (
            ("pub a: Pair<u8>", pair),
            ("pub a: Pair<u8>", pair),
            "associated types are not followed",
        ),
        (
            ("pub a: [u8; 2]", ""),
            ("pub a: [u8; 3]", ""),
            "(`[u8; 3]` in v1) from `value.a` (`[u8; 2]` in v1alpha1)",
        ),
        (
            ("pub a: i64", ""),
            ("pub a: i32", ""),
            "such as `i32::try_from(value.a).unwrap_or(i32::MAX)`",
        ),
        (
            ("pub a: Option<String>", ""),
            ("pub a: String", ""),
            "such as `value.a.unwrap_or_default()`",
        ),
        (
            ("", ""),
            ("pub a: Mode", "pub enum Mode { A, B }"),
            "set `WebSpec.a`, which v1alpha1 does not have: `Mode` has no known `Default`",
        ),
        (
            ("pub a: Mode", "pub enum Mode { A(u8), B }"),
            ("pub a: Mode", "pub enum Mode { A { b: u8 }, B }"),
            "convert `A` of v1alpha1: `Mode::A` of v1 has different fields",
        ),
        (
            ("pub a: Mode", "pub enum Mode { A, B }"),
            (
                "pub a: Mode",
                "pub enum Mode { A(Other) } pub enum Other { C }",
            ),
            "Mode::A`, which v1alpha1 does not have",
        ),
        (
            (
                "#[serde(flatten)] pub a: std::collections::BTreeMap<String, u16>",
                "",
            ),
            ("pub number: u16", ""),
            "its value may be in `value.a`, which is flattened in v1alpha1",
        ),
        (
            ("pub a: A", "type A = B; type B = A;"),
            ("pub a: A", "type A = B; type B = A;"),
            "its alias refers to itself",
        ),
        (
            ("pub a: Port", PORT),
            ("pub a: super::other::Far", ""),
            "`other` is not defined in the module `crate::app::v1`",
        ),
        (
            ("pub a: Name", "pub struct Name(pub u8, pub u8);"),
            ("pub a: Name", "pub struct Name(pub u8);"),
            "one has 2 fields, the other 1",
        ),
        (
            ("#[cfg(unix)] pub a: u8", ""),
            ("pub a: u8", ""),
            "has different `#[cfg]` conditions",
        ),
    ] {
        let text = made(older, newer);
        let unwrapped = text.replace(" \\\n", " ");
        let words: Vec<_> = unwrapped.split_whitespace().collect();
        let message = words.join(" ");
        assert!(message.contains(expected), "{older:?} {newer:?}\n{text}");
        assert!(text.contains("compile_error!("), "{text}");
    }
}

/// What somebody wrote beside the types is not written again.
#[test]
fn conversions_that_are_there_are_used() {
    let text = made(
        ("pub a: Port", "pub struct Port { number: u8 }"),
        (
            "pub a: Port",
            "pub struct Port { pub number: u16 }\n\
             impl From<crate::app::v1alpha1::web::Port> for Port { fn from(_: crate::app::v1alpha1::web::Port) -> Self { Self { number: 1 } } }\n\
             impl From<Port> for crate::app::v1alpha1::web::Port { fn from(_: Port) -> Self { todo!() } }",
        ),
    );
    assert_eq!(text.matches("a: value.a.into()").count(), 2, "{text}");
    assert!(!text.contains("Port"), "{text}");
}

/// Each level of one is two of the next.
#[test]
fn types_without_end_are_refused() {
    let mut aliases: String = (0..40)
        .map(|n| format!("type A{n} = (A{0}, A{0});", n + 1))
        .collect();
    aliases.push_str("type A40 = u8;");
    let text = alike("pub a: A0", &aliases);
    assert!(text.contains("compile_error!"), "{text}");
    let grows = "pub struct Grow<T> { pub next: Option<Box<Grow<Vec<T>>>> }";
    let text = alike("pub a: Grow<u8>", grows);
    assert!(text.contains("compile_error!"), "{text}");
    let deep = format!("pub a: {}u8{}", "Vec<".repeat(200), ">".repeat(200));
    let text = format!("#[kube(kind = \"Web\")]\npub struct WebSpec {{ {deep} }}");
    let error = super::made(&text, &text).expect_err("too deep");
    let chain: Vec<_> = error.chain().collect();
    assert_eq!(chain[0], "failed to read `api/src/app/v1alpha1/web.rs`");
    assert!(
        chain[1].contains("nested more than 128 levels or 512 tokens deep"),
        "{chain:?}"
    );
    let module = "pub mod a;";
    let files = [
        (
            "api/src/app/v1alpha1/web.rs",
            "#[path = \"web.rs\"] pub mod a;",
        ),
        ("api/src/app/v1/web.rs", module),
    ];
    let error = of_files(&files).expect_err("no end");
    assert_eq!(
        error.chain().next().as_deref(),
        Some("the API crate has too many modules, at `api/src/app/v1alpha1/web.rs`")
    );
}

#[test]
fn thousands_of_fields_are_converted() {
    let fields: String = (0..5000)
        .map(|n| format!("pub f{n}: Option<Box<WebSpec>>,\n"))
        .collect();
    let text = alike(&fields, "");
    assert_eq!(text.matches("Box::new((*value).into())").count(), 10_000);
}
