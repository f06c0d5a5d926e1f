//! What others write differently and OLM takes: no rule has anything to say about it.

use super::bundle::{ANNOTATIONS, Bundle, CRD, CSV, SERVICE};

/// What is written differently, and how.
type Row = (&'static str, fn(&mut Bundle));

const ROWS: &[Row] = &[
    ("folders as in an image", |b| {
        b.annotation(": manifests/", ": /manifests/");
        b.annotation(": metadata/", ": /metadata/");
    }),
    ("folders without a slash", |b| {
        b.annotation(": manifests/", ": manifests");
    }),
    ("a folder of another name", |b| {
        b.annotation(": manifests/", ": deploy/olm");
        let files = std::mem::take(&mut b.files).into_iter();
        let moved = files.map(|(path, text)| (path.replace("manifests/", "deploy/olm/"), text));
        b.files = moved.collect();
    }),
    ("annotations in a file of another name", |b| {
        let text = b.files.remove(ANNOTATIONS).expect("annotations");
        b.write("metadata/bundle.yml", &text);
    }),
    ("no default channel", |b| {
        b.annotation(
            "  operators.operatorframework.io.bundle.channel.default.v1: stable\n",
            "",
        );
    }),
    ("a manifest in JSON", |b| {
        b.remove(SERVICE);
        let text =
            "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"a\"}}";
        b.write("manifests/service.json", text);
    }),
    ("a document mark at the start and at the end", |b| {
        let text = format!("---\n{}---\n", b.files[CSV]);
        b.write(CSV, &text);
    }),
    ("line ends of Windows", |b| {
        let text = b.files[CRD].replace('\n', "\r\n");
        b.write(CRD, &text);
    }),
    ("examples in `olm.examples`", |b| {
        b.csv("alm-examples", "olm.examples");
    }),
    ("another version in the CRD", |b| {
        b.crd(
            "  versions:\n",
            "  versions:\n    - name: v1alpha1\n      served: false\n      storage: false\n      schema:\n        openAPIV3Schema: {type: object}\n",
        );
    }),
    ("a service account of its own", |b| {
        let text = "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: other\n";
        b.write("manifests/account.yaml", text);
    }),
    ("an object with a generated name", |b| {
        let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  generateName: a-\n";
        b.write("manifests/config.yaml", text);
    }),
    ("a version with a suffix", |b| {
        b.csv("  version: 1.2.0", "  version: 1.2.0-rc.1+build.5");
        b.csv(
            "name: app-operator.v1.2.0",
            "name: app-operator.v1.2.0-rc.1",
        );
    }),
    ("an address with a name", |b| {
        b.csv("jane@example.com", "\"Jane Doe <jane@example.com>\"");
    }),
    ("a folder of tests", |b| {
        b.write("tests/scorecard/config.yaml", "kind: Configuration\n");
    }),
    ("another file of metadata", |b| {
        b.write("metadata/other.yaml", "a: 1\n");
    }),
    ("an anchor", |b| {
        b.csv("      cpu: 10m\n", "      cpu: &cpu 10m\n");
        b.csv(
            "memory: 64Mi\n",
            "memory: 64Mi\n                      limits:\n                        cpu: *cpu\n",
        );
    }),
    ("a limit of OpenShift", |b| {
        b.csv("olm.skipRange", "olm.maxOpenShiftVersion");
    }),
];

#[test]
fn others_write_it_differently() {
    for (name, change) in ROWS {
        let mut bundle = Bundle::valid();
        bundle.options.validators.remove("operatorhub");
        change(&mut bundle);
        let report = bundle.check();
        assert!(report.findings.is_empty(), "{name}: {:#?}", report.findings);
    }
}

/// Dependencies, which OLM v1 alone does not take.
#[test]
fn dependencies() {
    for (kind, value) in [
        ("olm.package", "{packageName: a, version: '>=1.0.0 <2.0.0'}"),
        ("olm.gvk", "{group: a.b, version: v1, kind: C}"),
        ("olm.label", "{label: a}"),
        (
            "olm.constraint",
            "{failureMessage: wrong, cel: {rule: 'properties.exists(p, p.type == \"a\")'}}",
        ),
    ] {
        let mut bundle = Bundle::valid();
        bundle.options.validators.clear();
        bundle.depend(kind, value);
        let report = bundle.check();
        assert!(report.findings.is_empty(), "{kind}: {:#?}", report.findings);
    }
}
