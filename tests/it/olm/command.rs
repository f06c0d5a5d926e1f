//! The command: its output, its flags and its exit codes.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::bundle::{Bundle, CRD, CSV};
use crate::support::World;

fn with_flaws() -> World {
    let mut bundle = Bundle::valid();
    bundle.csv("image/svg+xml", "image/bmp");
    bundle.csv("  minKubeVersion: 1.28.0\n", "");
    bundle.csv("  version: 1.2.0", "  version: v1");
    bundle.world()
}

const VALIDATE: &str = "bundle validate bundle";

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn a_valid_bundle() {
    let outcome = Bundle::valid().world().rop(VALIDATE).ok();
    insta::assert_snapshot!(outcome, @r"
    exit: 0
    --- stderr
         done `bundle` passes: no errors and no warnings, 88 rules checked
    ");
}

#[test]
fn findings_for_people() {
    let world = with_flaws();
    let outcome = world.rop("bundle validate bundle --select-optional name=operatorhubv2");
    insta::assert_snapshot!(outcome.exits(1), @r"
    exit: 1
    --- stdout
    warning[min-kube-version-missing]: the oldest supported Kubernetes is not named
      --> bundle/manifests/app-operator.clusterserviceversion.yaml:25 spec.minKubeVersion
      hint: set `spec.minKubeVersion`, such as `1.28.0`
    error[csv-version]: `v1` is not a semantic version: unexpected character 'v' while parsing major version number
      --> bundle/manifests/app-operator.clusterserviceversion.yaml:28 spec.version
      hint: write for example `version: 1.0.0`
    error[icon-media-type]: unsupported media type `image/bmp`
      --> bundle/manifests/app-operator.clusterserviceversion.yaml:44 spec.icon[0].mediatype
      hint: use `image/gif`, `image/jpeg`, `image/png` or `image/svg+xml`
    --- stderr
    error[invalid-bundle]: `bundle` has 2 errors and 1 warning
    hint: fix the findings above and run the command again
    ");
}

#[test]
fn warnings_fail_if_strict() {
    let mut bundle = Bundle::valid();
    bundle.csv("  minKubeVersion: 1.28.0\n", "");
    let world = bundle.world();
    world.rop(VALIDATE).ok().says("no errors and 1 warning");
    let outcome = world.rop("bundle validate bundle --strict").exits(1);
    outcome.says("`bundle` has no errors and 1 warning, and `--strict` allows no warnings");
}

/// The shape that operator-sdk prints.
#[test]
fn json_of_operator_sdk() {
    let outcome = with_flaws()
        .rop("bundle validate bundle -o json-alpha1")
        .exits(1);
    assert!(outcome.stdout.starts_with(
        "{\n    \"passed\": false,\n    \"outputs\": [\n        {\n            \"type\": "
    ));
    let outputs = parse(&outcome.stdout)["outputs"].take();
    let warning = json!({
        "type": "warning",
        "message": format!("Warning: Field spec.minKubeVersion, Value bundle/{CSV}: the oldest supported Kubernetes is not named"),
        "rule": "min-kube-version-missing",
        "file": format!("bundle/{CSV}"),
        "line": 25,
        "field": "spec.minKubeVersion",
        "hint": "set `spec.minKubeVersion`, such as `1.28.0`",
    });
    assert_eq!(outputs[0], warning);
    assert_eq!(outputs[1]["type"], "error");
    let message = outputs[1]["message"].as_str().unwrap_or_default();
    assert!(
        message.starts_with("Error: Field spec.version, Value v1: "),
        "{message}"
    );
    let outcome = Bundle::valid()
        .world()
        .rop("bundle validate bundle -o json-alpha1")
        .ok();
    assert_eq!(
        outcome.stdout,
        "{\n    \"passed\": true,\n    \"outputs\": null\n}\n"
    );
}

/// What operator-sdk prints nothing for.
#[test]
fn what_cannot_be_read_is_in_json() {
    let world = World::new();
    for (directory, rule) in [("nothing", "bundle-directory"), (".", "manifests-missing")] {
        let command = format!("bundle validate {directory} -o json-alpha1");
        let report = parse(&world.rop(&command).exits(1).stdout);
        assert_eq!(report["passed"], false);
        let outputs = report["outputs"].as_array().expect("a list");
        assert!(outputs.iter().any(|it| it["rule"] == rule), "{report:#}");
    }
}

#[test]
fn json_of_rop() {
    let outcome = with_flaws().rop("bundle validate bundle --json").exits(1);
    let report = parse(&outcome.stdout);
    assert_eq!(
        (&report["errors"], &report["warnings"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(report["passed"], false);
    assert_eq!(report["findings"][1]["rule"], "csv-version");
    let both = with_flaws()
        .rop("bundle validate bundle --json -o sarif")
        .exits(2);
    both.says("error[conflicting-flags]: `--json` cannot be used with `--output`");
}

#[test]
fn sarif() {
    let outcome = with_flaws().rop("bundle validate bundle -o sarif").exits(1);
    let report = parse(&outcome.stdout);
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    let rules = &run["tool"]["driver"]["rules"];
    let results = run["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2);
    for result in results {
        let index = result["ruleIndex"]
            .as_u64()
            .and_then(|it| usize::try_from(it).ok());
        assert_eq!(rules[index.expect("an index")]["id"], result["ruleId"]);
    }
    assert_eq!(results[1]["level"], "error");
    assert_eq!(
        results[1]["locations"],
        json!([{
            "physicalLocation": {
                "artifactLocation": { "uri": format!("bundle/{CSV}") },
                "region": { "startLine": 28 },
            },
            "logicalLocations": [{ "fullyQualifiedName": "spec.version" }],
        }])
    );
}

#[test]
fn the_optional_validators_are_listed() {
    let world = World::new();
    let outcome = world.rop("bundle validate --list-optional").ok();
    insta::assert_snapshot!(outcome, @r"
    exit: 0
    --- stdout
    NAME                   LABELS                                              DESCRIPTION
    operatorhubv2          name=operatorhubv2,suite=operatorframework          What OperatorHub.io shows of an operator, and removed APIs
    capabilities           name=capabilities,suite=operatorframework           The capability level
    categories             name=categories,suite=operatorframework             The categories
    alpha-deprecated-apis  name=alpha-deprecated-apis,suite=operatorframework  APIs that Kubernetes removed
    good-practices         name=good-practices,suite=operatorframework         Recommendations for operators
    operatorhub            name=operatorhub                                    Deprecated: operatorhubv2, capabilities and categories
    community              name=community                                      Deprecated: OpenShift's community catalog and APIs removed in Kubernetes 1.22
    multiarch              name=multiarch                                      Architectures: labels and node affinities; images are not inspected
    object                 name=object                                         Objects that can disturb a cluster
    olmv1                  name=olmv1                                          What OLM v1 supports
    ");
    let json = parse(
        &world
            .rop("bundle validate --list-optional --json")
            .ok()
            .stdout,
    );
    assert_eq!(json["validators"][0]["name"], "operatorhubv2");
}

/// A validator has the rules of its suite, and no others.
#[test]
fn validators_are_selected() {
    let mut bundle = Bundle::valid();
    bundle.csv("Seamless Upgrades", "None");
    bundle.csv("    - name: Documentation\n      url", "    - url");
    bundle.csv("        description: A service of an app.\n", "");
    let world = bundle.world();
    for (selector, rules) in [
        ("name=capabilities", "capability-level"),
        ("name=operatorhubv2", "link-incomplete"),
        (
            "name=operatorhub",
            "operatorhub-deprecated capability-level link-incomplete",
        ),
        ("name=good-practices", "crd-description"),
        (
            "suite=operatorframework",
            "capability-level link-incomplete crd-description",
        ),
        ("name=object", ""),
    ] {
        let command = format!("bundle validate bundle --json --select-optional {selector}");
        let report = parse(&world.rop(&command).stdout);
        let findings = report["findings"].as_array().expect("a list");
        let found: Vec<_> = findings
            .iter()
            .filter_map(|it| it["rule"].as_str())
            .collect();
        assert_eq!(found.join(" "), rules, "{selector}");
    }
}

#[test]
fn wrong_flags() {
    let world = Bundle::valid().world();
    for (arguments, message) in [
        (
            "bundle --select-optional name=hub",
            "no optional validator matches `name=hub`",
        ),
        ("bundle --select-optional name=", "invalid selector `name=`"),
        (
            "bundle --optional-values k8s-version",
            "`k8s-version` is not KEY=VALUE",
        ),
        (
            "bundle --optional-values k8s-versoin=1.31",
            "did you mean `k8s-version`?",
        ),
        ("bundle -o yaml", "invalid value 'yaml'"),
    ] {
        let outcome = world.rop(&format!("bundle validate {arguments}"));
        outcome.exits(2).says(message);
    }
    let outcome = world.rop("bundle validate bundle -b docker").ok();
    outcome.says("note: --image-builder has no effect");
    let index = "bundle validate bundle --optional-values index-path=nothing";
    world
        .rop(index)
        .exits(1)
        .says("error[unreadable-file]: failed to read `nothing`");
}

#[test]
fn values_of_optional_validators() {
    let mut bundle = Bundle::valid();
    bundle.csv("minKubeVersion: 1.28.0", "minKubeVersion: 1.21.0");
    bundle.write(
        "manifests/role.yaml",
        "apiVersion: rbac.authorization.k8s.io/v1beta1\nkind: Role\nmetadata:\n  name: old\n",
    );
    bundle.write(
        "Dockerfile",
        "LABEL com.redhat.openshift.versions='4.6-4.8'\n",
    );
    let world = bundle.world();
    let removed = "bundle validate bundle --select-optional name=alpha-deprecated-apis";
    world.rop(removed).ok().says("warning[removed-api-later]");
    let outcome = world.rop(&format!("{removed} --optional-values k8s-version=1.22"));
    outcome
        .exits(1)
        .says("error[removed-api]: Kubernetes 1.22 removed Role of");
    let community = "bundle validate bundle --select-optional name=community --optional-values";
    let outcome = world.rop(&format!("{community} index-path=bundle/Dockerfile"));
    assert!(
        !outcome.stdout.contains("openshift-label") && !outcome.stdout.contains("index-path"),
        "{outcome}"
    );
}

#[test]
fn categories_of_ones_own() {
    let world = Bundle::valid().world();
    world.write(
        "categories.json",
        "{\"categories\": [\"Database\", \"Fun\"]}",
    );
    let words = [
        "bundle",
        "validate",
        "bundle",
        "--select-optional",
        "name=categories",
    ];
    let mut command = world.command(".");
    command
        .args(words)
        .env("OPERATOR_BUNDLE_CATEGORIES", "categories.json");
    let outcome = world.run(&mut command).exits(1);
    outcome.says("error[category-unknown]: unknown category `Developer Tools`");
    world.write("categories.json", "[");
    world
        .run(&mut command)
        .exits(1)
        .says("error[malformed-file]");
}

/// Files that are no regular text files, and links out of the bundle.
#[test]
fn files_that_cannot_be_read() {
    let world = Bundle::valid().world();
    let manifests = world.path().join("bundle/manifests");
    std::fs::write(manifests.join("bytes.yaml"), [0xff, 0xfe, 0]).expect("a file");
    symlink("/etc/passwd", manifests.join("outside.yaml")).expect("a link");
    symlink("nothing", manifests.join("dangling.yaml")).expect("a link");
    let outcome = world.rop(VALIDATE).exits(1);
    for (file, message) in [
        ("bytes", "the file is not UTF-8 text"),
        ("outside", "it is a link that leads out of the bundle"),
        ("dangling", "the file cannot be read"),
    ] {
        let found = outcome
            .stdout
            .split("error[unreadable-file]: ")
            .find(|it| it.contains(file));
        assert!(
            found.is_some_and(|found| found.contains(message)),
            "{outcome}"
        );
    }
    let file = world.rop(&format!("bundle validate bundle/{CRD}")).exits(1);
    file.says("error[bundle-directory]: it is not a directory");
}

/// What others wrote cannot act on a terminal.
#[test]
fn escapes_are_shown() {
    let mut bundle = Bundle::valid();
    bundle.csv("strategy: deployment", "strategy: \"\\e[2J\\u202e\"");
    let outcome = bundle.world().rop(VALIDATE).exits(1);
    assert!(!outcome.stdout.contains('\u{1b}') && !outcome.stdout.contains('\u{202e}'));
    outcome.says("unknown install strategy `\\u{1b}[2J\\u{202e}`");
}
