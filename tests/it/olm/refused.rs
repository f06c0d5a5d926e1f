//! Values that Go cannot read and other flaws of single fields: what operator-sdk v1.42.3 and `operator-verify` of
//! operator-framework/api v0.34.0 refuse, rop refuses.

use super::bundle::{ANNOTATIONS, Bundle, CRD, CSV, SERVICE};

/// A rule, and what is written in the place of a text of a file.
type Row = (&'static str, &'static str, &'static str, &'static str);

const ROWS: &[Row] = &[
    // Types of the CSV.
    ("csv-field-type", CSV, "replicas: 1", "replicas: two"),
    ("csv-field-type", CSV, "replicas: 1", "replicas: 1.5"),
    ("csv-field-type", CSV, "replicas: 1", "replicas: 2147483648"),
    ("csv-field-type", CSV, "cpu: 10m", "cpu: 10 m"),
    ("csv-field-type", CSV, "cpu: 10m", "cpu: true"),
    ("csv-field-type", CSV, "cpu: 10m", "cpu: 10kib"),
    (
        "csv-field-type",
        CSV,
        "verbs: [get, create, patch]",
        "verbs: get",
    ),
    (
        "csv-field-type",
        CSV,
        "verbs: [get, create, patch]",
        "verbs: [[get]]",
    ),
    (
        "csv-field-type",
        CSV,
        "matchLabels:\n                app: app-operator",
        "matchLabels: [app]",
    ),
    (
        "csv-field-type",
        CSV,
        "containerPort: 443",
        "containerPort: https",
    ),
    (
        "csv-field-type",
        CSV,
        "targetPort: 9443",
        "targetPort: [9443]",
    ),
    (
        "csv-field-type",
        CSV,
        "type: ValidatingAdmissionWebhook",
        "type: {a: b}",
    ),
    (
        "csv-field-type",
        CSV,
        "rules:\n        - apiGroups: [app.example.com]\n          apiVersions: [v1]\n          operations: [CREATE, UPDATE]\n          resources: [appservices]\n",
        "rules: [x]\n",
    ),
    (
        "csv-field-type",
        CSV,
        "  labels:\n    operatorframework",
        "  creationTimestamp: yesterday\n  labels:\n    operatorframework",
    ),
    // Types of the CRD.
    ("crd-field-type", CRD, "served: true", "served: \"yes\""),
    (
        "crd-field-type",
        CRD,
        "subresources:\n        status: {}",
        "subresources: 5",
    ),
    ("crd-field-type", CRD, "minimum: 1", "minimum: []"),
    (
        "crd-field-type",
        CRD,
        "type: boolean",
        "type: boolean\n                  additionalProperties: no-schema",
    ),
    // Metadata.
    ("object-name", SERVICE, "  name: ", "  name: 5 # "),
    (
        "not-an-object",
        SERVICE,
        "apiVersion: v1",
        "apiVersion: a/b/c",
    ),
    (
        "malformed-yaml",
        CSV,
        "maturity: stable",
        "maturity: !!int stable",
    ),
    (
        "annotation-missing",
        ANNOTATIONS,
        "annotations:\n",
        "annotations:\n  x: {a: b}\n",
    ),
    (
        "annotation-missing",
        ANNOTATIONS,
        "annotations:\n",
        "annotations:\n  x: [a]\n",
    ),
];

#[test]
fn each_flaw_is_found() {
    let mut missed = Vec::new();
    for (rule, file, from, to) in ROWS {
        let mut bundle = Bundle::valid();
        bundle.replace(file, from, to);
        if bundle.found(rule).is_empty() {
            missed.push(format!("{rule}: {to}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Values that Go reads into the same fields.
#[test]
fn others_are_not() {
    for (file, from, to) in [
        (CSV, "replicas: 1", "replicas: 1.0"),
        (CSV, "replicas: 1", "replicas: null"),
        (CSV, "cpu: 10m", "cpu: 0.01"),
        (CSV, "cpu: 10m", "cpu: 1e-2"),
        (CSV, "cpu: 10m", "cpu: \" 10m \""),
        (CSV, "memory: 64Mi", "memory: 64000000"),
        (CSV, "targetPort: 9443", "targetPort: https"),
        (
            CSV,
            "  labels:\n    operatorframework",
            "  creationTimestamp: null\n  labels:\n    operatorframework",
        ),
        (CRD, "minimum: 1", "minimum: 1.5"),
        (CRD, "minimum: 1", "default: 3"),
    ] {
        let mut bundle = Bundle::valid();
        bundle.replace(file, from, to);
        for rule in ["csv-field-type", "crd-field-type"] {
            let found = bundle.found(rule);
            assert!(found.is_empty(), "{to}: {found:#?}");
        }
    }
}

/// What `operator-sdk bundle validate` says of a rule: "Invalid CEL expression".
#[test]
fn rules_in_cel_that_do_not_compile() {
    let found = |rule: &str| {
        let mut bundle = Bundle::valid();
        bundle.depend(
            "olm.constraint",
            &format!("{{failureMessage: a, cel: {{rule: \"{rule}\"}}}}"),
        );
        !bundle.found("dependency-constraint").is_empty()
    };
    let deep = format!("{}true{}", "(".repeat(300), ")".repeat(300));
    for rule in [
        "nope(1)",
        "1",
        "undefinedvar",
        "properties == 1",
        "self.x",
        &deep,
    ] {
        assert!(found(rule), "{rule}");
    }
    for rule in [
        "true",
        "properties.exists(p, p.type == 'a' && p.value == 'b')",
        "properties.exists(p, p.type == 'a' && semver_compare(p.value, '1.0.0') == 0)",
        "properties.exists(p, p.x == 1)",
    ] {
        assert!(!found(rule), "{rule}");
    }
}

/// operator-sdk reads the first file of metadata that has annotations.
#[test]
fn empty_annotations_that_come_first() {
    let mut bundle = Bundle::valid();
    bundle.write("metadata/0.yaml", "annotations: {}\n");
    assert!(!bundle.found("annotation-missing").is_empty());
}

/// YAML 1.1 of Go knows no other version.
#[test]
fn another_version_of_yaml() {
    let mut bundle = Bundle::valid();
    let text = format!("%YAML 1.2\n---\n{}", bundle.files[CSV]);
    bundle.write(CSV, &text);
    assert!(!bundle.found("malformed-yaml").is_empty());
}
