//! Wrong references and other arguments: what is wrong, and where.

use super::Quick;

#[test]
fn wrong_arguments() {
    let quick = Quick::new();
    let build = |arguments: &str| quick.rop(&format!("build {arguments}")).exits(2);
    insta::assert_snapshot!(build("example.com/App"), @"");
    insta::assert_snapshot!(build("https://example.com/app"), @"");
    insta::assert_snapshot!(build("example.com/app:v1:v2"), @"");
    insta::assert_snapshot!(build("a --tag v/1"), @"");
    insta::assert_snapshot!(build("a --base Nginx"), @"");
    insta::assert_snapshot!(build("a --platform windows/amd64"), @"");
    insta::assert_snapshot!(build("a --output app.tar"), @"");
    insta::assert_snapshot!(build("a --label x"), @"");
    insta::assert_snapshot!(build(&format!("a@sha256:{}", "0".repeat(64))), @"");
    insta::assert_snapshot!(build("--push"), @"");
    insta::assert_snapshot!(build("a --engine none --build-arg A=b"), @"");
    insta::assert_snapshot!(build("a --engine docker --sbom"), @"");
    assert_eq!(quick.builds(), Vec::<String>::new());
}

/// Where none is named it is the one that `config/manager` deploys.
#[test]
fn the_image_of_the_tree_is_the_default() {
    let quick = Quick::new();
    let planned = || quick.rop("build --engine none --dry-run").ok();
    planned().says("build app-operator:latest without an engine");
    let file = "config/manager/kustomization.yaml";
    quick
        .world
        .replace(file, "newName: app-operator", "newName: example.com/ours");
    quick.world.replace(file, "newTag: latest", "newTag: 2.10");
    planned().says("build example.com/ours:2.10 without");
    quick.world.replace(file, "example.com/ours", "Ours");
    insta::assert_snapshot!(quick.rop("build --engine none").exits(2), @"");
    std::fs::remove_file(quick.world.path().join(file)).expect("a file");
    insta::assert_snapshot!(quick.rop("build --engine none").exits(1), @"");
}
