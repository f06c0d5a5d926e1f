//! Projects that older releases made, as texts.

use super::Release;
use crate::support::World;

/// Each release that is kept, with a project of it: paths behind `===`, and texts. Of the vendored library it has the sums
/// and the files that this release does not have.
pub(super) const ARCHIVES: [(&str, &str); 2] = [
    ("2026-11-26", include_str!("archives/2026-11-26.txt")),
    ("2026-11-27", include_str!("archives/2026-11-27.txt")),
];

/// A project from before the record, and from before the library was vendored as a crate. Of `src/runtime`, which has
/// the library, it has one file.
pub(super) const BEFORE_LIBRARY: &str = include_str!("archives/2026-11-22.txt");

/// The project of an archive.
pub(super) fn unpack(archive: &str) -> World {
    let world = World::new();
    let mut file: Option<(&str, String)> = None;
    for line in archive.split_inclusive('\n').chain(["=== "]) {
        if let Some(path) = line.strip_prefix("=== ") {
            if let Some((path, text)) = file.replace((path.trim_end(), String::new())) {
                world.write(path, &text);
            }
        } else if let Some((_, text)) = &mut file {
            text.push_str(line);
        }
    }
    // Nobody edited it, so each base is the file.
    if world.path().join(".rop/record").is_file() {
        for line in world.read(".rop/record").lines() {
            if let Some(("seeded" | "shared", path)) = line.split_once(' ') {
                Release::of(&world).gave(path, &world.read(path));
            }
        }
    }
    world
}
