//! Flaws that optional validators find.

use rop::olm::validate::Index;

use super::Row;
use super::Verdict::{Error, Passes, Unknown, Warning};
use crate::olm::bundle::{Bundle, CSV, ROLE};

const BUDGET: &str =
    "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: app\nspec:\n";

const OLD_ROLE: &str =
    "apiVersion: rbac.authorization.k8s.io/v1beta1\nkind: Role\nmetadata:\n  name: old\n";

fn role(bundle: &mut Bundle, rule: &str) {
    let rule = format!("rules:\n  - {rule}\n  - apiGroups:");
    bundle.replace(ROLE, "rules:\n  - apiGroups:", &rule);
}

fn index(bundle: &mut Bundle, text: &str) {
    bundle.options.index = Some(Index {
        path: "index.Dockerfile".to_owned(),
        text: text.to_owned(),
    });
}

pub(super) const CATALOGS: &[Row] = &[
    ("operatorhub-deprecated", Warning, |_| {}),
    ("provider-name", Error, |b| b.csv("    name: Example\n", "")),
    ("maintainer-incomplete", Error, |b| {
        b.csv("      email: jane@example.com\n", "");
    }),
    ("maintainer-email", Error, |b| {
        b.csv("jane@example.com", "jane");
    }),
    ("link-incomplete", Error, |b| {
        b.csv("    - name: Documentation\n      url", "    - url");
    }),
    ("link-url", Error, |b| {
        b.csv("https://example.com/docs", "example.com/docs");
    }),
    ("version-zero", Error, |b| {
        b.csv("  version: 1.2.0", "  version: 0.0.0");
    }),
    ("icon-missing", Warning, |b| b.cut(CSV, "icon:")),
    ("icon-count", Error, |b| {
        b.csv(
            "  icon:\n",
            "  icon:\n    - {base64data: YQ==, mediatype: image/png}\n",
        );
    }),
    ("icon-incomplete", Error, |b| {
        b.csv("      mediatype: image/svg+xml\n", "");
    }),
    ("icon-media-type", Error, |b| {
        b.csv("image/svg+xml", "image/bmp");
    }),
    ("capability-level", Error, |b| {
        b.csv("Seamless Upgrades", "Seamless Upgrade");
    }),
    ("category-unknown", Error, |b| {
        b.csv("Database, ", "Databases, ");
    }),
    ("deployments-missing", Error, |b| b.cut(CSV, "deployments:")),
    ("resource-requests", Passes, |b| {
        b.csv("                        cpu: 10m\n", "");
    }),
    ("name-version", Warning, |b| {
        b.csv("name: app-operator.v1.2.0", "name: app-operator.v1");
    }),
    ("name-form", Warning, |b| {
        b.csv("name: app-operator.v1.2.0", "name: app-operator-1.2.0");
    }),
    ("channel-name", Warning, |b| {
        b.annotation("candidate,stable", "alpha,stable");
    }),
    ("rbac-crds", Passes, |b| {
        b.csv("            - apiGroups: [coord", "            - {apiGroups: ['*'], resources: [customresourcedefinitions], verbs: [create]}\n            - apiGroups: [coord");
    }),
    ("crd-description", Warning, |b| {
        b.csv("        description: A service of an app.\n", "");
    }),
    ("removed-api", Error, |b| {
        b.write("manifests/role.yaml", OLD_ROLE);
    }),
    ("removed-api-later", Warning, |b| {
        b.write("manifests/role.yaml", OLD_ROLE);
        b.csv("minKubeVersion: 1.28.0", "minKubeVersion: 1.21.0");
    }),
    ("removed-api-rbac", Warning, |b| {
        b.csv("            - apiGroups: [coord", "            - {apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [get]}\n            - apiGroups: [coord");
    }),
    ("k8s-version", Error, |b| {
        b.options.k8s_version = Some("latest".to_owned());
    }),
    ("openshift-maximum", Error, |b| {
        b.write("manifests/role.yaml", OLD_ROLE);
    }),
    ("openshift-maximum-patch", Warning, |b| {
        b.write("manifests/role.yaml", OLD_ROLE);
        let properties = "    olm.properties: '[{\"type\": \"olm.maxOpenShiftVersion\", \"value\": \"4.8.3\"}]'\n";
        b.csv("    createdAt:", &format!("{properties}    createdAt:"));
    }),
    ("openshift-label", Error, |b| {
        b.write("manifests/role.yaml", OLD_ROLE);
        index(
            b,
            "FROM scratch\nLABEL com.redhat.openshift.versions='v4.6'\n",
        );
    }),
    ("index-path", Warning, |b| {
        b.write("manifests/role.yaml", OLD_ROLE);
    }),
    ("platform-label", Unknown, |b| {
        b.csv("arch.arm64: supported", "arch.arm64: \"true\"");
    }),
    ("node-affinity-missing", Unknown, |b| {
        b.cut(CSV, "affinity:");
    }),
    ("node-affinity-incomplete", Unknown, |b| {
        b.csv("[amd64, arm64]", "[amd64]");
    }),
    ("node-affinity-unsupported", Unknown, |b| {
        b.csv("[amd64, arm64]", "[amd64, arm64, s390x]");
    }),
    ("pdb-max-unavailable", Error, |b| {
        b.write(
            "manifests/pdb.yaml",
            &format!("{BUDGET}  maxUnavailable: 0\n"),
        );
    }),
    ("pdb-min-available", Error, |b| {
        b.write(
            "manifests/pdb.yaml",
            &format!("{BUDGET}  minAvailable: 100%\n"),
        );
    }),
    ("priority-class-default", Error, |b| {
        let text = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n  name: a\nvalue: 1\nglobalDefault: true\n";
        b.write("manifests/class.yaml", text);
    }),
    ("rbac-pdb", Warning, |b| {
        role(
            b,
            "{apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [create]}",
        );
    }),
    ("rbac-scc", Error, |b| {
        role(
            b,
            "{apiGroups: [security.openshift.io], resources: [securitycontextconstraints], resourceNames: [anyuid], verbs: [update]}",
        );
    }),
];
