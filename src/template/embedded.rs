//! What stands in rop itself: the templates, and the source of the crate `rop-runtime`.

use std::sync::LazyLock;

use include_dir::{Dir, File, include_dir};

use crate::plan::Tree;
use crate::project::Runtime;

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// What `build.rs` gathered.
static RUNTIME: Dir<'_> = include_dir!("$OUT_DIR/runtime");

/// What keeps `cargo fmt` from the library: its files are rop's, and a project may format its own in another way.
const FORMAT: (&str, &str) = ("rustfmt.toml", "disable_all_formatting = true\n");

/// Path and text of every template, in no order.
pub(super) fn templates() -> impl Iterator<Item = (&'static str, &'static str)> {
    files(&TEMPLATES)
}

/// The crate `rop-runtime` in a project. A command asks for it more than once, and its sums take time.
pub(super) fn runtime() -> &'static Tree {
    static TREE: LazyLock<Tree> = LazyLock::new(|| {
        let mut tree = Tree::default();
        tree.vendor(Runtime::FOLDER, files(&RUNTIME).chain([FORMAT]));
        tree
    });
    &TREE
}

fn files(root: &'static Dir<'_>) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut folders = vec![root];
    let mut files: Vec<&'static File<'static>> = Vec::new();
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        files.extend(folder.files());
    }
    files.into_iter().map(|file| {
        let path = file.path().to_str().expect("paths are ASCII");
        (path, file.contents_utf8().expect("files are text"))
    })
}
