//! The forms of operator-sdk, and that of all commands of rop.

use serde_json::Value;

use super::{Bundle, bundle, mixed};
use crate::olm::bundle::CSV;

fn with_flaw() -> Bundle {
    let mut bundle = bundle();
    bundle.cut(CSV, "specDescriptors:");
    bundle
}

#[test]
fn text() {
    let outcome = with_flaw()
        .world()
        .rop("scorecard -l test=olm-spec-descriptors-test");
    insta::assert_snapshot!(outcome.exits(1), @r#"
    exit: 1
    --- stdout
    --------------------------------------------------------------------------------
    Image:      quay.io/operator-framework/scorecard-test:v1.42.3
    Entrypoint: [scorecard-test olm-spec-descriptors]
    Labels:
    	"suite":"olm"
    	"test":"olm-spec-descriptors-test"
    Results:
    	Name: olm-spec-descriptors
    	State: fail

    	Suggestions:
    		bundle/manifests/app-operator.clusterserviceversion.yaml:57 spec.customresourcedefinitions.owned[0].specDescriptors: add an entry with `path: size`, `displayName` and `description`
    	Errors:
    		bundle/manifests/app-operator.clusterserviceversion.yaml:57 spec.customresourcedefinitions.owned[0].specDescriptors: `spec.size` of the example `sample` of app.example.com/v1 AppService has no descriptor
    	Log:
    		read the ClusterServiceVersion app-operator.v1.2.0
    		read 1 example
    --- stderr
    error[scorecard-failed]: `bundle` fails 1 of 1 test: olm-spec-descriptors-test
    hint: follow the suggestions above and run the command again
    "#);
    let outcome = mixed().rop("scorecard -l test=one").exits(1);
    insta::assert_snapshot!(outcome, @r#"
    exit: 1
    --- stdout
    --------------------------------------------------------------------------------
    Image:      example.test/custom:v1
    Entrypoint: [custom one]
    Labels:
    	"suite":"custom"
    	"test":"one"
    Results:
    	Not run: it needs a cluster: `--cluster` runs it there
    --- stderr
    note: the test `one` did not run: it needs a cluster: `--cluster` runs it there
    error[scorecard-failed]: no test ran on `bundle`
    hint: run the tests in a cluster with `--cluster`, or select others
    "#);
}

#[test]
fn json_of_operator_sdk() {
    let outcome = with_flaw()
        .world()
        .rop("scorecard -o json -l test=olm-spec-descriptors-test")
        .exits(1);
    insta::assert_snapshot!(outcome.stdout, @r#"
    {
      "kind": "TestList",
      "apiVersion": "scorecard.operatorframework.io/v1alpha3",
      "items": [
        {
          "kind": "Test",
          "apiVersion": "scorecard.operatorframework.io/v1alpha3",
          "spec": {
            "image": "quay.io/operator-framework/scorecard-test:v1.42.3",
            "entrypoint": [
              "scorecard-test",
              "olm-spec-descriptors"
            ],
            "labels": {
              "suite": "olm",
              "test": "olm-spec-descriptors-test"
            },
            "storage": {
              "spec": {
                "mountPath": {}
              }
            }
          },
          "status": {
            "results": [
              {
                "name": "olm-spec-descriptors",
                "log": "read the ClusterServiceVersion app-operator.v1.2.0\nread 1 example",
                "state": "fail",
                "errors": [
                  "bundle/manifests/app-operator.clusterserviceversion.yaml:57 spec.customresourcedefinitions.owned[0].specDescriptors: `spec.size` of the example `sample` of app.example.com/v1 AppService has no descriptor"
                ],
                "suggestions": [
                  "bundle/manifests/app-operator.clusterserviceversion.yaml:57 spec.customresourcedefinitions.owned[0].specDescriptors: add an entry with `path: size`, `displayName` and `description`"
                ]
              }
            ]
          }
        }
      ]
    }
    "#);
    // Nothing passes or fails that did not run.
    let outcome = mixed().rop("scorecard -o json").ok();
    let list: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(list["items"][1]["status"], serde_json::json!({}));
}

#[test]
fn xunit() {
    let outcome = with_flaw()
        .world()
        .rop("scorecard -o xunit -l test=olm-spec-descriptors-test")
        .exits(1);
    insta::assert_snapshot!(outcome.stdout, @r#"
    <testsuites name="scorecard">
      <testsuite name="olm-spec-descriptors-test" tests="1" skipped="0" failures="1" errors="0">
        <properties>
          <property name="spec.image" value="quay.io/operator-framework/scorecard-test:v1.42.3"></property>
          <property name="spec.entrypoint" value="scorecard-test olm-spec-descriptors"></property>
          <property name="labels.test" value="olm-spec-descriptors-test"></property>
        </properties>
        <testcase name="olm-spec-descriptors">
          <system-out>read the ClusterServiceVersion app-operator.v1.2.0
    read 1 example</system-out>
          <failure type="failure">bundle/manifests/app-operator.clusterserviceversion.yaml:57 spec.customresourcedefinitions.owned[0].specDescriptors: `spec.size` of the example `sample` of app.example.com/v1 AppService has no descriptor
    bundle/manifests/app-operator.clusterserviceversion.yaml:57 spec.customresourcedefinitions.owned[0].specDescriptors: add an entry with `path: size`, `displayName` and `description`</failure>
        </testcase>
      </testsuite>
    </testsuites>
    "#);
    let outcome = mixed().rop("scorecard -o xunit").ok();
    outcome
        .says("<testsuite name=\"one\" tests=\"1\" skipped=\"1\" failures=\"0\" errors=\"0\">")
        .says("<skipped message=\"it needs a cluster: `--cluster` runs it there\"></skipped>");
}

#[test]
fn json_of_rop() {
    let outcome = with_flaw()
        .world()
        .rop("scorecard --json -l test=olm-spec-descriptors-test")
        .exits(1);
    insta::assert_snapshot!(outcome.stdout, @r#"
    {
      "command": "scorecard",
      "directory": "bundle",
      "config": "bundle/tests/scorecard/config.yaml",
      "passed": false,
      "tests": [
        {
          "name": "olm-spec-descriptors-test",
          "spec": {
            "image": "quay.io/operator-framework/scorecard-test:v1.42.3",
            "entrypoint": [
              "scorecard-test",
              "olm-spec-descriptors"
            ],
            "labels": {
              "suite": "olm",
              "test": "olm-spec-descriptors-test"
            },
            "storage": {
              "spec": {
                "mountPath": {}
              }
            }
          },
          "results": [
            {
              "name": "olm-spec-descriptors",
              "log": "read the ClusterServiceVersion app-operator.v1.2.0\nread 1 example",
              "state": "fail",
              "errors": [
                "bundle/manifests/app-operator.clusterserviceversion.yaml:57 spec.customresourcedefinitions.owned[0].specDescriptors: `spec.size` of the example `sample` of app.example.com/v1 AppService has no descriptor"
              ],
              "suggestions": [
                "bundle/manifests/app-operator.clusterserviceversion.yaml:57 spec.customresourcedefinitions.owned[0].specDescriptors: add an entry with `path: size`, `displayName` and `description`"
              ],
              "findings": [
                {
                  "level": "error",
                  "rule": "olm-spec-descriptors",
                  "file": "bundle/manifests/app-operator.clusterserviceversion.yaml",
                  "line": 57,
                  "field": "spec.customresourcedefinitions.owned[0].specDescriptors",
                  "message": "`spec.size` of the example `sample` of app.example.com/v1 AppService has no descriptor",
                  "hint": "add an entry with `path: size`, `displayName` and `description`"
                }
              ]
            }
          ],
          "notRun": null
        }
      ]
    }
    "#);
    let outcome = mixed().rop("scorecard --json").ok();
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(report["tests"][1]["name"], "one");
    assert!(report["tests"][1]["notRun"].is_string(), "{report:#}");
    mixed()
        .rop("scorecard --json -o xunit")
        .exits(2)
        .says("error[conflicting-flags]");
}

/// A list has no results, in each form, and its exit code is 0.
#[test]
fn lists() {
    let world = mixed();
    let outcome = world.rop("scorecard --list").ok();
    insta::assert_snapshot!(outcome, @r#"
    exit: 0
    --- stdout
    --------------------------------------------------------------------------------
    Image:      mirror.test:5000/scorecard-test:v1
    Entrypoint: [scorecard-test basic-check-spec]
    Labels:
    	"suite":"basic"
    	"test":"spec"

    --------------------------------------------------------------------------------
    Image:      example.test/custom:v1
    Entrypoint: [custom one]
    Labels:
    	"suite":"custom"
    	"test":"one"

    --------------------------------------------------------------------------------
    Image:      mirror.test:5000/scorecard-test:v1
    Entrypoint: [scorecard-test olm-spec-descriptors]
    Labels:
    	"suite":"olm"
    	"test":"descriptors"
    "#);
    let outcome = world.rop("scorecard -L -o json -l suite=custom").ok();
    let list: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(list["items"][0]["status"], serde_json::json!({}));
    let outcome = world.rop("scorecard -L -o xunit").ok();
    assert!(!outcome.stdout.contains("testcase"), "{outcome}");
}

#[test]
fn a_test_that_the_image_does_not_have_fails() {
    let world = mixed();
    world.replace(
        "bundle/tests/scorecard/config.yaml",
        "basic-check-spec",
        "basic-check",
    );
    world
        .rop("scorecard")
        .exits(1)
        .says("`basic-check` is not a built-in test")
        .says("use one of `basic-check-spec`, `olm-bundle-validation`")
        .says("error[scorecard-failed]: `bundle` fails 1 of 2 tests: spec");
}
