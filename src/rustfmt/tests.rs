//! What is broken, and that nothing else changes.

use std::path::Path;

use super::token::{Token, Tokens};
use super::{WIDTH, break_lines, order, width};

/// Each line as a template has it, and as rustfmt leaves it.
const BROKEN: [(&str, &str); 13] = [
    (
        "pub fn default(object: &mut AKindWithARatherLongNameOfItsOwn, request: &webhook::Request<State>) {",
        "pub fn default(object: &mut AKindWithARatherLongNameOfItsOwn, request: &webhook::Request<State>) {",
    ),
    (
        "pub fn default(object: &mut AKindWithARatherLongNameOfItsOwnXYZ, list: BTreeMap<String, String>) -> X {",
        "pub fn default(\n    object: &mut AKindWithARatherLongNameOfItsOwnXYZ,\n    list: BTreeMap<String, String>,\n) -> X {",
    ),
    (
        "pub fn validator() -> webhook::Validator<AKindWithARatherLongNameOfItsOwnThatFillsALine1234, State> {",
        "pub fn validator() -> webhook::Validator<AKindWithARatherLongNameOfItsOwnThatFillsALine1234, State>\n{",
    ),
    (
        "pub fn validator() -> webhook::Validator<AKindWithARatherLongNameOfItsOwnThatFillsALine1234567, State> {",
        "pub fn validator()\n-> webhook::Validator<AKindWithARatherLongNameOfItsOwnThatFillsALine1234567, State> {",
    ),
    (
        "use op_api::app::v1::{AKindWithARatherLongNameOfItsOwn, AKindWithARatherLongNameOfItsOwnStatus, Oth};",
        "use op_api::app::v1::{\n    AKindWithARatherLongNameOfItsOwn, AKindWithARatherLongNameOfItsOwnStatus, Oth,\n};",
    ),
    (
        "    sample(include_str!(\"../../../config/samples/app_v1_akindwithara.yaml\"), \"web\")",
        "    sample(\n        include_str!(\"../../../config/samples/app_v1_akindwithara.yaml\"),\n        \"web\",\n    )",
    ),
    (
        "        .sample(include_str!(\"../src/controller/akindwitharatherlong/fixture.yaml\"))",
        "        .sample(include_str!(\n            \"../src/controller/akindwitharatherlong/fixture.yaml\"\n        ))",
    ),
    (
        "        .crds([a_crate::of_kinds::v1::Kind::crd(), a_crate::of_kinds::v1::Other::crd()])",
        "        .crds([\n            a_crate::of_kinds::v1::Kind::crd(),\n            a_crate::of_kinds::v1::Other::crd(),\n        ])",
    ),
    (
        "    vec![unserved(deprecated(app::v1::AKindWithARatherLongNameOfItsOwn::crd(), Some(\"über, (\")))]",
        "    vec![unserved(deprecated(\n        app::v1::AKindWithARatherLongNameOfItsOwn::crd(),\n        Some(\"über, (\"),\n    ))]",
    ),
    (
        "    manager.conversion(Conversion::<Hub>::new().spoke::<V1alpha1>().spoke::<V1beta1>());",
        "    manager.conversion(\n        Conversion::<Hub>::new()\n            .spoke::<V1alpha1>()\n            .spoke::<V1beta1>(),\n    );",
    ),
    (
        "    manager.controller(reconcile::reconcile).named(\"backup\").start();",
        "    manager\n        .controller(reconcile::reconcile)\n        .named(\"backup\")\n        .start();",
    ),
    (
        "    let hubs = api::<v1::AKindWithARatherLongNameOfItsOwnThatDoesNotFitOnOneLineWithTheRestOfIt>(&client);",
        "    let hubs =\n        api::<v1::AKindWithARatherLongNameOfItsOwnThatDoesNotFitOnOneLineWithTheRestOfIt>(&client);",
    ),
    (
        "    Cluster::of(env!(\"CARGO_BIN_EXE_a-rather-long-name-for-an-operator-of-web\"))\n        .config(\"c\")\n        .shared()",
        "    Cluster::of(env!(\n        \"CARGO_BIN_EXE_a-rather-long-name-for-an-operator-of-web\"\n    ))\n    .config(\"c\")\n    .shared()",
    ),
];

#[test]
fn lines_are_broken_as_rustfmt_breaks_them() {
    for (line, broken) in BROKEN {
        assert_eq!(break_lines(line), broken);
        assert_eq!(break_lines(&format!("{line}\n")), format!("{broken}\n"));
    }
}

/// Comments, strings of several lines, attributes, and what is no expression.
#[test]
fn what_is_not_known_stays() {
    for line in [
        "    // sample(include_str!(\"../../../config/samples/app_v1_akindwithara.yaml\"), \"web\")",
        "    call(\"a line with a comment\", \"another argument that is long\"); // of some words (or more)",
        "/* call(\"one argument of this call\", \"another argument of this call\", \"one more of them\")\n */",
        "const TEXT: &str = \"\ncall(\"one argument of this call\", \"another argument of this call\", 1)\n\";",
        "#[doc(alias = \"one alias of this item\", alias = \"another alias of this item, which is longer\")]",
        "    edit(&objects, name, json!({ \"spec\": { \"ports\": [{ \"port\": 80, \"protocol\": \"TCP\" }] } })).await;",
        "    matches!(answer, Err(Error::Api(answer)) if answer.message.ends_with(\"of these words\"))",
        "const NAME: &str = \"a text that has more letters than any line has room for, on this line as well as on the next one\";",
    ] {
        assert_eq!(break_lines(line), line);
    }
}

/// The library's own sources are formatted.
#[test]
fn what_rustfmt_wrote_stays() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["runtime", "src", "examples"] {
        let files = walkdir::WalkDir::new(root.join(folder));
        for file in files.into_iter().filter_map(Result::ok) {
            if file.path().extension().is_none_or(|it| it != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(file.path()).expect("a source");
            // rustfmt leaves what has a line that it cannot break.
            let is_wide = |line: &str| width(line) > WIDTH && !line.trim_start().starts_with("//");
            if !text.lines().any(is_wide) {
                assert!(break_lines(&text) == text, "{}", file.path().display());
            }
        }
    }
}

/// Pieces of Rust, and of what looks like it.
const PIECES: [&str; 46] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ",",
    ", ",
    ";",
    ";\n",
    "\n",
    "\n    ",
    " = ",
    "let ",
    "pub fn ",
    "use ",
    "use a::{",
    "}\n",
    "-> ",
    " {\n",
    ".",
    ".b()",
    "::",
    "vec![",
    "include_str!(",
    "\"",
    "\"a, (b\"",
    "'",
    "'a",
    "'\\''",
    "'ß'",
    "r#\"",
    "\"#",
    "r#type",
    "//",
    "// über, (\n",
    "/*",
    "*/",
    "\\",
    "#[",
    "|x| ",
    "&mut ",
    "\u{202e}",
    "日本",
];

/// The pieces of a source but blanks, and but commas at the end of a list.
fn meaning(text: &str) -> Vec<&str> {
    let mut pieces: Vec<(Token, &str)> = Vec::new();
    for (token, range) in Tokens::of(text) {
        let piece = &text[range];
        if token == Token::Close {
            while pieces.pop_if(|(_, last)| *last == ",").is_some() {}
        }
        if ![Token::Blank, Token::LineEnd].contains(&token) {
            pieces.push((token, piece));
        }
    }
    pieces.into_iter().map(|(_, piece)| piece).collect()
}

/// Whatever a source has, only blanks and commas change, once.
#[test]
fn any_text_keeps_what_it_says() {
    for seed in 0..4000 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut text = String::new();
        for _ in 0..random.usize(..60) {
            match random.usize(..3) {
                0 => text.push_str(&"name_".repeat(random.usize(1..14))),
                1 => text.push_str(["()", "(a, b)", "(\"a\")", "_a", " "][random.usize(..5)]),
                _ => text.push_str(PIECES[random.usize(..PIECES.len())]),
            }
        }
        let broken = break_lines(&text);
        assert_eq!(meaning(&broken), meaning(&text), "seed {seed}: {text}");
        assert_eq!(break_lines(&broken), broken, "seed {seed}: {text}");
    }
}

/// Brackets in brackets end nothing but the reading of their line.
#[test]
fn deep_brackets_stay() {
    for bracket in ["(", "[", "{", "<", "(a, ", "\"", "/*"] {
        let text = bracket.repeat(100_000);
        assert_eq!(break_lines(&text), text);
    }
}

#[test]
fn imports_are_sorted_by_numbers() {
    let sorted = [
        "_a", "a", "a_b", "a1", "a2b", "a010", "a10", "ab", "b", "v1", "v1alpha1", "v2", "v10",
    ];
    let mut names = sorted;
    names.reverse();
    names.sort_by(|left, right| order(left, right));
    assert_eq!(names, sorted);
}
