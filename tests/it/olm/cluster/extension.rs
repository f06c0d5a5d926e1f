//! OLM v1: its controllers need a registry of images, so that its part is played. The CRD of catalogs is OLM's. No module
//! for Go has that of extensions: one with the same fields, all of which are known, stands for it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::refused::bundled;
use crate::in_out::rop;
use crate::support::control_plane::ControlPlane;
use crate::support::tools::go_module;

const GROUP: &str = "/apis/olm.operatorframework.io/v1";

/// The last release of catalogd by itself.
const CATALOGD: &str = "github.com/operator-framework/catalogd@v1.1.0";
const CATALOGS: &str = "config/base/crd/bases/olm.operatorframework.io_clustercatalogs.yaml";

/// An object with these fields, of which the ones in `required` must be there.
fn object(required: &[&str], fields: &Value) -> Value {
    json!({"type": "object", "required": required, "properties": fields})
}

fn extensions() -> Value {
    let text = json!({"type": "string"});
    let labels = json!({"type": "object", "additionalProperties": text});
    let safety = object(
        &["enforcement"],
        &json!({"enforcement": {"type": "string", "enum": ["None", "Strict"]}}),
    );
    let preflight = object(&[], &json!({"crdUpgradeSafety": safety}));
    let catalog = object(
        &["packageName"],
        &json!({
            "packageName": text,
            "version": text,
            "channels": {"type": "array", "items": text},
            "selector": object(&[], &json!({"matchLabels": labels})),
            "upgradeConstraintPolicy": {
                "type": "string", "enum": ["CatalogProvided", "SelfCertified"], "default": "CatalogProvided",
            },
        }),
    );
    let source = object(
        &["sourceType"],
        &json!({"sourceType": {"type": "string", "enum": ["Catalog"]}, "catalog": catalog}),
    );
    let spec = object(
        &["namespace", "serviceAccount", "source"],
        &json!({
            "namespace": text,
            "serviceAccount": object(&["name"], &json!({"name": text})),
            "source": source,
            "install": object(&[], &json!({"preflight": preflight})),
        }),
    );
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "clusterextensions.olm.operatorframework.io"},
        "spec": {
            "group": "olm.operatorframework.io", "scope": "Cluster",
            "names": {"kind": "ClusterExtension", "plural": "clusterextensions"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": object(&[], &json!({"spec": spec, "status": any}))},
            }],
        },
    })
}

fn with_olm_v1() -> Option<ControlPlane> {
    let catalogs = go_module(CATALOGD)?.join(CATALOGS);
    let catalogs = fs::read_to_string(catalogs).expect("a CRD");
    let plane = ControlPlane::new()?;
    for crd in [catalogs, extensions().to_string()] {
        let applied = plane.apply(&crd);
        let stderr = String::from_utf8_lossy(&applied.stderr);
        assert!(applied.status.success(), "{stderr}");
    }
    plane.wait_for_crds();
    Some(plane)
}

/// Plays OLM v1: the catalog is served, and the version of the extension installed.
fn installs(plane: &ControlPlane, version: &str) {
    let condition = |kind: &str, reason: &str| {
        json!({
            "type": kind, "status": "True", "reason": reason, "message": "done",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        })
    };
    let catalog = json!({"status": {"conditions": [condition("Serving", "Available")]}});
    let path = format!("{GROUP}/clustercatalogs/app-operator-catalog/status");
    plane.api().merge(&path, &catalog);
    let name = format!("app-operator.v{version}");
    let extension = json!({"status": {
        "conditions": [condition("Installed", "Succeeded")],
        "install": {"bundle": {"name": name, "version": version}},
    }});
    let path = format!("{GROUP}/clusterextensions/app-operator/status");
    plane.api().merge(&path, &extension);
}

#[test]
fn an_extension_is_installed_upgraded_and_removed() {
    let Some(plane) = with_olm_v1() else {
        return;
    };
    let world = bundled();
    let run = |arguments: &str| rop(&world, &plane, arguments);
    insta::assert_snapshot!(run("run bundle bundle").exits(2), @"
    exit: 2
    --- stderr
    error[catalog-image-needed]: OLM v1 installs from images of catalogs only
    hint: add the bundle with `rop catalog add`, push the catalog with `rop catalog build`, and name its image with `--catalog-image`
    ");
    run("run bundle-upgrade bundle --catalog-image example.com/catalog:v1")
        .exits(1)
        .says("package-not-installed");
    let install = "run bundle bundle --catalog-image example.com/catalog:v1 --timeout 1s";
    insta::assert_snapshot!(run(install).exits(1), @"
    exit: 1
    --- stderr
    note: installing app-operator.v0.1.0 with OLM v1 in the namespace `default`; Ctrl-C leaves the objects in the cluster: run the same command again to continue, or `rop cleanup app-operator --namespace default`
       create ClusterCatalog app-operator-catalog
       create ServiceAccount default/app-operator-installer
       create ClusterRoleBinding default-app-operator-installer
       create ClusterExtension app-operator
      waiting for OLM
    error[olm-install-failed]: app-operator.v0.1.0 is not installed after 1s
      caused by: ClusterCatalog app-operator-catalog: not observed by OLM yet
    hint: see `kubectl describe clusterextension app-operator`
    hint: the objects remain: fix the cause and run the command again, or remove them with `rop cleanup app-operator --namespace default`
    ");
    installs(&plane, "0.1.0");
    run(install).ok().says("app-operator.v0.1.0 is installed");
    let extension = plane
        .api()
        .get(&format!("{GROUP}/clusterextensions/app-operator"));
    insta::assert_snapshot!(format!("{:#}", extension["spec"]), @r#"
    {
      "namespace": "default",
      "serviceAccount": {
        "name": "app-operator-installer"
      },
      "source": {
        "catalog": {
          "packageName": "app-operator",
          "selector": {
            "matchLabels": {
              "olm.operatorframework.io/metadata.name": "app-operator-catalog"
            }
          },
          "upgradeConstraintPolicy": "CatalogProvided",
          "version": "0.1.0"
        },
        "sourceType": "Catalog"
      }
    }
    "#);

    world
        .rop("bundle --image example.com/app:v2 --version 0.2.0")
        .ok();
    run(install).exits(1).says("rop run bundle-upgrade");
    let upgrade = "run bundle-upgrade bundle --catalog-image example.com/catalog:v2 --timeout 1s";
    run(upgrade).exits(1).says("is not installed after");
    installs(&plane, "0.2.0");
    run(upgrade).ok();
    run("cleanup app-operator --delete-all=false").ok();
    for path in [
        format!("{GROUP}/clusterextensions"),
        format!("{GROUP}/clustercatalogs"),
    ] {
        assert_eq!(plane.api().get(&path)["items"], json!([]));
    }
    run("cleanup app-operator").ok().says("nothing to delete");
}

/// Each field of the chapter's objects is one of OLM's.
#[test]
fn the_objects_of_the_chapter_are_accepted() {
    let Some(plane) = with_olm_v1() else {
        return;
    };
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/tutorials/operatorhub.md");
    let chapter = fs::read_to_string(chapter).expect("the chapter");
    let mut blocks = chapter.split("```");
    let objects = blocks.find_map(|block| {
        let yaml = block.strip_prefix("yaml\n")?;
        yaml.contains("kind: ClusterExtension").then_some(yaml)
    });
    let path = plane.dir().join("objects.yaml");
    fs::write(&path, objects.expect("OLM v1")).expect("a file");
    let file = path.to_string_lossy();
    let apply = ["apply", "--server-side", "--validate=strict", "-f", &file];
    let applied = plane.kubectl_ok(&apply);
    assert!(
        applied.contains("clusterextension.olm.operatorframework.io/app-operator"),
        "{applied}"
    );
}

#[test]
fn an_extension_of_others() {
    let Some(plane) = with_olm_v1() else {
        return;
    };
    let world = bundled();
    let other = json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension",
        "metadata": {"name": "other"},
        "spec": {
            "namespace": "default", "serviceAccount": {"name": "x"},
            "source": {"sourceType": "Catalog", "catalog": {"packageName": "app-operator"}},
        },
    });
    assert!(plane.apply(&other.to_string()).status.success());
    let line = "run bundle bundle --catalog-image example.com/catalog:v1";
    insta::assert_snapshot!(rop(&world, &plane, line).exits(1), @"
    exit: 1
    --- stderr
    error[olm-conflict]: the cluster already has the ClusterExtension `other`, of the package `app-operator`
    hint: remove it with `rop cleanup app-operator`
    ");
    rop(
        &world,
        &plane,
        &format!("{line} --install-mode OwnNamespace"),
    )
    .exits(2)
    .says("for all namespaces only");
}
