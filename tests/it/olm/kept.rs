//! What `rop bundle` keeps: sources, names, edits, the image.

use crate::support::World;

use super::generated::csv;

const CSV: &str = "bundle/manifests/app-operator.clusterserviceversion.yaml";
const BASE: &str = "config/manifests/bases/app-operator.clusterserviceversion.yaml";

#[test]
fn no_folder_with_other_files_becomes_a_bundle() {
    let world = World::with_api();
    world.rop("bundle").ok();
    let before = world.tree();
    for folder in [
        "src",
        "config",
        "api",
        "tests",
        "api/src",
        "config/manifests",
    ] {
        world
            .rop(&format!("bundle --output {folder}"))
            .exits(1)
            .says(&format!("the folder `{folder}` has files, but no bundle"));
    }
    assert_eq!(world.tree(), before);
    for folder in [".rop", ".rop/base", "a/.b"] {
        world
            .rop(&format!("bundle --output {folder}"))
            .exits(2)
            .says("no part of it may start with a dot");
    }
    world.rop("bundle --output olm").ok();
    world.rop("bundle --output olm").did_nothing();
}

/// Each folder is merged with what rop wrote there last, whatever it wrote to others since.
#[test]
fn two_folders_have_their_own_edits() {
    let world = World::with_api();
    let csv = |folder: &str| CSV.replace("bundle", folder);
    for folder in ["bundle", "other"] {
        let output = format!("bundle --output {folder}");
        world.rop(&format!("{output} --version 0.1.0")).ok();
        world.replace(
            &csv(folder),
            "maturity: alpha",
            &format!("maturity: {folder}"),
        );
    }
    for (folder, version) in [("bundle", "0.2.0"), ("other", "0.3.0"), ("bundle", "0.4.0")] {
        world
            .rop(&format!("bundle --output {folder} --version {version}"))
            .ok();
        let text = world.read(&csv(folder));
        assert!(text.contains(&format!("maturity: {folder}")), "{text}");
        assert!(text.contains(&format!("version: \"{version}\"")), "{text}");
    }
}

/// The name of an object becomes the name of a file.
#[test]
fn no_name_is_a_path() {
    let world = World::with_api();
    let manifests = "config/default/kustomization.yaml";
    world.replace(manifests, "namePrefix:", "#");
    let list = world
        .read(manifests)
        .replace("resources:\n", "resources:\n- mine.yaml\n");
    world.write(manifests, &list);
    for name in ["x/../../../src/E", "..", "a b", "a\\e[31mb"] {
        let role = format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: \"{name}\"}}\nrules: []\n"
        );
        world.write("config/default/mine.yaml", &role);
        let before = world.tree();
        world
            .rop("bundle")
            .exits(2)
            .says("no file of the bundle can be named after");
        assert_eq!(world.tree(), before, "{name}");
    }
}

#[test]
fn a_kind_that_is_deleted_leaves_an_edited_bundle() {
    let world = World::with_api();
    world.rop("create api --group app --kind Bar").ok();
    world.rop("bundle").ok();
    let text = world.read(CSV);
    world.write(CSV, &text.replace("Container image to run.", "EDITED"));
    world.rop("delete api --group app --kind Bar").ok();
    world.rop("bundle").ok().says(
        "removed `spec.customresourcedefinitions.owned[bars.app.example.com v1alpha1]`, which you edited",
    );
    let owned = csv(&world)["spec"]["customresourcedefinitions"]["owned"].clone();
    assert_eq!(owned.as_array().map(Vec::len), Some(1));
    assert!(owned.to_string().contains("EDITED"));
    world.rop("bundle --force").ok();
    assert!(!world.read(CSV).contains("EDITED"));
    world.rop("bundle").did_nothing();
}

#[test]
fn a_renamed_project_keeps_its_base_and_its_edits() {
    let world = World::with_api();
    world
        .rop("bundle --version 0.5.0 --image example.com/app-operator:v0.5.0")
        .ok();
    world.replace(BASE, "  displayName: App Operator", "  displayName: Mine");
    world.replace(CSV, "maturity: alpha", "maturity: beta");
    world.replace(CSV, "memory: 128Mi", "memory: 512Mi");
    world.rop("edit --project-name new-operator").ok();
    world
        .rop("bundle")
        .ok()
        .says("`config/manifests/bases/new-operator.clusterserviceversion.yaml` now");
    assert!(!world.path().join(BASE).exists());
    assert!(!world.path().join(CSV).exists());
    let csv = world.read("bundle/manifests/new-operator.clusterserviceversion.yaml");
    for text in [
        "displayName: Mine",
        "maturity: beta",
        "name: new-operator.v0.5.0",
        "memory: 512Mi",
        "image: example.com/app-operator:v0.5.0",
    ] {
        assert!(csv.contains(text), "{text}: {csv}");
    }
    assert_eq!(
        csv.matches("serviceAccountName: new-operator-").count(),
        3,
        "{csv}"
    );
    assert!(!csv.contains("- name: app-operator-"), "{csv}");
    world.rop("bundle").did_nothing();
}

#[test]
fn the_image_stays_until_another_is_named() {
    let world = World::with_api();
    world.rop("bundle --image example.com/app:v1").ok();
    let again = world.rop("bundle").ok();
    again
        .says("keeping the image `example.com/app:v1`")
        .says("everything is up to date");
    world.rop("bundle --image example.com/app:v2").ok();
    assert_eq!(
        csv(&world)["metadata"]["annotations"]["containerImage"],
        "example.com/app:v2"
    );
    // An annotation of the user's is not what runs.
    world.replace(
        BASE,
        "  annotations:\n",
        "  annotations:\n    containerImage: example.com/shown:v9\n",
    );
    for _ in 0..2 {
        let again = world.rop("bundle").ok();
        again.says("keeping the image `example.com/app:v2`");
    }
    let csv = csv(&world);
    assert_eq!(
        csv["metadata"]["annotations"]["containerImage"],
        "example.com/shown:v9"
    );
    let deployment = &csv["spec"]["install"]["spec"]["deployments"][0];
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "example.com/app:v2");
}

/// OLM never goes back to an older version.
#[test]
fn the_version_does_not_fall_by_itself() {
    let world = World::with_api();
    world.rop("bundle --version 1.2.0").ok();
    world
        .rop("bundle")
        .ok()
        .says(
            "keeping the version 1.2.0 of the last bundle, which is newer than 0.1.0 in Cargo.toml",
        )
        .says("everything is up to date");
    world.rop("bundle --check").ok();
    world.rop("bundle --version 0.2.0").ok();
    assert_eq!(csv(&world)["spec"]["version"], "0.2.0");
    world.replace("Cargo.toml", "version = \"0.1.0\"", "version = \"0.3.0\"");
    world.rop("bundle").ok().omits("keeping the version");
    assert_eq!(csv(&world)["spec"]["version"], "0.3.0");
}

/// Without a record, files that are as rop would have written them are rop's.
#[test]
fn an_unedited_bundle_needs_no_record() {
    let path = "bundle/manifests/app-operator.clusterserviceversion.yaml";
    for [flag, value] in [["--version", "0.2.0"], ["--image", "example.com/app:v2"]] {
        let world = World::with_api();
        world.rop("bundle").ok();
        std::fs::remove_dir_all(world.path().join(".rop")).expect("a folder");
        let edited = world.copy();
        let bundle = format!("bundle {flag} {value}");
        world.rop(&bundle).ok();
        assert!(world.read(path).contains(value));
        edited.replace(path, "displayName: App Operator", "displayName: Mine");
        edited
            .rop(&bundle)
            .exits(1)
            .says(&format!("{path} already exists"));
    }
}

/// An edited file of a kind that is gone is in nobody's way.
#[test]
fn an_edited_file_of_a_deleted_kind_is_kept() {
    let world = World::with_api();
    world.rop("create api --group app --kind Bar").ok();
    world.rop("bundle").ok();
    let bar = "bundle/manifests/app.example.com_bars.yaml";
    world.replace(bar, "metadata:\n", "metadata:\n  labels: {mine: '1'}\n");
    world.replace(CSV, "maturity: alpha", "maturity: beta");
    world.rop("delete api --group app --kind Bar").ok();
    let note = format!(
        "the bundle no longer has `{bar}`, which was kept because you edited it: delete the file"
    );
    for _ in 0..2 {
        let outcome = world.rop("bundle").exits(1);
        outcome.says(&note).says("bars");
        assert!(world.read(bar).contains("mine"));
        assert!(world.read(CSV).contains("maturity: beta"));
    }
    std::fs::remove_file(world.path().join(bar)).expect("a file");
    world.rop("bundle").ok().omits("kept because");
}

#[test]
fn only_a_digest_is_a_digest() {
    let world = World::with_api();
    world.write("digests.yaml", "app-operator:latest: sha256:abc\n");
    world
        .rop("bundle --image-digests digests.yaml")
        .exits(2)
        .says("`--image-digests` has no digest of `app-operator:latest`");
    assert!(!world.path().join("bundle").exists());
}

/// What `rop bundle` leaves out is said.
#[test]
fn samples_of_other_kinds_are_named() {
    let world = World::with_api();
    let note = "omits the samples ConfigMap settings";
    world.rop("bundle").ok().omits("leaves out");
    world.write(
        "config/samples/settings.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n",
    );
    world.replace(
        "config/samples/kustomization.yaml",
        "resources:\n",
        "resources:\n- settings.yaml\n",
    );
    world.rop("bundle").ok().says(note);
    let examples = &csv(&world)["metadata"]["annotations"]["alm-examples"];
    assert!(!examples.to_string().contains("settings"), "{examples}");
}

/// Edits of the list of kinds leave the rest of it to rop.
#[test]
fn versions_of_a_kind_have_their_own_edits() {
    let world = World::with_api();
    world
        .rop("create api --group app --version v1 --kind AppService")
        .ok();
    world.rop("bundle").ok();
    // A line beside the next, so that lines cannot be merged.
    let description = "A workload run by a Deployment, with a Service if it has ports.";
    world.replace(CSV, description, "A service");
    world.replace(
        BASE,
        "spec:\n",
        "\
spec:
  customresourcedefinitions:
    owned:
    - name: appservices.app.example.com
      version: v1
      kind: AppService
      displayName: Service
    - name: appservices.app.example.com
      version: v1alpha1
      kind: AppService
      displayName: Old service
",
    );
    world.rop("bundle").ok().omits("as you edited");
    let owned = csv(&world)["spec"]["customresourcedefinitions"]["owned"].clone();
    let owned = owned.as_array().expect("kinds").iter();
    let mut found: Vec<_> = owned
        .map(|kind| ["displayName", "description"].map(|field| kind[field].to_string()))
        .collect();
    found.sort();
    let expected = [["Old service", "A service"], ["Service", "A service"]];
    let expected = expected.map(|texts| texts.map(|text| format!("{text:?}")));
    assert_eq!(found, expected);
}
