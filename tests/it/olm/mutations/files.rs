//! Flaws of files and of metadata.

use super::Row;
use super::Verdict::{Error, Fatal, Passes, Unknown};
use crate::olm::bundle::{ANNOTATIONS, Bundle, CSV, SERVICE};

const PACKAGE: &str = "\
packageName: app-operator
defaultChannel: stable
channels:
  - name: stable
    currentCSV: app-operator.v1.2.0
  - name: fast
    currentCSV: app-operator.v1.2.0
";

fn package(bundle: &mut Bundle, from: &str, to: &str) {
    bundle.write("app-operator.package.yaml", &PACKAGE.replacen(from, to, 1));
}

pub(super) const LOADING: &[Row] = &[
    ("bundle-directory", Fatal, |_| {}),
    ("manifests-missing", Fatal, |b| b.remove("manifests/")),
    ("metadata-missing", Error, |b| b.remove("metadata/")),
    ("annotations-missing", Error, |b| {
        b.remove(ANNOTATIONS);
        b.write("metadata/other.yaml", "a: 1\n");
    }),
    ("manifests-empty", Fatal, |b| {
        b.remove("manifests/");
        b.write("manifests/README.md", "Manifests.\n");
    }),
    ("unreadable-file", Fatal, |_| {}),
    ("malformed-yaml", Fatal, |b| b.crd("  group:", "\tgroup:")),
    ("duplicate-key", Passes, |b| {
        b.csv(
            "  maturity: stable\n",
            "  maturity: stable\n  maturity: alpha\n",
        );
    }),
    ("empty-file", Fatal, |b| b.write(SERVICE, "")),
    ("nested-folder", Fatal, |b| {
        b.write("manifests/more/a.yaml", "a: 1\n");
    }),
    ("hidden-file", Fatal, |b| b.write("manifests/.keep", "")),
    ("not-an-object", Fatal, |b| {
        b.replace(SERVICE, "kind: Service\n", "");
    }),
    ("several-documents", Passes, |b| {
        let text = b.files[SERVICE].clone();
        b.write(SERVICE, &format!("{text}---\n{text}"));
    }),
    ("csv-missing", Fatal, |b| b.remove(CSV)),
    ("several-csvs", Fatal, |b| {
        let text = b.files[CSV].clone();
        b.write("manifests/other.yaml", &text);
    }),
    ("crd-api-version", Fatal, |b| {
        b.crd("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v2");
    }),
];

pub(super) const FORMAT: &[Row] = &[
    ("properties", Unknown, |b| {
        let text = "properties:\n- {type: a}\n- {type: '', value: 1}\n- word\n";
        b.write("metadata/properties.yaml", text);
    }),
    ("image-labels", Unknown, |b| {
        let label = |name: &str, value: &str| {
            let name = format!("operators.operatorframework.io.bundle.{name}.v1");
            (name, value.to_owned())
        };
        let labels = [label("package", "other"), label("extra", "")];
        b.options.labels = Some(labels.into_iter().collect());
    }),
    ("annotation-missing", Error, |b| {
        b.annotation(
            "  operators.operatorframework.io.bundle.package.v1: app-operator\n",
            "",
        );
    }),
    ("annotation-type", Passes, |b| {
        b.annotation("candidate,stable", "1");
    }),
    ("media-type", Error, |b| {
        b.annotation("registry+v1", "helm");
    }),
    ("manifests-path", Passes, |b| {
        b.annotation(": manifests/", ": ../manifests/");
    }),
    ("metadata-path", Passes, |b| {
        b.annotation(": metadata/", ": meta/");
    }),
    ("package-name", Passes, |b| {
        b.annotation(": app-operator", ": \"\"");
    }),
    ("channels-empty", Error, |b| {
        b.annotation("candidate,stable", "\"\"");
    }),
    ("channel-characters", Passes, |b| {
        b.annotation("candidate,stable", "\"candidate,stable\\nbeta\"");
    }),
    ("annotation-characters", Passes, |b| {
        b.annotation("annotations:\n", "annotations:\n  \"a\\nLABEL b\": c\n");
    }),
    ("default-channel-empty", Error, |b| {
        b.annotation("default.v1: stable", "default.v1: \"\"");
    }),
    ("default-channel-unknown", Passes, |b| {
        b.annotation("default.v1: stable", "default.v1: alpha");
    }),
    ("dependency-type", Error, |b| {
        b.depend("olm.other", "{a: 1}");
    }),
    ("dependency-value", Error, |b| {
        b.depend("olm.package", "'{\"packageName\": \"a\"}'");
    }),
    ("dependency-package", Error, |b| {
        b.depend("olm.package", "{packageName: a, version: ^1.0.0}");
    }),
    ("dependency-gvk", Error, |b| {
        b.depend("olm.gvk", "{group: a.b, kind: C}");
    }),
    ("dependency-label", Error, |b| {
        b.depend("olm.label", "{label: ''}");
    }),
    ("dependency-constraint", Error, |b| {
        b.depend(
            "olm.constraint",
            "{failureMessage: wrong, cel: {rule: 'properties.exists('}}",
        );
    }),
    ("package-manifest-name", Unknown, |b| {
        package(b, "packageName: app-operator\n", "");
    }),
    ("package-manifest-channels", Unknown, |b| {
        b.write("a.package.yaml", "packageName: a\nchannels: []\n");
    }),
    ("package-manifest-duplicate", Unknown, |b| {
        package(b, "name: fast", "name: stable");
    }),
    ("package-manifest-csv", Unknown, |b| {
        package(b, "    currentCSV: app-operator.v1.2.0\n", "");
    }),
    ("package-manifest-default", Unknown, |b| {
        package(b, "defaultChannel: stable", "defaultChannel: alpha");
    }),
];
