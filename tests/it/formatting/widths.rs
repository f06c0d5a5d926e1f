//! What is generated is formatted, whatever names do to the width of its lines.

use std::collections::HashSet;

use rop::project::Project;

use super::projects::{NAMES, groups, kinds, names, numbers, others, versions};
use crate::support::World;

/// Checks each source that templates make of projects. That of the library is checked as it is.
fn are_formatted(projects: impl IntoIterator<Item = Project>) {
    let world = World::new();
    let mut known = HashSet::new();
    for project in projects {
        let name = &project.project_name;
        let tree = rop::template::render(&project).expect("a tree");
        for file in tree.files() {
            let path = format!("{name}/{}", file.path());
            let is_source = path.ends_with(".rs") && !file.path().starts_with("runtime/");
            if is_source && known.insert(file.text().to_owned()) {
                world.write(&path, file.text());
            }
        }
    }
    let mut rustfmt = world.program("rustfmt", ".");
    // Each is checked by itself: modules of generated types are not there.
    rustfmt.args([
        "--check",
        "-l",
        "--edition",
        "2024",
        "--config",
        "skip_children=true",
    ]);
    rustfmt.args(world.tree().keys());
    let outcome = world.run(&mut rustfmt);
    assert_eq!((outcome.code, &*outcome.stdout), (0, ""), "{outcome}");
}

#[test]
fn kinds_of_all_lengths() {
    are_formatted([kinds(NAMES[0], "i"), kinds(NAMES[1], "infrastructure")]);
}

#[test]
fn kinds_in_groups() {
    are_formatted(NAMES.map(groups));
}

#[test]
fn kinds_of_others() {
    are_formatted(NAMES.map(others));
}

#[test]
fn kinds_in_versions() {
    are_formatted([versions(), numbers()]);
}

#[test]
fn projects_of_all_lengths() {
    are_formatted(names());
}
