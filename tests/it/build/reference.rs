//! Wrong references and other arguments: what is wrong, and where.

use super::Quick;

#[test]
fn wrong_arguments() {
    let quick = Quick::new();
    let build = |arguments: &str| quick.rop(&format!("build {arguments}")).exits(2);
    insta::assert_snapshot!(build("example.com/App"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid image `example.com/App`: unexpected capital letter in the repository at character 13
    hint: did you mean `example.com/app`?
    ");
    insta::assert_snapshot!(build("https://example.com/app"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid image `https://example.com/app`: unexpected URL scheme before `://` at character 6
    ");
    insta::assert_snapshot!(build("example.com/app:v1:v2"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid image `example.com/app:v1:v2`: unexpected `:` in the repository at character 16
    ");
    insta::assert_snapshot!(build("a --tag v/1"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid tag `v/1`: unexpected '/' at character 2
    ");
    insta::assert_snapshot!(build("a --base Nginx"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid image `Nginx`: unexpected capital letter in the repository at character 1
    hint: did you mean `nginx`?
    ");
    insta::assert_snapshot!(build("a --platform windows/amd64"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid platform `windows/amd64`: not a Linux platform of Kubernetes nodes
    hint: supported platforms: linux/amd64, linux/arm64, linux/arm/v7, linux/386, linux/ppc64le, linux/riscv64, linux/s390x
    ");
    insta::assert_snapshot!(build("a --output app.tar"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid output `app.tar`: expected FORMAT:PATH
    hint: use oci:DIR, oci-archive:FILE or docker-archive:FILE
    ");
    insta::assert_snapshot!(build("a --label x"), @"
    exit: 2
    --- stderr
    error[invalid-name]: invalid value `x`: expected NAME=VALUE
    hint: for example `org.opencontainers.image.vendor=Example`
    ");
    insta::assert_snapshot!(build(&format!("a@sha256:{}", "0".repeat(64))), @"
    exit: 2
    --- stderr
    error[invalid-image]: invalid image `a@sha256:0000000000000000000000000000000000000000000000000000000000000000`: the image to build cannot have a digest
    hint: remove `@sha256:0000000000000000000000000000000000000000000000000000000000000000`
    ");
    insta::assert_snapshot!(build("--push"), @"
    exit: 2
    --- stderr
    error[invalid-image]: invalid image `app-operator:latest`: `--push` needs a registry
    hint: for example `registry.example.com/app-operator:latest`
    hint: the default image is set in config/manager/kustomization.yaml
    ");
    insta::assert_snapshot!(build("a --engine none --build-arg A=b"), @"
    exit: 2
    --- stderr
    error[engine-limit]: `--build-arg` needs a container engine, but none is used
    hint: select a running engine, for example `--engine docker`
    ");
    insta::assert_snapshot!(build("a --engine docker --sbom"), @"
    exit: 2
    --- stderr
    error[engine-limit]: `--sbom` cannot be used with `--engine docker`
    hint: set it in the Dockerfile instead, or let rop build: `--engine none`
    ");
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
    insta::assert_snapshot!(quick.rop("build --engine none").exits(2), @"
    exit: 2
    --- stderr
    error[invalid-name]: `config/manager/kustomization.yaml` has no valid image
      caused by: invalid image `Ours:2.10`: unexpected capital letter in the repository at character 1
    hint: did you mean `ours:2.10`?
    hint: name the image: `rop build registry.example.com/app-operator:v0.1.0`
    ");
    std::fs::remove_file(quick.world.path().join(file)).expect("a file");
    insta::assert_snapshot!(quick.rop("build --engine none").exits(1), @"
    exit: 1
    --- stderr
    error[unreadable-file]: failed to read `config/manager/kustomization.yaml`
      caused by: No such file or directory (os error 2)
    hint: name the image: `rop build registry.example.com/app-operator:v0.1.0`
    ");
}
