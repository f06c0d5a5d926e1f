//! Each file of a bundle, spoiled in each way: a finding with a place and a hint, never a panic, and the exit code 1.

use super::bundle::{ANNOTATIONS, Bundle, CRD, CSV, ROLE, SERVICE};
use super::mutations::noise;

const DEPENDENCIES: &str = "metadata/dependencies.yaml";
const PROPERTIES: &str = "metadata/properties.yaml";

/// All files that OLM reads. The tests of scorecard have their own tests.
const FILES: [&str; 7] = [
    CSV,
    CRD,
    SERVICE,
    ROLE,
    ANNOTATIONS,
    DEPENDENCIES,
    PROPERTIES,
];

/// Those that a bundle can lack.
const OPTIONAL: [&str; 4] = [SERVICE, ROLE, DEPENDENCIES, PROPERTIES];

/// A bundle with each of the files.
fn whole() -> Bundle {
    let mut bundle = Bundle::valid();
    bundle.depend("olm.package", "{packageName: db, version: '>=1.0.0'}");
    let properties = "properties:\n  - type: olm.maxOpenShiftVersion\n    value: '4.20'\n";
    bundle.write(PROPERTIES, properties);
    // The rest of what they say of a valid bundle.
    bundle.options.validators.remove("operatorhub");
    bundle.options.validators.remove("olmv1");
    bundle
}

/// What is done to a file: its text, or none if it is removed.
type Spoil = (&'static str, fn(&str) -> Option<String>);

const SPOILS: &[Spoil] = &[
    ("missing", |_| None),
    ("empty", |_| Some(String::new())),
    ("truncated", |text| {
        Some(format!("{}\n\"", &text[..text.len() / 2]))
    }),
    ("of another kind", |_| {
        Some("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n".into())
    }),
    ("a list", |_| Some("- 1\n- 2\n".into())),
    ("a word", |_| Some("word\n".into())),
    ("JSON without an end", |_| Some("{\"a\": [1,".into())),
    ("with duplicate keys", |text| {
        Some(format!("{text}kind: Other\nkind: Other\n"))
    }),
    ("2 MB large", |text| {
        Some(format!("{text}# {}\n", noise(2_000_000)))
    }),
    ("with tabs", |text| Some(text.replace("  ", "\t"))),
    ("with a second document", |text| {
        Some(format!("{text}---\na: 1\n"))
    }),
    ("deep", |_| Some("[".repeat(100_000))),
    ("with a million aliases", |_| {
        let mut text = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 0..9 {
            let (name, next) = ((b'a' + level) as char, (b'b' + level) as char);
            let aliases = vec![format!("*{name}"); 9].join(", ");
            text.extend([format!("{next}: &{next} [{aliases}]\n")]);
        }
        Some(text)
    }),
    ("with a mark of its byte order", |text| {
        Some(format!("\u{feff}{text}\t\tx"))
    }),
];

/// What is found for each, in order of [`SPOILS`]: the rules whose findings name the file.
fn rules_of(file: &str, spoil: &Spoil) -> (Vec<String>, bool) {
    let mut bundle = whole();
    match spoil.1(&bundle.files[file]) {
        Some(text) => bundle.write(file, &text),
        None => bundle.remove(file),
    }
    let report = bundle.check();
    let mut rules = Vec::new();
    for finding in &report.findings {
        assert!(
            !finding.message.is_empty() && !finding.hint.is_empty(),
            "{finding:?}"
        );
        assert_ne!(finding.line, Some(0), "{finding:?}");
        rules.push(finding.rule.to_owned());
    }
    rules.dedup();
    rules.sort();
    rules.dedup();
    (rules, report.passes(false))
}

#[test]
fn spoiled_files_are_findings() {
    let mut lines = Vec::new();
    for file in FILES {
        for spoil in SPOILS {
            let (rules, passes) = rules_of(file, spoil);
            // Only manifests count for the size of a bundle.
            let is_harmless = OPTIONAL.contains(&file) && spoil.0 == "missing"
                || file.starts_with("metadata/") && spoil.0 == "2 MB large";
            assert_eq!(passes, is_harmless, "{file} {}: {rules:?}", spoil.0);
            lines.push(format!("{file} {}: {}", spoil.0, rules.join(" ")));
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!("spoiled-bundles", lines.join("\n")));
}

/// The same through the command: one document of JSON, and an exit code.
#[test]
fn spoiled_files_have_an_exit_code() {
    for file in FILES {
        for (name, spoil) in SPOILS {
            let mut bundle = whole();
            match spoil(&bundle.files[file]) {
                Some(text) => bundle.write(file, &text),
                None => bundle.remove(file),
            }
            let outcome = bundle.world().rop("bundle validate bundle -o json-alpha1");
            let report: serde_json::Value = serde_json::from_str(&outcome.stdout).expect(name);
            let passed = report["passed"] == true;
            assert_eq!(outcome.code, i32::from(!passed), "{file} {name}");
            let said = outcome
                .stderr
                .contains("error[invalid-bundle]: `bundle` has ");
            assert_eq!(said, !passed, "{file} {name}: {outcome}");
        }
    }
}

/// Every value of every file, replaced by one of another type: no rule panics.
#[test]
fn values_of_other_types_are_no_panic() {
    let values = [
        "null",
        "1",
        "true",
        "[]",
        "{}",
        "[null, 1, {a: []}]",
        "{a: [{}]}",
        "\"\u{1b}[2J\"",
    ];
    for file in FILES {
        let text = whole().files[file].clone();
        for (at, line) in text.lines().enumerate() {
            let Some((key, _)) = line.split_once(": ") else {
                continue;
            };
            for value in values {
                let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
                lines[at] = format!("{key}: {value}");
                let mut bundle = whole();
                bundle.write(file, &lines.join("\n"));
                bundle.check();
            }
        }
    }
}

/// Schemas as deep as a file can have them, and as long: all are judged, and no stack overflows.
#[test]
fn deep_and_long_schemas() {
    let mut bundle = Bundle::valid();
    let deep = "{type: object, properties: {a: ".repeat(240);
    let schema = format!("size: {deep}{{type: int}}{}", "}}".repeat(240));
    bundle.crd(
        "size:\n                  type: integer\n                  minimum: 1",
        &schema,
    );
    let found = bundle.found("crd-schema");
    assert!(!found.is_empty());
    assert!(
        found[0].field.len() > 240 * "properties.a".len(),
        "{:?}",
        found[0]
    );
    let mut bundle = Bundle::valid();
    let long: String = (0..20_000)
        .map(|at| format!("                a{at}: {{type: int}}\n"))
        .collect();
    bundle.crd(
        "                size:\n",
        &format!("{long}                size:\n"),
    );
    // No rule lists more than these.
    assert_eq!(bundle.found("crd-schema").len(), 200);
}

/// Lines in random order, some missing and some twice: no rule panics.
#[test]
fn random_values_are_no_panic() {
    for seed in crate::support::seeds(60) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut bundle = whole();
        for file in FILES {
            let text = bundle.files[file].clone();
            let mut lines: Vec<_> = text.lines().collect();
            for _ in 0..random.usize(1..6) {
                if lines.is_empty() {
                    break;
                }
                let from = random.usize(..lines.len());
                match random.u8(..3) {
                    0 => drop(lines.remove(from)),
                    1 => lines.insert(random.usize(..lines.len()), lines[from]),
                    _ => lines.swap(from, 0),
                }
            }
            bundle.write(file, &lines.join("\n"));
        }
        bundle.check();
    }
}
