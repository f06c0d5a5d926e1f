use crate::plan::{File, Ownership, Tree};

/// The files of a catalog before and after a change. No text before: the file is new.
pub(super) fn trees(files: Vec<(String, Option<String>, String)>) -> (Tree, Tree) {
    let (mut before, mut after) = (Tree::default(), Tree::default());
    for (path, old, new) in files {
        if let Some(old) = old {
            before.insert(File::new(path.clone(), Ownership::Seeded, old));
        }
        after.insert(File::new(path, Ownership::Seeded, new));
    }
    (before, after)
}
