//! Hostile input by the thousand, from a seed: it is refused with its place or taken for what it is, and nothing
//! panics. Another seed: `ROP_TEST_SEED=7 cargo test --test it -- fuzz`.

mod flags;
mod markers;
mod project;
mod shape;

use std::panic::{AssertUnwindSafe, catch_unwind};

use fastrand::Rng;

/// Texts that break out of what they are written into, or that names cannot be.
const HOSTILE: &[&str] = &[
    "",
    " ",
    "\n",
    "a\nb",
    "a\r\nb",
    "a\rb",
    "\0",
    "\u{1b}[2J",
    "a\u{202e}b",
    "a\u{2028}b",
    "\u{feff}a",
    "\u{200b}",
    "\"",
    "'",
    "\\",
    "a\\",
    "a\"b",
    "a'b",
    "\"; fn injected() {} //",
    "x\npub fn injected() {}",
    "*/ fn injected() {} /*",
    "{{ .Values }}",
    "{= project.name =}",
    "{% if x %}",
    "${{ github.token }}",
    "$(touch x)",
    "`touch x`",
    "$HOME",
    "#",
    "# a",
    "a # b",
    "a: b",
    "- a",
    ": ",
    "|",
    ">",
    "&a",
    "*a",
    "!!int 3",
    "null",
    "true",
    "Null",
    "True",
    "On",
    "No",
    "Y",
    "E1",
    "on",
    "~",
    "0x10",
    "1e3",
    "0644",
    "-1",
    "../..",
    "/etc/passwd",
    "a/../../b",
    "a b",
    "--flag",
    "-",
    ".",
    "..",
    "a.",
    ".a",
    "a..b",
    "é",
    "größe",
    "大",
    "😀",
    "e\u{301}",
    "self",
    "Self",
    "crate",
    "crate::x",
    "super::x",
    "fn",
    "r#fn",
    "_",
    "con",
    "x::y<z>",
    "std::fs::{self}",
    "a::b; fn x() {}",
    "a::",
    "::a",
    "a::b",
    "path:x",
    "path:x y",
    "path:x\"y",
    "path:.",
    "path:",
    "path:$(x)",
    "path:-x",
    "path:a/../b",
    "path:*",
    "path:#x",
    "path:[\"a\"]",
    "path:a\\b",
    "path:/abs",
    "path:../a\"b",
    "git:https://a",
    "git:https://a\u{1b}",
    "git:https://a\"b#c",
    "git:https://a#\u{202e}",
    "a@1",
    "a@1\"",
    "a@>=1, <2",
    "nginx:1",
    "nginx:1\"",
    "nginx@sha256:0",
    "18446744073709551616",
    "v1",
    "v1alpha1",
    "V1",
    "app",
    "App",
    "a-b",
    "A_b",
    "/a",
    "/a\"",
    "//",
    "MIT",
];

/// A hostile text, or one that is long.
fn hostile(rng: &mut Rng) -> String {
    match rng.u8(..12) {
        0 => "a".repeat(rng.usize(50..400)),
        1 => format!("{}{}", pick(rng, HOSTILE), pick(rng, HOSTILE)),
        _ => pick(rng, HOSTILE).to_owned(),
    }
}

fn pick<'a>(rng: &mut Rng, list: &[&'a str]) -> &'a str {
    list[rng.usize(..list.len())]
}

/// Tries many inputs, and names those that panic or are said to be wrong, a few of them.
#[track_caller]
fn try_all<T: std::fmt::Debug>(
    inputs: impl IntoIterator<Item = T>,
    what: impl Fn(&T) -> Result<(), String>,
) {
    let mut wrong = Vec::new();
    for input in inputs {
        let result = catch_unwind(AssertUnwindSafe(|| what(&input)));
        if let Err(why) = result.unwrap_or_else(|_| Err("panics".to_owned())) {
            wrong.push(format!("{why}: {input:?}"));
        }
    }
    let some = wrong
        .iter()
        .take(12)
        .map(|output| output.chars().take(1500).collect::<String>());
    let some = some.collect::<Vec<_>>().join("\n\n");
    assert!(
        wrong.is_empty(),
        "{} inputs are wrong:\n{some}",
        wrong.len()
    );
}
