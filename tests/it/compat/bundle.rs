//! The words of operator-sdk 1.x for bundles.

use crate::support::World;

const BASE: &str = "config/manifests/bases/app-operator.clusterserviceversion.yaml";

/// Those of its Makefile, one after the other.
#[test]
fn they_do_what_bundle_does() {
    let (words, bundle) = (World::with_api(), World::with_api());
    insta::assert_snapshot!(words.rop("generate kustomize manifests").ok(), @"
    exit: 0
    --- stderr
    note: `rop bundle` does this too
       create config/manifests/bases/app-operator.clusterserviceversion.yaml

    next:
      edit config/manifests/bases/app-operator.clusterserviceversion.yaml, then run `rop bundle`
    ");
    assert!(words.path().join(BASE).is_file());
    assert!(!words.path().join("bundle").exists());
    words.rop("generate kustomize manifests --interactive=false --apis-dir api/ --package app-operator").did_nothing();
    words.rop("generate kustomize manifests -q").ok();
    let flags = "--version 1.0.0 --channels stable,fast --default-channel stable";
    let generate = format!("generate bundle --overwrite {flags} --output-dir olm");
    words
        .rop(&generate)
        .ok()
        .says("note: this command is now `rop bundle`")
        .says("note: --overwrite has no effect: rop merges your edits with what changed");
    bundle.rop(&format!("bundle {flags} --output olm")).ok();
    assert_eq!(words.tree(), bundle.tree());
    words
        .rop(&format!(
            "{generate} --check --manifests --metadata --kustomize-dir config/manifests"
        ))
        .ok();
    // An edit of the base stays.
    words.replace(BASE, "Manages AppService", "Runs AppService");
    let edited = words.read(BASE);
    words.rop("generate kustomize manifests").did_nothing();
    assert_eq!(words.read(BASE), edited);
}

#[test]
fn flags_without_a_meaning() {
    let world = World::with_api();
    let tree = world.tree();
    for flag in [
        "--input-dir x",
        "--deploy-dir x",
        "--crds-dir x",
        "--kustomize-dir x",
        "--extra-service-accounts x",
        "--manifests",
        "--metadata",
        "--stdout",
        "--use-image-digests",
        "--package x",
    ] {
        let outcome = world.rop(&format!("generate bundle {flag}")).exits(2);
        outcome.says("error[unsupported]").says("hint: ");
    }
    for flag in [
        "--input-dir x",
        "--output-dir x",
        "--apis-dir x",
        "--package x",
    ] {
        let outcome = world.rop(&format!("generate kustomize manifests {flag}"));
        outcome.exits(2).says("error[unsupported]").says("hint: ");
    }
    assert_eq!(world.tree(), tree);
    insta::assert_snapshot!(world.rop("generate bundle --use-image-digests").exits(2), @"
    exit: 2
    --- stderr
    error[unsupported]: rop does not have the flag `--use-image-digests` of operator-sdk
    hint: list the digests in a file: `rop bundle --image-digests FILE`
    ");
}
