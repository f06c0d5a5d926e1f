//! Flaws of the `ClusterServiceVersion`.

use super::Row;
use super::Verdict::{Error, Fatal, Passes, Unknown, Warning};
use crate::olm::bundle::CSV;

pub(super) const CSVS: &[Row] = &[
    ("csv-api-version", Passes, |b| {
        b.csv("coreos.com/v1alpha1", "coreos.com/v1");
    }),
    ("csv-name", Error, |b| {
        b.csv("name: app-operator.v1.2.0", "name: App-operator.v1.2.0");
    }),
    ("csv-replaces", Error, |b| {
        b.csv("replaces: app-operator", "replaces: app_operator");
    }),
    ("csv-version", Passes, |b| {
        b.csv("  version: 1.2.0", "  version: v1.2.0");
    }),
    ("min-kube-version-missing", Warning, |b| {
        b.csv("  minKubeVersion: 1.28.0\n", "");
    }),
    ("min-kube-version", Error, |b| {
        b.csv("minKubeVersion: 1.28.0", "minKubeVersion: '1.28'");
    }),
    ("described-name", Error, |b| {
        b.csv("name: appservices.app.example.com", "name: appservices");
    }),
    ("csv-required-field", Error, |b| {
        b.csv("    strategy: deployment\n", "");
    }),
    ("install-spec-empty", Passes, |b| {
        let text = b.files[CSV].clone();
        let start = text.find("      clusterPermissions:").expect("a start");
        let end = text.find("  webhookdefinitions:").expect("an end");
        let text = format!("{}{}", &text[..start], &text[end..]);
        b.write(
            CSV,
            &text.replace("deployment\n    spec:\n", "deployment\n    spec: {}\n"),
        );
    }),
    ("install-strategy", Passes, |b| {
        b.csv("strategy: deployment", "strategy: helm");
    }),
    ("csv-field-type", Fatal, |b| {
        b.csv("maturity: stable", "maturity: [stable]");
    }),
    ("csv-unknown-field", Passes, |b| {
        b.csv(
            "  maintainers:",
            "  x-mine: {a: b}\n  maintaners: []\n  maintainers:",
        );
        b.csv("containers:", "contaners: []\n                containers:");
    }),
    ("annotations-empty", Warning, |b| b.cut(CSV, "annotations:")),
    ("annotation-case", Error, |b| {
        b.csv("olm.skipRange", "olm.skiprange");
    }),
    ("operator-group-annotation", Unknown, |b| {
        let text = "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata:\n  name: a\n  annotations:\n    olm.providedapis: a\n";
        b.write("manifests/group.yaml", text);
    }),
    ("olm-properties", Warning, |b| {
        b.csv("    createdAt:", "    olm.properties: '[]'\n    createdAt:");
    }),
    ("skip-range", Passes, |b| b.csv(">=1.0.0 <1.2.0", "~1.0")),
    ("examples-missing", Warning, |b| {
        b.cut(CSV, "alm-examples: |-");
    }),
    ("examples-twice", Warning, |b| {
        b.csv("    createdAt:", "    olm.examples: '[]'\n    createdAt:");
    }),
    ("examples-malformed", Error, |b| {
        b.csv("\"spec\": {\"size\": 3}", "\"spec\": {\"size\": 3");
    }),
    ("example-not-owned", Error, |b| {
        b.csv("\"kind\": \"AppService\"", "\"kind\": \"Cache\"");
    }),
    ("example-missing", Warning, |b| {
        b.cut(CSV, "alm-examples: |-");
        b.csv("    createdAt:", "    alm-examples: '[]'\n    createdAt:");
    }),
    ("install-modes-missing", Error, |b| {
        b.cut(CSV, "installModes:");
    }),
    ("install-modes-unsupported", Error, |b| {
        b.csv("supported: true", "supported: false");
    }),
    ("install-mode-unknown", Passes, |b| {
        b.csv("type: OwnNamespace", "type: OwnNamespaces");
    }),
    ("install-mode-duplicate", Passes, |b| {
        b.csv("type: OwnNamespace", "type: SingleNamespace");
    }),
    ("conversion-install-mode", Error, |b| {
        b.csv("supported: false", "supported: true");
    }),
    ("install-mode-namespaces", Passes, |b| {
        b.csv("supported: false", "supported: true");
    }),
    ("related-image-empty", Passes, |b| {
        b.csv(
            "    - name: manager\n      image: registry",
            "    - name: none\n    - name: manager\n      image: registry",
        );
    }),
    ("related-image-duplicate", Passes, |b| {
        b.csv(
            "  relatedImages:\n",
            "  relatedImages:\n    - name: manager\n      image: registry.example.com/other:v1\n",
        );
    }),
    ("image-latest", Passes, |b| {
        b.csv(
            "image: registry.example.com/app-operator:v1.2.0\n                    resources",
            "image: registry.example.com/app-operator\n                    resources",
        );
    }),
];

pub(super) const OLM_V1: &[Row] = &[
    ("v1-deployment-name", Unknown, |b| {
        b.csv("- name: app-operator\n", "- name: App\n");
    }),
    ("v1-conversion-owned", Unknown, |b| {
        b.csv("- appservices.app", "- caches.app");
    }),
    ("v1-conversion-once", Unknown, |b| {
        b.csv(
            "        - appservices.app.example.com\n",
            "        - appservices.app.example.com\n        - appservices.app.example.com\n",
        );
    }),
    ("v1-webhook-deployment", Unknown, |b| {
        b.csv("deploymentName: app-operator", "deploymentName: webhooks");
    }),
    ("v1-webhook-name", Unknown, |b| {
        b.csv("vappservice.kb.io", "VAppService");
    }),
    ("v1-webhook-rules", Unknown, |b| {
        b.csv(
            "- apiGroups: [app.example.com]\n          apiVersions",
            "- apiGroups: ['*']\n          apiVersions",
        );
    }),
    ("v1-install-mode", Unknown, |b| {
        b.cut(CSV, "- type: AllNamespaces");
        b.csv("supported: false", "supported: true");
    }),
    ("v1-dependencies", Unknown, |b| {
        b.depend("olm.package", "{packageName: a, version: '>=1.0.0'}");
    }),
    ("v1-api-services", Unknown, |b| {
        b.csv("  customresourcedefinitions:", "  apiservicedefinitions:\n    owned:\n      - {group: a.b, version: v1, kind: C, name: c, deploymentName: app-operator}\n  customresourcedefinitions:");
    }),
];
