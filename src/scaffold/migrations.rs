//! What a release moved that the user's code names: merging brings only what templates gave.
//!
//! Each migration has a project before and after it as its test, in `tests/it/update/migrations.rs`.

use crate::disk::View;
use crate::error::Result;
use crate::plan::{Renames, Tree, is_rust, with_words};

use super::last::Last;
use super::leftover;

/// A file that a release dropped, and what code names in place of its items.
struct Migration {
    /// The dropped file. The migration is due while the project has it.
    dropped: &'static str,
    /// Where the code is that can name its items.
    folder: &'static str,
    /// The path of its module in that code.
    module: &'static str,
    /// The paths of items, and the ones in their place.
    items: &'static [(&'static str, &'static str)],
    /// The way out for a path that is not in `items`.
    advice: &'static str,
}

/// All migrations, the oldest first.
const MIGRATIONS: [Migration; 2] = [
    // 22 November 2026: the library became a crate. Most items are other ones, so only the user knows what to name.
    Migration {
        dropped: "src/runtime/mod.rs",
        folder: "src/",
        module: "crate::runtime",
        items: &[],
        advice: "the library is the crate `rop_runtime` now",
    },
    // 27 November 2026: the checks of types moved to the library.
    Migration {
        dropped: "tests/api/support.rs",
        folder: "tests/api/",
        module: "crate::support",
        items: &[("crate::support::check", "rop_runtime::testing::check")],
        advice: "`check` is in `rop_runtime::testing` now",
    },
];

/// The migrations that a project needs.
pub(super) struct Due(Vec<&'static Migration>);

impl Due {
    /// Those of a project from which this release drops files. `after` is what it makes.
    pub(super) fn of(view: &View, last: &Last, after: &Tree) -> Self {
        let former = last.before_library(view).unwrap_or_default();
        let is_due = |migration: &&Migration| {
            let path = migration.dropped;
            view.is_file(path) && after.get(path).is_none() && is_rops(last, &former, path)
        };
        Self(MIGRATIONS.iter().filter(is_due).collect())
    }

    /// Adds the paths that change in code.
    pub(super) fn add_to(&self, renames: &mut Renames) {
        for (old, new) in self.0.iter().flat_map(|migration| migration.items) {
            renames.paths.push(((*old).to_owned(), (*new).to_owned()));
        }
    }

    /// Notes on the places in the user's own files that the user has to change. Those of `after` are merged.
    ///
    /// # Errors
    /// A source cannot be read.
    pub(super) fn notes(&self, view: &View, last: &Last, after: &Tree) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        let former = last.before_library(view)?;
        for migration in &self.0 {
            let words: Vec<_> = migration
                .items
                .iter()
                .map(|(old, new)| ((*old).to_owned(), (*new).to_owned()))
                .collect();
            for path in leftover::texts(view) {
                let is_code = is_rust(&path) && path.starts_with(migration.folder);
                if !is_code || after.get(&path).is_some() || is_rops(last, &former, &path) {
                    continue;
                }
                let text = with_words(&view.read_own(&path)?.unwrap_or_default(), &words);
                let lines = text.lines().zip(1..);
                let left = lines.filter(|(line, _)| line.contains(migration.module));
                for (_, line) in left {
                    notes.push(format!(
                        "{path}:{line} still names `{}`: {}",
                        migration.module, migration.advice
                    ));
                }
            }
        }
        Ok(notes)
    }
}

/// Whether rop gave a file. `former` are those that it owned before it had a library.
fn is_rops(last: &Last, former: &Tree, path: &str) -> bool {
    last.is_given(path) || former.get(path).is_some()
}
