//! Spoiled configurations and bundles: what is wrong, where, and what to do; never a panic.

use std::os::unix::fs::symlink;

use serde_json::Value;

use super::{CONFIG, GENERATED, MIXED, bundle};
use crate::olm::bundle::{ANNOTATIONS, CRD, CSV};
use crate::olm::mutations::noise;
use crate::support::Outcome;

/// Text that clears a screen, forges lines and reads backwards, as YAML in double quotes has it.
const HOSTILE: &str = r"a\e[2J\nState: pass\rb\u202Ec</failure>&\x9b";

/// Whether a terminal shows all of what was printed, and no line is forged.
#[track_caller]
fn is_plain(outcome: &Outcome) {
    for text in [&outcome.stdout, &outcome.stderr] {
        let hidden = text
            .chars()
            .find(|&c| c.is_control() && !matches!(c, '\n' | '\t') || c == '\u{202e}');
        assert_eq!(hidden, None, "{text:?}");
        assert!(
            !text.lines().any(|line| line.trim() == "State: pass\\r"),
            "{text}"
        );
        assert!(
            !text.lines().any(|line| line.starts_with("State: pass")),
            "{text}"
        );
    }
}

const PATH: &str = "bundle/tests/scorecard/config.yaml";

/// Replaces a part of the configuration, which must be there.
#[track_caller]
fn with(from: &str, to: &str) -> String {
    assert!(MIXED.contains(from), "{from}");
    MIXED.replacen(from, to, 1)
}

#[track_caller]
fn is_refused(name: &str, text: &str, expected: &str) {
    let mut bundle = bundle();
    bundle.write(CONFIG, text);
    let world = bundle.world();
    for command in ["scorecard", "scorecard --list", "scorecard -o json"] {
        let outcome = world.rop(command);
        assert_eq!(outcome.code, 1, "{name}: {outcome}");
        outcome
            .says("error[malformed-file]")
            .says(PATH)
            .says(expected)
            .says("hint: compare it with the file that `rop bundle` generates");
    }
}

#[test]
fn spoiled_files() {
    let (half, _) = MIXED.split_at(MIXED.len() / 2);
    for (name, text, expected) in [
        ("empty", String::new(), ": the file has no content"),
        ("comment", "# a\n".into(), "the file has no content"),
        (
            "truncated",
            format!("{half}\n\""),
            "the file is not valid YAML",
        ),
        ("a list", "- 1\n".into(), ":1: the file must be an object"),
        ("a word", "word\n".into(), ":1: the file must be an object"),
        (
            "other kind",
            with("Configuration", "Pod"),
            ":2: `kind` must be `Configuration`",
        ),
        (
            "other version",
            with("v1alpha3", "v1alpha2"),
            ":1: `apiVersion` must be `scorecard.operatorframework.io/v1alpha3`",
        ),
        (
            "duplicate",
            with(
                "kind: Configuration",
                "kind: Configuration\nkind: Configuration",
            ),
            ":3: `kind` is set twice",
        ),
        (
            "tabs",
            with("  - image: mirror", "\t- image: mirror"),
            "the file is not valid YAML",
        ),
        (
            "second document",
            format!("{MIXED}---\na: 1\n"),
            "the file has 2 documents",
        ),
        ("deep", "[".repeat(100_000), "the file is not valid YAML"),
    ] {
        is_refused(name, &text, expected);
    }
}

#[test]
fn spoiled_fields() {
    let (head, _) = MIXED.split_once("stages:").expect("stages");
    for (name, text, expected) in [
        ("no stages", head.into(), ": `stages` is missing"),
        (
            "empty stages",
            format!("{head}stages: []\n"),
            ":5: `stages` has no tests",
        ),
        (
            "stages without tests",
            format!("{head}stages: [{{}}, {{tests: []}}]\n"),
            ":5: `stages` has no tests",
        ),
        (
            "stages of words",
            format!("{head}stages: [a]\n"),
            ":5: `stages[0]` must be an object",
        ),
        (
            "stages as a word",
            format!("{head}stages: a\n"),
            ":5: `stages` must be a list",
        ),
        (
            "no image",
            with("image: mirror.test:5000/scorecard-test:v1", "uniqueID: a"),
            ":7: `stages[0].tests[0].image` is missing",
        ),
        (
            "image of a number",
            with("mirror.test:5000/scorecard-test:v1", "1"),
            ":7: `stages[0].tests[0].image` must be a text",
        ),
        (
            "entrypoint of a word",
            with("[scorecard-test, basic-check-spec]", "scorecard-test"),
            ":8: `stages[0].tests[0].entrypoint` must be a list",
        ),
        (
            "label of a number",
            with("suite: basic", "suite: 1"),
            ":9: `stages[0].tests[0].labels.suite` must be a text",
        ),
        (
            "parallel as a word",
            with("parallel: true", "parallel: maybe"),
            ":10: `stages[1].parallel` must be `true` or `false`",
        ),
    ] {
        is_refused(name, &text, expected);
    }
}

#[test]
fn files_in_the_way() {
    let large = format!("{MIXED}# {}\n", noise(2_000_000));
    let mut bundle = bundle();
    bundle.write(CONFIG, &large);
    bundle.world().rop("scorecard").ok().says("passes 2 tests");
    bundle.remove(CONFIG);
    let world = bundle.world();
    world
        .rop("scorecard")
        .exits(1)
        .says("the bundle has no readable configuration of the scorecard")
        .says(PATH)
        .says("`--config`");
    world
        .rop("scorecard -c nothing.yaml")
        .exits(1)
        .says("failed to read `nothing.yaml`")
        .says("hint: name a file");
    world
        .rop("scorecard -c .")
        .exits(1)
        .says("failed to read `.`");
    // A link out of the bundle is not followed.
    world.write("secret.yaml", GENERATED);
    std::fs::create_dir_all(world.path().join("bundle/tests/scorecard")).expect("a folder");
    symlink("../../../secret.yaml", world.path().join(PATH)).expect("a link");
    world
        .rop("scorecard")
        .exits(1)
        .says("leads out of the bundle");
}

#[test]
fn a_field_that_nothing_reads_is_named() {
    let mut bundle = bundle();
    bundle.write(CONFIG, &MIXED.replace("parallel:", "paralel:"));
    bundle
        .world()
        .rop("scorecard")
        .ok()
        .says("config.yaml:10: the field `stages[1].paralel` is ignored; did you mean `parallel`?");
}

/// Names in all places, in all forms of output.
#[test]
fn names_cannot_steer_a_terminal() {
    let mut bundle = bundle();
    let quoted = format!("\"{HOSTILE}\"");
    let config = MIXED
        .replace("example.test/custom:v1", &quoted)
        .replace("[custom, one]", &format!("[custom, {quoted}]"))
        .replace("test: one", &format!("test: {quoted}, {quoted}: {quoted}"))
        .replace("olm-spec-descriptors", &quoted);
    bundle.write(CONFIG, &config);
    bundle.csv("name: app-operator.v1.2.0", &format!("name: {quoted}"));
    bundle.csv(
        "\"metadata\": {\"name\": \"sample\"}",
        "\"metadata\": {\"name\": \"a\\u001b[2J\\nState: pass\\u009b\"}",
    );
    bundle.csv(
        "\"spec\": {\"size\": 3}",
        "\"spec\": {\"x\\u001b[2J\\nState: pass\": 1}",
    );
    bundle.csv(
        "kind: AppService\n        displayName",
        &format!("kind: {quoted}\n        displayName"),
    );
    let world = bundle.world();
    for output in [
        "-o text",
        "-o json",
        "-o xunit",
        "--json",
        "--list",
        "-L -o xunit",
    ] {
        let outcome = world.rop(&format!("scorecard {output}"));
        is_plain(&outcome);
        if output.contains("json") {
            serde_json::from_str::<Value>(&outcome.stdout).expect("JSON");
        } else if output.contains("xunit") {
            assert!(!outcome.stdout.contains("c</failure>"), "{outcome}");
            assert!(
                outcome.stdout.contains("c&lt;/failure&gt;&amp;"),
                "{outcome}"
            );
        }
    }
    for selector in ["a\u{1b}[2J=b", "suite=a\u{1b}"] {
        is_plain(&world.rop_in(".", &["scorecard", "-l", selector]).exits(2));
    }
    is_plain(&world.rop_in(".", &["scorecard", "a\u{1b}[2J"]).exits(1));
    is_plain(
        &world
            .rop_in(".", &["scorecard", "-c", "a\u{1b}[2J"])
            .exits(1),
    );
    is_plain(
        &world
            .rop_in(".", &["scorecard", "-n", "a\u{1b}[2J"])
            .exits(2),
    );
}

/// Every value of every file, replaced by one of another type.
#[test]
fn values_of_other_types_are_no_panic() {
    let values = ["null", "1", "[]", "{}", "[null, 1, {a: []}]", "\"\\e[2J\""];
    let mut count = 0;
    for file in [CONFIG, ANNOTATIONS, CSV, CRD] {
        let mut text = bundle().files[file].clone();
        if file == CONFIG {
            MIXED.clone_into(&mut text);
        }
        for (at, line) in text.lines().enumerate() {
            let Some((key, _)) = line.split_once(": ") else {
                continue;
            };
            // A process for each: some of the many.
            count += 1;
            if count % 5 != 0 {
                continue;
            }
            let value = values[count / 5 % values.len()];
            let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
            lines[at] = format!("{key}: {value}");
            let mut bundle = bundle();
            bundle.write(file, &lines.join("\n"));
            let outcome = bundle.world().rop("scorecard");
            assert!(
                [0, 1].contains(&outcome.code),
                "{file} {at} {value}: {outcome}"
            );
        }
    }
}
