//! The finished operators in `examples/`: what is rop's in them is what this rop writes.
//!
//! `INSTA_UPDATE=always cargo test --test it -- examples book` brings them up to changed templates.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use rop::plan::{File, Ownership, Tree};
use rop::project::Project;

use crate::support::world::tree;

/// What a file of rop's says in its first line.
const MARK: &str = " Owned by rop: ";

/// What is made of the sources, and not of PROJECT.
const MANIFESTS: [&str; 6] = [
    "config/cert-manager/",
    "config/crd/bases/",
    "config/rbac/role.yaml",
    "config/webhook/",
    "deploy/crds/",
    "deploy/role.yaml",
];

/// What a bundle is in a project: the files that `rop bundle` writes, and those that a person edits for it.
const PACKAGING: [&str; 3] = ["bundle.Dockerfile", "bundle/", "config/manifests/"];

/// Whether a file belongs to the bundle of an operator.
pub(crate) fn is_packaging(path: &str) -> bool {
    PACKAGING.iter().any(|start| path.starts_with(start))
}

/// The folder of each example.
pub(crate) fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = fs::read_dir(folder).expect("examples");
    let mut examples: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    examples.sort();
    assert!(!examples.is_empty(), "no example");
    examples
}

pub(crate) fn is_updating() -> bool {
    std::env::var_os("INSTA_UPDATE").is_some_and(|mode| mode == "always")
}

fn is_manifest(path: &str) -> bool {
    MANIFESTS.iter().any(|start| path.starts_with(start))
}

/// What this rop makes of the PROJECT of an example.
fn render(example: &Path) -> Tree {
    let text = fs::read_to_string(example.join("PROJECT")).expect("PROJECT");
    let project = Project::parse(&text).expect("a PROJECT of this rop");
    rop::template::render(&project).expect("a tree")
}

/// The files of rop's that are not as this rop renders them, with what they should say.
fn outdated(example: &Path) -> BTreeMap<String, Option<String>> {
    let (rendered, there) = (render(example), tree(example));
    let mut outdated = BTreeMap::new();
    let owned = |file: &&File| file.ownership() == Ownership::Owned && !is_manifest(file.path());
    for file in rendered.files().filter(owned) {
        if there.get(file.path()).map(String::as_str) != Some(file.text()) {
            outdated.insert(file.path().to_owned(), Some(file.text().to_owned()));
        }
    }
    for (path, text) in there {
        let sealed = text.lines().next().is_some_and(|line| line.contains(MARK));
        if sealed && !is_manifest(&path) && rendered.get(&path).is_none() {
            outdated.insert(path, None);
        }
    }
    outdated
}

/// Writes what is outdated, where that is asked for.
fn update(example: &Path) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    if !is_updating() {
        return;
    }
    let _turn = ONE_AT_A_TIME.lock();
    for (path, text) in outdated(example) {
        let path = example.join(path);
        match text {
            Some(text) => {
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(path, text).expect("a file");
            }
            None => fs::remove_file(path).expect("a file to remove"),
        }
    }
}

#[test]
fn what_is_owned_is_as_this_rop_renders_it() {
    for example in examples() {
        update(&example);
        let outdated: Vec<_> = outdated(&example).into_keys().collect();
        assert!(outdated.is_empty(), "{}: {outdated:#?}", example.display());
    }
}

/// The checks of each are run where its chapter ends (`book`), on sources that are the same but for
/// the runtime: what that asks for is locked here.
#[test]
fn each_is_locked() {
    for example in examples() {
        let tree = Command::new(env!("CARGO"))
            .args(["tree", "--quiet", "--locked", "--depth=0"])
            .current_dir(&example)
            .output()
            .expect("cargo runs");
        let said = String::from_utf8_lossy(&tree.stderr);
        assert!(tree.status.success(), "{}: {said}", example.display());
    }
}
