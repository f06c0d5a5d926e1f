//! What `cargo package` makes of the packages of this repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;
use tempfile::TempDir;

use crate::support::World;
use crate::support::cargo::{self, cargo};
use crate::support::slot::Slot;

const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

/// A package as cargo packs it, unpacked into a folder.
fn unpacked(package: &str, folder: &Path) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    let mut command = cargo::command();
    command
        .args(["package", "--no-verify", "--allow-dirty", "--quiet"])
        .args(["--offline", "--package", package])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(REPOSITORY);
    assert!(command.status().expect("cargo starts").success());
    let name = format!("{package}-{}", env!("CARGO_PKG_VERSION"));
    let file = target.join("package").join(format!("{name}.crate"));
    let file = fs::File::open(file).expect("a package");
    tar::Archive::new(GzDecoder::new(file))
        .unpack(folder)
        .expect("an archive");
    folder.join(name)
}

/// Each package has the license in it, and the library does in projects too.
#[test]
fn each_has_its_license() {
    let license = fs::read_to_string(Path::new(REPOSITORY).join("LICENSE")).expect("a text");
    let folder = TempDir::new().expect("a folder");
    for (package, files) in [
        ("rop", &["LICENSE", "packaged/runtime/LICENSE"][..]),
        ("rop-runtime", &["LICENSE"]),
    ] {
        let package = unpacked(package, folder.path());
        for file in files {
            let text = fs::read_to_string(package.join(file)).expect(file);
            assert!(text == license, "{file}");
        }
    }
    assert!(World::with_project().read("runtime/LICENSE") == license);
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("a text");
    assert!(text.contains(from), "no {from:?} in {}", path.display());
    fs::write(path, text.replace(from, to)).expect("a file");
}

/// A rop from crates.io has the runtime in it, though cargo leaves out folders with a Cargo.toml.
///
/// It is built under another name, so that what it depends on is taken from the rop under test, and
/// that one stays what it is.
#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn a_rop_from_its_own_package_makes_the_same_project() {
    let folder = TempDir::new().expect("a folder");
    let package = unpacked("rop", folder.path());
    assert!(!package.join("runtime").exists(), "cargo packs it now");
    for file in ["Cargo.toml", "Cargo.lock"] {
        replace(
            &package.join(file),
            "\nname = \"rop\"\n",
            "\nname = \"rop-packaged\"\n",
        );
    }
    // The library keeps its name.
    let lib = "[lib]\nname = \"rop-packaged\"";
    replace(&package.join("Cargo.toml"), lib, "[lib]\nname = \"rop\"");
    let target = Slot::first();
    let target = target.folder();
    let mut command = cargo::command();
    command
        .args(["build", "--offline", "--quiet"])
        // What only tests depend on counts where one of them is built.
        .args(["--bin", "rop-packaged", "--bench", "scaffold"])
        // The lints of the repository are not in the package.
        .env_remove(cargo::WORKSPACE_WRAPPER)
        .arg("--target-dir")
        .arg(target)
        .current_dir(&package);
    assert!(command.status().expect("cargo starts").success());

    let init = ["init", "--domain", "example.com", "--api", "app/AppService"];
    let (ours, packaged) = (World::new(), World::new());
    ours.rop_in(".", &init).ok();
    let mut command = Command::new(target.join("debug/rop-packaged"));
    command.args(init).current_dir(packaged.path());
    packaged.run(&mut command).ok();
    let (ours, packaged) = (ours.tree(), packaged.tree());
    assert!(ours.contains_key("runtime/src/lib.rs"));
    let files = |tree: &std::collections::BTreeMap<String, String>| {
        tree.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(files(&ours), files(&packaged));
    for (path, text) in ours {
        assert!(packaged[&path] == text, "{path}");
    }
}

/// The crate as it is packed has all that an operator needs of it, and a project finds it by its
/// version: here in the folder that stands in for crates.io.
#[test]
#[ignore = "takes minutes: .ci/run asks for it"]
fn a_project_takes_the_packaged_crate_by_its_version() {
    let folder = TempDir::new().expect("a folder");
    let package = unpacked("rop-runtime", folder.path());
    let world = World::new();
    world
        .rop("init --project-name packaged-operator --domain example.com --runtime 0.1 --api app/AppService")
        .ok();
    let registry = format!(
        "patch.crates-io.rop-runtime.path={:?}",
        package.display().to_string()
    );
    cargo(&world, &format!("build --config {registry}"))
        .ok()
        .has_no_warning();
    let lock = world.read("Cargo.lock");
    assert!(lock.contains("name = \"rop-runtime\"\n"), "{lock}");
}
