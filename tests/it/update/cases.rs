//! What becomes of each file of a project that follows a release.

use std::fs;
use std::os::unix::fs::symlink;

use rop::plan::{File, Ownership};

use super::Release;
use super::archive::{ARCHIVES, unpack};
use crate::support::World;
use crate::support::world::differing;

const RECONCILE: &str = "src/controller/app_service/reconcile.rs";
const STATUS: &str = "src/controller/app_service/status.rs";
const WIRING: &str = "src/controller/mod.rs";

/// What a user adds to a file.
fn ours(path: &str) -> &'static str {
    if path.ends_with(".rs") {
        "// Ours.\n"
    } else {
        "# Ours.\n"
    }
}

/// The first line of a file.
fn first_line(world: &World, path: &str) -> String {
    let text = world.read(path);
    text.lines().next().expect("a line").to_owned()
}

/// Files that nobody edited are what this release makes, whoever owns them.
#[test]
fn unedited_files_follow() {
    let world = World::with_api();
    let expected = world.tree();
    let release = Release::of(&world);
    release.version("0.0.9");
    release.had(
        RECONCILE,
        "//! The former text.",
        &first_line(&world, RECONCILE),
    );
    release.owned(WIRING, "//! The former text.\n//!", "//!");
    release.library(
        "src/lib.rs",
        "// The former text.\n",
        "// What newer toolchains",
    );
    release.had(
        "config/manager/manager.yaml",
        "# Former.\napiVersion",
        "apiVersion",
    );
    let outcome = world.rop("update").ok();
    let tree = world.tree();
    assert_eq!(differing(&tree, &expected), [""; 0], "{outcome}");
    world.rop("update").did_nothing();
}

/// Only its own command updates a chart at another path: the others leave it, and its record.
#[test]
fn outputs_at_other_paths_stay() {
    let world = World::without_runtime();
    world
        .rop("generate chart --output charts/op --crds separate")
        .ok();
    world.rop("generate chart").ok();
    world.rop("generate monitoring").ok();
    // As `git mv` does.
    let path = |name: &str| world.path().join(name);
    fs::rename(path("dist/chart"), path("dist/shop")).expect("moved");
    world.rop("generate chart --output dist/shop").ok();
    // The record still lists the former place.
    world.rop("generate project").ok();
    world.rop("check --skip manifests").ok();
    fs::remove_file(path("config/grafana/kustomization.yaml")).expect("a file");
    world.rop("update --check").ok();
    world.rop("update").did_nothing();
    let tree = world.tree();
    assert!(path("config/grafana/process.json").exists());
    Release::of(&world).version("0.0.9");
    world.rop("update").ok();
    assert_eq!(differing(&world.tree(), &tree), [""; 0]);
    let charts = |path: &&String| path.starts_with("charts/") || path.starts_with("dist/");
    world.rop("create api --group app --kind Cache").ok();
    let now = world.tree();
    for path in tree.keys().filter(charts) {
        assert_eq!(now.get(path), tree.get(path), "{path}");
        assert!(now[".rop/record"].contains(&format!(" {path}\n")), "{path}");
    }
    world.rop("generate chart --output charts/op").ok();
}

/// kubebuilder's merges need git; cruft leaves `.rej` files.
#[test]
fn edits_of_other_lines_are_kept() {
    let world = World::without_runtime();
    let release = Release::of(&world);
    let line = first_line(&world, RECONCILE);
    release.had(RECONCILE, "//! The former text.", &line);
    let text = world.read(RECONCILE);
    world.write(RECONCILE, &format!("{text}\n// Ours.\n"));
    world.rop("update").ok();
    let text = world.read(RECONCILE);
    assert!(
        text.starts_with(&line) && text.ends_with("\n// Ours.\n"),
        "{text}"
    );
    world.rop("update").did_nothing();
}

/// Both added a rule at the end.
#[test]
fn rules_at_the_end_of_a_makefile_are_kept() {
    let world = World::without_runtime();
    let text = world.read("Makefile");
    let (former, _) = text.rsplit_once("\n\n").expect("a rule");
    let (former, ours) = (format!("{former}\n"), "\nmine:\n\techo mine\n");
    Release::of(&world).gave("Makefile", &former);
    world.write("Makefile", &(former + ours));
    world.rop("update").ok();
    assert_eq!(world.read("Makefile"), text + ours);
    world.rop("update").did_nothing();
}

/// The same in a checkout of Windows.
#[test]
fn line_ends_stay() {
    let world = World::without_runtime();
    let line = first_line(&world, RECONCILE);
    Release::of(&world).had(RECONCILE, "//! The former text.", &line);
    let text = format!("{}\n// Ours.\n", world.read(RECONCILE));
    world.write(RECONCILE, &text.replace('\n', "\r\n"));
    world.rop("update").ok();
    let expected = text.replace("//! The former text.", &line);
    assert_eq!(world.read(RECONCILE), expected.replace('\n', "\r\n"));
    world.rop("update").did_nothing();
}

/// Those of kubebuilder come back, and so do some of copier. What rop owns is generated again.
#[test]
fn deleted_files_of_the_users_stay_deleted() {
    let world = World::without_runtime();
    let expected = world.tree();
    let release = Release::of(&world);
    let path = ".github/dependabot.yml";
    release.had(path, "# Former.\nversion", "version");
    let former = world.read(path);
    release.owned("tests/api/main.rs", "//! Former.\n//!", "//!");
    for path in [
        path,
        "tests/api/main.rs",
        "deny.toml",
        "config/crd/kustomization.yaml",
    ] {
        fs::remove_file(world.path().join(path)).expect("a file");
    }
    world.rop("check --skip manifests").exits(3);
    world
        .rop("update")
        .ok()
        .says("`.github/dependabot.yml` does not exist, so it was not updated");
    for path in [path, "deny.toml", "config/crd/kustomization.yaml"] {
        assert!(!world.path().join(path).exists(), "{path}");
    }
    assert_eq!(
        world.read("tests/api/main.rs"),
        expected["tests/api/main.rs"]
    );
    for command in ["update", "generate project"] {
        world.rop(command).did_nothing();
    }
    for command in ["update --check", "check --skip manifests"] {
        world.rop(command).ok();
    }
    // Its base is the text that is in the history of the project.
    world.write(path, &former);
    world.rop("update").ok();
    assert_eq!(world.read(path), expected[path]);
}

/// A file behind such a link is not written, so the next release is merged with what it has.
#[test]
fn files_behind_links_out_of_the_project_keep_their_base() {
    let (world, outside) = (World::without_runtime(), World::new());
    let expected = world.read("deny.toml");
    Release::of(&world).had("deny.toml", "# Former.\n[", "[");
    outside.write("deny.toml", &world.read("deny.toml"));
    let path = world.path().join("deny.toml");
    fs::remove_file(&path).expect("a file");
    symlink(outside.path().join("deny.toml"), &path).expect("a link");
    world
        .rop("update")
        .ok()
        .says("`deny.toml` is not updated: it is behind the link `deny.toml`");
    let text = outside.read("deny.toml");
    fs::remove_file(&path).expect("a link");
    world.write("deny.toml", &text);
    world.rop("update").ok();
    assert_eq!(world.read("deny.toml"), expected);
}

/// Also if no record says that they were there.
#[test]
fn folders_that_were_moved_stay_where_they_are() {
    for (release, archive) in ARCHIVES {
        let world = unpack(archive);
        let [from, to] = ["src/controller/cart", "src/controller/basket"];
        fs::rename(world.path().join(from), world.path().join(to)).expect("a folder");
        for path in ["src/controller/mod.rs", "src/webhook/mod.rs"] {
            world.replace(path, "cart", "basket");
        }
        world
            .rop("update --force")
            .ok()
            .says("note: PROJECT lists files that do not exist:\n  `src/controller/cart`");
        assert!(!world.path().join(from).exists(), "{release}");
        assert_eq!(
            first_line(&world, &format!("{to}/mod.rs")),
            "//! The `Cart` controller: what it watches, and the functions that it calls."
        );
    }
}

/// The record of a project that this release made can be made again.
#[test]
fn a_lost_record_is_no_difference() {
    let world = World::without_runtime();
    world.write(
        "Makefile",
        &(world.read("Makefile") + "\nmine:\n\techo mine\n"),
    );
    world.replace(RECONCILE, "//!", "//! Ours.\n//!");
    fs::remove_file(world.path().join("deny.toml")).expect("a file");
    fs::remove_dir_all(world.path().join(".rop")).expect("a record");
    for command in ["update --check", "check --skip manifests"] {
        world.rop(command).ok();
    }
    for command in ["generate project", "update"] {
        world.rop(command).did_nothing();
    }
    // Of another release nobody knows whether a line is new, but lines that only the user has are.
    fs::remove_dir_all(world.path().join(".rop")).expect("a record");
    world.replace("PROJECT", "cliVersion: \"0.1.0\"", "cliVersion: \"0.0.9\"");
    let plan = world.rop("update --dry-run").ok();
    assert!(!plan.stdout.contains("Makefile"), "{plan}");
}

/// copier and cruft lose the change of a file that was renamed.
#[test]
fn moved_files_are_found() {
    let world = World::without_runtime();
    let release = Release::of(&world);
    let module = STATUS.replace(".rs", "/mod.rs");
    // Also with another extension.
    let manifest = "config/manager/deployment.yml";
    let lines = [STATUS, "config/manager/manager.yaml"].map(|path| first_line(&world, path));
    release.had(STATUS, "//! The former text.", &lines[0]);
    release.had("config/manager/manager.yaml", "# Former.", &lines[1]);
    for (from, to) in [
        (STATUS, &*module),
        ("config/manager/manager.yaml", manifest),
    ] {
        let text = world.read(from);
        fs::remove_file(world.path().join(from)).expect("a file");
        world.write(to, &format!("{text}{}", ours(to)));
    }
    let outcome = world.rop("update").ok();
    assert!(!outcome.stderr.contains("does not exist"), "{outcome}");
    for (path, line) in [&*module, manifest].into_iter().zip(lines) {
        assert_eq!(first_line(&world, path), line);
        assert!(world.read(path).ends_with(ours(path)), "{path}");
    }
    for path in [STATUS, "config/manager/manager.yaml"] {
        assert!(!world.path().join(path).exists(), "{path}");
    }
    world.rop("update").did_nothing();
}

/// A moved file is not searched for among any amount of text.
#[test]
fn a_search_for_moved_files_is_bounded() {
    let world = World::without_runtime();
    let release = Release::of(&world);
    let line = first_line(&world, STATUS);
    release.had(STATUS, "//! The former text.", &line);
    let path = |name: &str| world.path().join(name);
    fs::rename(path(STATUS), path("src/status.rs")).expect("moved");
    world.write("notes/0", &"A line.\n".repeat(1 << 17));
    for copy in 1..40 {
        fs::hard_link(path("notes/0"), path(&format!("notes/{copy}"))).expect("a link");
    }
    let outcome = world.rop("update").ok();
    outcome.says(&format!("missing files count as deleted: `{STATUS}`"));
    assert!(
        world
            .read("src/status.rs")
            .starts_with("//! The former text.")
    );
}

#[test]
fn dropped_files_are_deleted_unless_they_were_edited() {
    let dropped = "tests/api/support.rs";
    let owned = "config/rbac/dropped.yaml";
    let text = || "a: b\n".to_owned();
    for is_edited in [false, true] {
        let world = World::without_runtime();
        let expected = world.tree();
        let release = Release::of(&world);
        release.made(&File::owned(owned, text()));
        release.made(&File::new(
            dropped,
            Ownership::Seeded,
            "//! Ours.\n".to_owned(),
        ));
        let kept = if is_edited {
            vec![owned, dropped]
        } else {
            Vec::new()
        };
        for path in &kept {
            world.write(path, &(world.read(path) + ours(path)));
        }
        let outcome = world.rop("update").ok();
        assert_eq!(differing(&world.tree(), &expected), kept, "{outcome}");
        for path in kept {
            assert!(world.read(path).ends_with(ours(path)));
            let note =
                format!("`{path}` is no longer generated; it was kept because you edited it");
            assert!(outcome.stderr.contains(&note), "{outcome}");
        }
        world.rop("update").did_nothing();
    }
}

/// What others wrote is data: a record deletes nothing that is not rop's, also if it has the text of a user's file.
#[test]
fn a_record_drops_nothing_of_the_users() {
    let world = World::without_runtime();
    let release = Release::of(&world);
    let files = [
        ("src/mine.rs", Ownership::Seeded),
        ("tests/api/mine.rs", Ownership::Seeded),
        ("config/mine/kustomization.yaml", Ownership::Shared),
        ("notes.md", Ownership::Seeded),
    ];
    for (path, ownership) in files {
        release.made(&File::new(path, ownership, "Mine.\n".to_owned()));
    }
    world.write("src/headless.rs", "//! Mine.\n");
    let record = world.read(".rop/record");
    let lines = "owned src/headless.rs\nowned ../outside\nowned .git/config\n";
    world.write(".rop/record", &format!("{record}{lines}"));
    for command in [
        "generate project --force",
        "update --force",
        "delete api --group app --kind AppService --force",
    ] {
        world.rop(command).ok();
        for (path, _) in files {
            assert_eq!(world.read(path), "Mine.\n", "{command}: {path}");
        }
        assert_eq!(world.read("src/headless.rs"), "//! Mine.\n", "{command}");
    }
}

#[test]
fn new_files_are_created() {
    let world = World::without_runtime();
    let expected = world.tree();
    let release = Release::of(&world);
    for path in [STATUS, WIRING, "deny.toml"] {
        release.lacked(path);
    }
    world.rop("update").ok();
    assert_eq!(differing(&world.tree(), &expected), [""; 0]);
    world.rop("update").did_nothing();
}

/// A requirement is raised only if it is still what rop wrote, and cargo's file follows only if it is rop's.
#[test]
fn requirements_follow_unless_the_user_has_another() {
    let world = World::without_runtime();
    let manifest = world.read("Cargo.toml");
    let tokio = line_of(&manifest, "tokio = ");
    let serde = line_of(&manifest, "serde = ");
    let release = Release::of(&world);
    let older = |line: &str| line.replacen("\"1", "\"0.9", 1);
    assert_ne!(older(&tokio), tokio);
    release.had("Cargo.toml", &older(&tokio), &tokio);
    release.had("Cargo.toml", &older(&serde), &serde);
    let lock = world.read("Cargo.lock");
    release.had("Cargo.lock", "version = 3\n", "version = 4\n");
    world.replace(
        "Cargo.toml",
        &older(&serde),
        &serde.replacen("\"1", "\"0.8", 1),
    );
    world.replace("Cargo.toml", "[package]", "# Ours.\n[package]");
    world.rop("update").ok();
    let text = world.read("Cargo.toml");
    assert!(text.contains(&tokio), "{text}");
    assert!(text.contains("\"0.8") && !text.contains("\"0.9"), "{text}");
    assert!(text.contains("# Ours.\n[package]"), "{text}");
    assert_eq!(world.read("Cargo.lock"), lock);
    world.rop("update").did_nothing();
    release.had("Cargo.lock", "version = 3\n", "version = 4\n");
    world.replace("Cargo.lock", "version = 3\n", "version = 3\n# Cargo's.\n");
    world.rop("update").ok();
    assert!(world.read("Cargo.lock").contains("# Cargo's."));
}

/// A dependency that this release does not need stays as long as a source of the user's needs it.
#[test]
fn dependencies_of_the_users_code_stay() {
    let world = World::without_runtime();
    let expected = world.read("Cargo.toml");
    let former = "[dev-dependencies]\nhex-literal = \"1\"\nuuid = \"1\"\n";
    Release::of(&world).had("Cargo.toml", former, "[dev-dependencies]\n");
    world.write("tests/ours/main.rs", "use hex_literal::hex;\n");
    world
        .rop("update")
        .ok()
        .says("keeping the dependency `hex-literal` in `Cargo.toml`")
        .says("but `tests/ours/main.rs` does");
    let kept = world.read("Cargo.toml");
    assert!(kept.contains("\nhex-literal = \"1\"\n"), "{kept}");
    assert_eq!(kept.replace("hex-literal = \"1\"\n", ""), expected);
    world.rop("update").did_nothing();
}

#[track_caller]
fn line_of(text: &str, start: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(start));
    line.unwrap_or_else(|| panic!("no {start:?} in {text}"))
        .to_owned()
}

/// Markers of the merged sources make the role, and a CRD of types that nobody edited follows.
#[test]
fn what_is_generated_from_sources_follows_them() {
    let world = World::without_runtime();
    let expected = world.tree();
    let release = Release::of(&world);
    let marker = line_of(&world.read(RECONCILE), "// +kubebuilder:rbac");
    release.had(RECONCILE, "// Nothing.", &marker);
    let role = "config/rbac/role.yaml";
    let mut lines: Vec<_> = expected[role].lines().map(str::to_owned).collect();
    lines.truncate(8);
    let body = lines[1..].join("\n") + "\n";
    world.write(role, File::owned(role, body).text());
    let types = "api/src/app/v1alpha1/app_service.rs";
    let line = line_of(&world.read(types), "///");
    release.had(types, "/// The former text.", &line);
    let crd = "config/crd/bases/app.example.com_appservices.yaml";
    let text = line.trim_start_matches("/// ");
    release.owned(crd, "The former text.", text);
    let text = world.read(RECONCILE);
    world.write(RECONCILE, &format!("{text}\n// Ours.\n"));
    let outcome = world.rop("update").ok();
    assert_eq!(
        differing(&world.tree(), &expected),
        [RECONCILE],
        "{outcome}"
    );
}

/// Types that a user edited have another CRD than their template.
#[test]
fn a_crd_of_edited_types_stays() {
    let world = World::without_runtime();
    let types = "api/src/app/v1alpha1/app_service.rs";
    let crd = "config/crd/bases/app.example.com_appservices.yaml";
    Release::of(&world).owned(crd, "description: Ours.", "description: Number of pods.");
    world.replace(types, "/// Number of pods.", "/// Ours.");
    let text = world.read(crd);
    world.rop("update").did_nothing();
    assert_eq!(world.read(crd), text);
}

/// A version that was copied, and a conversion, are made of the user's types, and not of templates.
#[test]
fn files_made_of_the_users_types_stay() {
    let world = World::without_runtime();
    let types = "api/src/app/v1alpha1/app_service.rs";
    world.replace(
        types,
        "pub struct AppServiceSpec {",
        "pub struct AppServiceSpec {\n    /// Ours.\n    pub ours: Option<String>,",
    );
    world
        .rop("create api --group app --kind AppService --version v1")
        .ok();
    world.rop("create webhook --group app --kind AppService --conversion --version v1alpha1 --spoke v1").ok();
    let tree = world.tree();
    assert!(tree["api/src/app/v1/app_service.rs"].contains("pub ours"));
    world.rop("update").did_nothing();
    assert_eq!(differing(&world.tree(), &tree), [""; 0]);
}

/// What is made of the user's files is made of them as they are merged.
#[test]
fn outputs_follow_what_is_merged() {
    let world = World::without_runtime();
    let sample = "config/samples/app_v1alpha1_appservice.yaml";
    let copy = "deploy/crds/app_v1alpha1_appservice_cr.yaml";
    let line = first_line(&world, sample);
    Release::of(&world).had(sample, "# The former text.", &line);
    let text = world.read(sample);
    world.write(sample, &format!("{text}# Ours.\n"));
    world.rop("generate deploy").ok();
    let former = world.read(copy);
    assert!(former.starts_with("# The former text.\n") && former.ends_with("# Ours.\n"));
    world.rop("update").ok();
    let tree = world.tree();
    assert!(tree[sample].starts_with(&line) && tree[sample].ends_with("# Ours.\n"));
    assert_eq!(tree[copy], former.replace("# The former text.", &line));
    for command in ["update", "generate deploy", "generate project"] {
        world.rop(command).did_nothing();
    }

    // Lines that both changed: the command fails, and with markers in the sample nothing else has them.
    Release::of(&world).had(sample, "# The former text.", &line);
    world.replace(sample, "# The former text.", "# Mine.");
    world.rop("generate deploy").ok();
    world
        .rop("update --conflicts=markers")
        .exits(1)
        .says(sample);
    assert!(world.read(sample).contains("<<<<<<< "));
    assert!(!world.read(copy).contains("<<<<<<< "));
}
