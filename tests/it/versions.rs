//! A kind in several versions: `rop create api` for another version, and `rop create webhook --conversion`.

use crate::support::World;
use crate::support::world::differing;

const V1: &str = "create api --group app --version v1 --kind AppService";
const CONVERT: &str = "create webhook --group app --kind AppService --conversion";
const TYPES: [&str; 2] = [
    "api/src/app/v1alpha1/app_service.rs",
    "api/src/app/v1/app_service.rs",
];
const CRD: &str = "config/crd/bases/app.example.com_appservices.yaml";
const CONVERSION: &str = "api/src/app/v1/app_service_conversion_v1alpha1.rs";

/// A project with two versions of a kind.
fn world() -> World {
    let world = World::with_api();
    world.rop(V1).ok();
    world
}

#[test]
fn another_version_starts_as_a_copy() {
    let world = World::with_api();
    let types = world.read(TYPES[0]).replace("env:", "environment:");
    world.write(TYPES[0], &types);
    let outcome = world.rop(V1).ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
       update PROJECT
       update api/src/app/mod.rs
       create api/src/app/v1/app_service.rs
       create api/src/app/v1/mod.rs
       update api/src/lib.rs
       update config/crd/bases/app.example.com_appservices.yaml
       create config/samples/app_v1_appservice.yaml
       update config/samples/kustomization.yaml
       create tests/api/app/v1/app_service.rs
       update tests/api/main.rs

    next:
      edit api/src/app/v1/app_service.rs, then run `rop generate manifests`
      cargo test
    ");
    let copy = types.replace("version = \"v1alpha1\"", "version = \"v1\"");
    assert_eq!(world.read(TYPES[1]), copy);
    assert_eq!(world.read(TYPES[0]), types);
    let sample = world.read("config/samples/app_v1_appservice.yaml");
    assert!(
        sample.starts_with("apiVersion: app.example.com/v1\n"),
        "{sample}"
    );
    assert!(
        sample.contains("  name: appservice-v1-sample\n"),
        "{sample}"
    );
    world.rop(V1).did_nothing();
}

/// All files of the types are copied, with what their user wrote. A path leads into the new version if that has what
/// it names, and else still to the old one.
#[test]
fn a_copy_has_all_modules_of_the_types() {
    let world = World::with_api();
    world
        .rop("create api --group app --kind Other --no-controller")
        .ok();
    let types = world.read(TYPES[0]);
    let (folder, other) = (
        "api/src/app/v1alpha1/app_service",
        "api/src/app/v1/app_service",
    );
    let added = "\n/// Parts.\npub mod parts;\n#[path = \"app_service_more.rs\"]\nmod more;\n";
    let types = types.replacen("\nuse ", &format!("{added}\nuse "), 1);
    std::fs::remove_file(world.path().join(TYPES[0])).expect("a file");
    world.write(
        &format!("{folder}/mod.rs"),
        &types.replace("app_service_more.rs", "../app_service_more.rs"),
    );
    world.write(
        &format!("{folder}/parts.rs"),
        "use crate::app::v1alpha1::{AppServiceSpec, other::OtherSpec as Far};\n\
         use super::super::other::OtherStatus;\n\
         use super::AppServiceStatus;\n\
         mod deep { use super::super::super::other; use super::super::super::AppService; }\n\
         /// As [`crate::app::v1alpha1::app_service::AppService`], not [`crate::app::v1alpha1::Other`].\n\
         #[serde(default = \"crate::app::v1alpha1::app_service::parts::one\")]\n\
         pub struct Part(crate::app::v1alpha1::other::OtherSpec);\n\
         macro_rules! all { () => { crate::app::v1alpha1::AppService } }\n",
    );
    world.write(&format!("{folder}/schema.json"), "{}\n");
    world.write("api/src/app/v1alpha1/app_service_more.rs", "//! More.\n");
    world.rop(V1).ok();
    let copy = world.read(&format!("{other}/mod.rs"));
    assert_eq!(
        copy,
        world
            .read(&format!("{folder}/mod.rs"))
            .replace("version = \"v1alpha1\"", "version = \"v1\"")
    );
    insta::assert_snapshot!(world.read(&format!("{other}/parts.rs")), @r#"
    use crate::app::{v1::AppServiceSpec, v1alpha1::other::OtherSpec as Far};
    use crate::app::v1alpha1::other::OtherStatus;
    use super::AppServiceStatus;
    mod deep { use crate::app::v1alpha1::other; use super::super::super::AppService; }
    /// As [`crate::app::v1::app_service::AppService`], not [`crate::app::v1alpha1::Other`].
    #[serde(default = "crate::app::v1::app_service::parts::one")]
    pub struct Part(crate::app::v1alpha1::other::OtherSpec);
    macro_rules! all { () => { crate::app::v1::AppService } }
    "#);
    assert_eq!(world.read(&format!("{other}/schema.json")), "{}\n");
    assert_eq!(
        world.read("api/src/app/v1/app_service_more.rs"),
        "//! More.\n"
    );
    let tree = world.tree();
    assert!(
        !tree.contains_key(TYPES[0]) && !tree.contains_key(TYPES[1]),
        "{:?}",
        tree.keys()
    );
    world.rop(V1).did_nothing();
    world.rop("generate project").did_nothing();
    world.rop(CONVERT).ok();
    assert!(
        world
            .read(CONVERSION)
            .contains("impl From<v1alpha1::AppServiceSpec> for v1::AppServiceSpec {")
    );
}

/// What cannot be read is named, and nothing is written.
#[test]
fn types_that_cannot_be_read_are_not_copied() {
    for (text, expected) in [
        (&b"pub struct {"[..], "line 1, column 12"),
        (&b"pub struct A; \""[..], "line 1, column 15"),
        (&b"pub struct A; // \xff"[..], "UTF-8"),
    ] {
        let world = World::with_api();
        let types = world.read(TYPES[0]) + "\nmod parts;\n";
        world.write(TYPES[0], &types);
        let part = "api/src/app/v1alpha1/app_service/parts.rs";
        world.write(part, "");
        std::fs::write(world.path().join(part), text).expect("a file");
        let before = std::fs::read_dir(world.path().join("api/src/app"))
            .expect("a folder")
            .count();
        world.rop(V1).exits(1).says(part).says(expected);
        let after = std::fs::read_dir(world.path().join("api/src/app"))
            .expect("a folder")
            .count();
        assert_eq!(before, after);
    }
}

/// A pipe that nobody writes to is no module, and a link to a folder is read.
#[test]
fn links_and_pipes_among_the_types() {
    let world = World::with_api();
    let folder = world.path().join("api/src/app/v1alpha1");
    let types = world.read(TYPES[0]) + "\npub mod linked;\npub mod pipe;\n";
    world.write(TYPES[0], &types);
    world.write("api/src/app/linked/mod.rs", "//! Linked.\n");
    std::fs::create_dir_all(folder.join("app_service")).expect("a folder");
    std::os::unix::fs::symlink("../../linked", folder.join("app_service/linked")).expect("a link");
    let pipe = folder.join("app_service/pipe.rs");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    world.rop(V1).ok();
    assert_eq!(
        world.read("api/src/app/v1/app_service/linked/mod.rs"),
        "//! Linked.\n"
    );
    assert!(
        !world
            .path()
            .join("api/src/app/v1/app_service/pipe.rs")
            .exists()
    );
    world.rop(CONVERT).ok();
    std::fs::remove_file(pipe).expect("a pipe");
}

/// Objects are stored as before, and no controller moves, until somebody says so.
#[test]
fn the_first_version_stays_the_hub() {
    let world = world();
    insta::assert_snapshot!(versions(&world), @"
    name: v1alpha1
    served: true
    storage: true
    name: v1
    served: true
    storage: false
    ");
    assert!(
        world
            .read("src/controller/app_service/reconcile.rs")
            .contains("::v1alpha1::AppService")
    );
    world.rop("generate project").did_nothing();
}

/// What the CRD says of its versions, but for their schemas.
fn versions(world: &World) -> String {
    let fields = ["    name: v", "    served:", "    storage:", "    deprecat"];
    let is_field = |line: &&str| fields.iter().any(|field| line.starts_with(field));
    let crd = world.read(CRD);
    crd.lines().filter(is_field).collect::<Vec<_>>().join("\n")
}

/// The lists of the conversion's test are of the hub and of the others, so they change places.
#[test]
fn the_lists_of_fields_follow_the_hub() {
    let test = "tests/api/app/v1/app_service_conversion_v1alpha1.rs";
    let lists = [
        ".only_in_hub(&[\"spec.a\", \"spec.b[]\"])\n",
        ".only_in_spoke(&[])\n",
    ];
    let swapped = [
        ".only_in_hub(&[])\n",
        ".only_in_spoke(&[\"spec.a\", \"spec.b[]\"])\n",
    ];
    for edit in ["", "// mine\n"] {
        let world = world();
        world.rop(CONVERT).ok();
        world.replace(test, ".only_in_hub(&[])\n", lists[0]);
        let text = world.read(test) + edit;
        world.write(test, &text);
        let outcome = world.rop(&format!("{V1} --hub --controller")).ok();
        if edit.is_empty() {
            let moved = world.read(test);
            assert!(swapped.iter().all(|list| moved.contains(list)), "{moved}");
        } else {
            assert_eq!(world.read(test), text);
            let [hub, spoke] = lists;
            let outcome = outcome.says(&format!("  -        {hub}"));
            let outcome = outcome.says(&format!("  -        {spoke}"));
            for list in swapped {
                assert!(
                    outcome.stderr.contains(&format!("  +        {list}")),
                    "{outcome}"
                );
            }
        }
        world.rop("generate project").did_nothing();
    }
}

#[test]
fn the_hub_and_the_controller_move_where_nobody_edited() {
    let world = world();
    world.rop(CONVERT).ok();
    let conversion = world.read(CONVERSION) + "// mine\n";
    world.write(CONVERSION, &conversion);
    let edited = "src/controller/app_service/status.rs";
    let status = world.read(edited) + "// mine\n";
    world.write(edited, &status);
    let outcome = world.rop(&format!("{V1} --hub --controller")).ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
    note: you edited `src/controller/app_service/status.rs`: make this change yourself:
      @@ -1,6 +1,6 @@
       //! Computes the status of an `AppService` from its Deployment or from an error.
       
      -use app_operator_api::app::v1alpha1::{AppService, AppServiceStatus};
      +use app_operator_api::app::v1::{AppService, AppServiceStatus};
       
       use k8s_openapi::api::apps::v1::{Deployment, DeploymentCondition};
       use rop_runtime::conditions::{Conditions, DEGRADED, PROGRESSING, READY};
       update PROJECT
       update api/src/lib.rs
       update config/crd/bases/app.example.com_appservices.yaml
       update src/controller/app_service/fixture.rs
       update src/controller/app_service/reconcile.rs
       update src/controller/app_service/resources.rs
       update src/webhook/mod.rs
       update tests/api/app/v1/app_service_conversion_v1alpha1.rs
       update tests/cluster/app_service.rs
       update tests/cluster/app_service_versions.rs
       update tests/e2e/samples.rs

    next:
      cargo test
    ");
    assert_eq!(world.read(CONVERSION), conversion);
    assert_eq!(world.read(edited), status);
    assert!(
        world
            .read("src/controller/app_service/reconcile.rs")
            .contains("::v1::AppService")
    );
    insta::assert_snapshot!(versions(&world), @"
    name: v1
    served: true
    storage: true
    name: v1alpha1
    served: true
    storage: false
    ");
    let project = world.read("PROJECT");
    assert!(
        project.find("version: v1alpha1") < project.find("version: v1\n"),
        "{project}"
    );
    world.rop("generate project").did_nothing();
}

/// All controllers of a kind work with one version.
#[test]
fn further_controllers_move_with_the_first_one() {
    let world = World::with_api();
    let backup =
        "create api --group app --kind AppService --resource=false --controller-name backup";
    world.rop(backup).ok();
    for version in ["v1", "v2"] {
        let create = format!("create api --group app --version {version} --kind AppService");
        world.rop(&format!("{create} --controller")).ok();
        let reconcile = world.read("src/controller/backup/reconcile.rs");
        assert!(
            reconcile.contains(&format!("::{version}::AppService")),
            "{reconcile}"
        );
    }
    // So it does where the version has been there before.
    world
        .rop("create api --group app --version v1 --kind AppService --controller")
        .ok();
    assert!(
        world
            .read("src/controller/backup/reconcile.rs")
            .contains("::v1::AppService")
    );
    assert!(
        world
            .read("src/controller/app_service/reconcile.rs")
            .contains("::v1::AppService")
    );
}

#[test]
fn a_version_is_deprecated_and_served_no_more() {
    let world = world();
    let old = "create api --group app --version v1alpha1 --kind AppService";
    world.rop(&format!("{V1} --hub --controller")).ok();
    world
        .rop(&format!(
            "{old} --served=false --deprecation-warning use-v1"
        ))
        .ok();
    insta::assert_snapshot!(versions(&world), @"
    name: v1
    served: true
    storage: true
    deprecated: true
    deprecationWarning: use-v1
    name: v1alpha1
    served: false
    storage: false
    ");
    let lib = world.read("api/src/lib.rs");
    assert!(lib.contains("unserved(deprecated("), "{lib}");
    world
        .rop(&format!("{old} --served --deprecated=false"))
        .ok();
    let lib = world.read("api/src/lib.rs");
    assert!(!lib.contains("deprecated"), "{lib}");
    let hub = world.rop(&format!("{V1} --served=false")).exits(2);
    insta::assert_snapshot!(hub, @"
    exit: 2
    --- stderr
    error[invalid-hub]: the storage version (hub) app/v1 AppService must be served
    hint: serve it with `--served`, or remove `served: false` from PROJECT; to stop serving it, first make another version the hub with `--hub`
    ");
}

#[test]
fn conversions_are_made_of_the_types_as_they_are() {
    let world = world();
    let types = world
        .read(TYPES[1])
        .replace("pub env: Vec<EnvVar>", "pub environment: Vec<EnvVar>");
    world.write(TYPES[1], &types);
    let outcome = world.rop(CONVERT).ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
       update Cargo.toml
       update PROJECT
       create api/src/app/v1/app_service_conversion_v1alpha1.rs
       update api/src/app/v1/mod.rs
       create config/cert-manager/certificates.yaml
       create config/cert-manager/kustomization.yaml
       create config/cert-manager/name_reference.yaml
       create config/cert-manager/trust_patch.yaml
       update config/crd/bases/app.example.com_appservices.yaml
       create config/default/cert_manager.yaml
       update config/default/kustomization.yaml
       create config/webhook/kustomization.yaml
       create config/webhook/manager_patch.yaml
       create config/webhook/manifests.yaml
       create config/webhook/name_reference.yaml
       create config/webhook/role.yaml
       create config/webhook/role_binding.yaml
       create config/webhook/secret.yaml
       create config/webhook/service.yaml
       update src/lib.rs
       create src/webhook/mod.rs
       create tests/api/app/v1/app_service_conversion_v1alpha1.rs
       update tests/api/main.rs
       create tests/cluster/app_service_versions.rs
       update tests/cluster/main.rs

    next:
      edit api/src/app/v1/app_service_conversion_v1alpha1.rs
      cargo test
      rop dev
    ");
    let conversion = world.read(CONVERSION);
    for line in [
        "environment: Default::default(),",
        "env: Default::default(),",
        "image: value.image,",
    ] {
        assert!(conversion.contains(line), "{line}: {conversion}");
    }
    assert!(world.read(CRD).contains("          path: /convert\n"));
    assert!(
        world
            .read("config/webhook/role.yaml")
            .contains("  - appservices.app.example.com\n")
    );
    world.rop(CONVERT).did_nothing();
    world.rop("generate project").did_nothing();
}

/// What cannot be converted does not compile, and the command says where.
#[test]
fn lines_to_write_are_named() {
    let world = world();
    world.replace(TYPES[1], "pub env: Vec<EnvVar>", "pub env: String");
    let dry_run = world.rop(&format!("{CONVERT} --dry-run")).ok();
    let outcome = world.rop(CONVERT).ok();
    let conversion = world.read(CONVERSION);
    let missing = conversion
        .lines()
        .zip(1..)
        .filter(|(line, _)| line.contains("compile_error!("));
    let lines: Vec<String> = missing.map(|(_, number)| number.to_string()).collect();
    assert_eq!(lines.len(), 2, "{conversion}");
    let note = format!(
        "note: `{CONVERSION}` does not compile yet: rop cannot convert all of these types; complete lines {}",
        lines.join(", ")
    );
    dry_run.says(&note);
    outcome.says(&note);
}

/// One after the other is as both at once.
#[test]
fn a_further_version_joins() {
    let (at_once, later) = (world(), world());
    let v2 = "create api --group app --version v2 --kind AppService";
    at_once.rop(v2).ok();
    at_once.rop(&format!("{CONVERT} --spoke v1,v2")).ok();
    later.rop(CONVERT).ok();
    later.rop(v2).ok();
    assert_eq!(differing(&at_once.tree(), &later.tree()), [""; 0]);
}

#[test]
fn what_contradicts_itself_is_refused() {
    let world = world();
    for (command, expected) in [
        (
            format!("{V1} --plural other"),
            "v1 AppService already exists with the plural `appservices`",
        ),
        (
            "create api --group app --version v2 --kind AppService --plural other".to_owned(),
            "different plurals",
        ),
        (
            "create api --group app --version v2 --kind AppService --cluster-scoped".to_owned(),
            "different scopes",
        ),
        (
            format!("{CONVERT} --version v1"),
            "is not the storage version (hub)",
        ),
        (format!("{CONVERT} --spoke v1alpha1"), "cannot be a spoke"),
        (
            format!("{CONVERT} --spoke v3"),
            "cannot convert version `v3`",
        ),
        (
            "create webhook --group app --version v1 --kind AppService --defaulting".to_owned(),
            "is not the storage version (hub) of its kind",
        ),
        (
            "create webhook --group core --kind Pod --conversion".to_owned(),
            "which converts it",
        ),
        (
            "create webhook --group app --kind AppService --spoke v1".to_owned(),
            "--conversion",
        ),
    ] {
        let before = world.tree();
        world.rop(&command).exits(2).says(expected);
        assert_eq!(differing(&before, &world.tree()), [""; 0]);
    }
    let refused = World::with_api().rop(CONVERT).exits(2);
    insta::assert_snapshot!(refused, @"
    exit: 2
    --- stderr
    error[nothing-to-convert]: app AppService has only the version v1alpha1: nothing to convert
    hint: create another version first: `rop create api --group app --version v1 --kind AppService`
    ");
}

#[test]
fn a_conversion_that_project_lists_no_more_goes() {
    let world = world();
    let before = world.tree();
    world.rop(CONVERT).ok();
    let project = world.read("PROJECT");
    let start = project.find("  webhooks:\n").expect("webhooks");
    let end = project[start..]
        .find("- api:")
        .map_or(project.len(), |at| start + at);
    world.write(
        "PROJECT",
        &format!("{}{}", &project[..start], &project[end..]),
    );
    world.rop("generate project").ok();
    let after = world.tree();
    let left = differing(&before, &after);
    insta::assert_snapshot!(left.join("\n"), @"");
}
