//! Flaws of CRDs and other objects, and of the size.

use super::Row;
use super::Verdict::{Error, Fatal, Passes, Warning};
use crate::olm::bundle::{CRD, CSV, OTHER_CRD, SERVICE};

/// Text that gzip cannot compress: so many bytes.
pub(in crate::olm) fn noise(bytes: usize) -> String {
    let mut random = fastrand::Rng::with_seed(1);
    (0..bytes).map(|_| random.alphanumeric()).collect()
}

fn config(bytes: usize) -> String {
    let text = noise(bytes);
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\ndata:\n  a: {text}\n")
}

pub(super) const CONTENT: &[Row] = &[
    ("crd-name", Error, |b| {
        b.crd("name: appservices.app", "name: appservice.app");
    }),
    ("crd-field-type", Fatal, |b| {
        b.crd("minimum: 1", "minimum: []");
    }),
    ("crd-invalid", Error, |b| {
        b.crd("scope: Namespaced", "scope: Everywhere");
    }),
    ("crd-schema", Passes, |b| {
        b.crd("type: integer", "type: int");
    }),
    ("unsupported-kind", Error, |b| {
        b.write(
            "manifests/a.yaml",
            "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n",
        );
    }),
    ("owned-crd-missing", Error, |b| {
        b.crd("name: v1\n", "name: v2\n");
    }),
    ("crd-duplicate", Error, |b| {
        let text = b.files[CRD].clone();
        b.write("manifests/again.yaml", &text);
    }),
    ("crd-not-owned", Error, |b| {
        b.write("manifests/caches.yaml", OTHER_CRD);
    }),
    ("service-account-duplicate", Error, |b| {
        let text = "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: app-operator\n";
        b.write("manifests/account.yaml", text);
    }),
    ("object-name", Error, |b| {
        b.replace(SERVICE, "  name: app-operator-metrics\n", "");
    }),
    ("object-namespace", Error, |b| {
        b.replace(
            SERVICE,
            "metadata:\n",
            "metadata:\n  namespace: app-system\n",
        );
    }),
    ("object-labels", Error, |b| {
        b.replace(SERVICE, "    app:", "    -app:");
    }),
    ("bundle-too-large", Error, |b| {
        b.write("manifests/large.yaml", &config(1_300_000));
    }),
    ("bundle-large", Warning, |b| {
        b.write("manifests/large.yaml", &config(900_000));
    }),
    ("bundle-size-zero", Fatal, |b| {
        b.remove("manifests/");
        b.write(CSV, "");
    }),
    ("object-large", Passes, |b| {
        b.write(
            "manifests/large.yaml",
            &config(100).replacen("a: ", &format!("a: {}", "a".repeat(1 << 20)), 1),
        );
    }),
    ("crd-large", Passes, |b| {
        let description = format!(
            "type: object\n          description: {}",
            "a".repeat(256 << 10)
        );
        b.crd("type: object", &description);
    }),
];
