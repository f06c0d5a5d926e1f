//! What stands in rop itself: the templates, and the source of the crate `rop-runtime`. `build.rs` packed them.

use std::io::{Cursor, Read};
use std::sync::LazyLock;

use flate2::read::DeflateDecoder;

use crate::plan::{Packed, Text, Tree};
use crate::project::Runtime;

/// A packed file of `build.rs`.
macro_rules! packed {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".tar.deflate"))
    };
}

/// A line for each file of the library: its sum and its path.
const INDEX: &str = include_str!(concat!(env!("OUT_DIR"), "/runtime.index"));

/// Path and text of every template, in no order.
pub(super) fn templates() -> impl Iterator<Item = (&'static str, &'static str)> {
    static TEMPLATES: LazyLock<Vec<(String, &str)>> =
        LazyLock::new(|| unpack(packed!("templates")));
    TEMPLATES.iter().map(|(path, text)| (&**path, *text))
}

/// The same of the last release before the record.
pub(super) fn former() -> Vec<(String, &'static str)> {
    unpack(packed!("2026-11-26"))
}

/// The crate `rop-runtime` in a project. A command asks for it more than once.
pub(super) fn runtime() -> &'static Tree {
    static TREE: LazyLock<Tree> = LazyLock::new(|| {
        let mut tree = Tree::default();
        tree.vendor(Runtime::FOLDER, INDEX.lines().enumerate().map(entry));
        tree
    });
    &TREE
}

fn entry((index, line): (usize, &'static str)) -> (&'static str, Text) {
    let (sum, path) = line.split_once(' ').expect("build.rs made it");
    let packed = Packed {
        sum,
        index,
        unpack: runtime_text,
    };
    (path, Text::Packed(packed))
}

static RUNTIME: LazyLock<Vec<(String, &str)>> = LazyLock::new(|| unpack(packed!("runtime")));

fn runtime_text(index: usize) -> &'static str {
    RUNTIME[index].1
}

/// Unpacks the library.
pub(super) fn unpack_runtime() {
    LazyLock::force(&RUNTIME);
}

/// Path and text of each file of an archive. The texts live as long as rop.
fn unpack(packed: &[u8]) -> Vec<(String, &'static str)> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(packed)
        .read_to_end(&mut bytes)
        .expect("build.rs packed it");
    let text: &'static str = String::from_utf8(bytes).expect("files are text").leak();
    let mut archive = tar::Archive::new(Cursor::new(text));
    let entries = archive.entries_with_seek().expect("build.rs made it");
    let file = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let entry = entry.expect("build.rs made it");
        let path = entry.path().expect("paths are UTF-8").display().to_string();
        let at = |offset: u64| usize::try_from(offset).expect("it is in memory");
        let start = entry.raw_file_position();
        (path, &text[at(start)..at(start + entry.size())])
    };
    entries.map(file).collect()
}

#[cfg(test)]
mod tests {
    /// Who installs rop downloads it: the largest part of the binary that is data does not grow unseen.
    #[test]
    fn what_stands_in_rop_is_small() {
        let packed = packed!("templates").len() + packed!("runtime").len();
        assert!(packed < 600_000, "{packed} bytes");
        let former = packed!("2026-11-26").len();
        assert!(former < 65_000, "{former} bytes");
    }
}
