//! Files that the user moved.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crate::disk::View;
use crate::git;
use crate::listed::listed;
use crate::plan::{File, LineEnds, Ownership, Tree, is_headed, is_rust, module};
use crate::record;

use super::last::Last;
use super::leftover;

/// Files that the user moved and a change concerns, each as it was given, under the user's path, and as it is desired.
/// The second has another path if its folder moves.
#[derive(Default)]
pub(super) struct Moved {
    pairs: Vec<[File; 2]>,
    /// Where the user has files that are no longer generated.
    gone: BTreeSet<String>,
}

/// What moves with the layout of the project.
#[derive(Default)]
pub(super) struct Layout {
    /// Files that get other paths.
    pub(super) pairs: Vec<(File, File)>,
    /// Folders that move with all that is in them.
    pub(super) folders: Vec<[String; 2]>,
}

impl Moved {
    /// Looks for files that are missing and that this change writes. The paths that they had count as up to date, and
    /// those of files that are nowhere else as deleted. `gone` are files that are no longer generated: they are deleted
    /// where they are. With `restores`, files are created again that the user deleted.
    pub(super) fn find(
        view: &View,
        last: &Last,
        [before, after]: [&mut Tree; 2],
        layout: &Layout,
        gone: &BTreeSet<String>,
        restores: bool,
    ) -> Self {
        let mut missing = missing(view, before, after, &layout.pairs);
        let is_missing = |file: &&File| is_missing(view, file);
        let gone: Vec<File> = before
            .files()
            .filter(is_missing)
            .filter(|file| gone.contains(file.path()))
            .cloned()
            .collect();
        let restored = if restores {
            restored(view, before, after)
        } else {
            Vec::new()
        };
        let mut moved = Self::default();
        if missing.is_empty() && gone.is_empty() && restored.is_empty() {
            return moved;
        }
        // What does not change is only looked for because it may have conflict markers.
        missing.sort_by_key(|[given, now]| given.text() == now.text());
        let mut others = BTreeMap::new();
        match others_paths(view, last, [before, after]) {
            Some(paths) => others.extend(paths.into_iter().filter_map(|path| {
                // What is not UTF-8 is no text of rop's.
                let text = view.read_own(&path).ok().flatten();
                let text = text.filter(|text| !is_headed(&path, text))?;
                Some((path, Text::new(LineEnds::read(&text))))
            })),
            None => after.note(not_searched(missing.iter().map(|[given, _]| given))),
        }
        let seeded =
            |path: &str, file: &File| File::new(path, Ownership::Seeded, file.text().to_owned());
        for given in gone {
            // Something else may be similar to it, and is not to go.
            let is_moved = |(path, other): &(&String, &Text)| {
                is_same_module(path, given.path()) || other.text == given.text()
            };
            if let Some(path) = others.iter().find(is_moved).map(|(path, _)| path.clone()) {
                others.remove(&path);
                before.replace(seeded(&path, &given));
                moved.gone.insert(path);
            }
        }
        for [given, now] in restored {
            if let Some(path) = moved_to(&given, &others) {
                others.remove(&path);
                before.replace(now);
            }
        }
        for [given, now] in missing {
            let mut found = candidates(&given, &others).into_iter();
            let Some(path) = found.next() else {
                // Nothing else has its text: it was deleted.
                before.replace(seeded(now.path(), &given));
                continue;
            };
            others.remove(&path);
            if given.text() != now.text() {
                let copies: Vec<_> = found.map(|copy| format!("`{copy}`")).collect();
                if let Some(note) = note_on_copies(&given, &path, &copies) {
                    after.note(note);
                }
            }
            let in_folder = |[from, to]: &[String; 2]| {
                let inside = path.strip_prefix(from)?.strip_prefix('/')?;
                Some(format!("{to}/{inside}"))
            };
            let to = of_module(&path, &given, &now)
                .or_else(|| layout.folders.iter().find_map(in_folder))
                .filter(|to| !view.is_file(to) && after.get(to).is_none());
            moved.pairs.push([
                seeded(&path, &given),
                seeded(to.as_deref().unwrap_or(&path), &now),
            ]);
            before.replace(now);
        }
        moved
    }

    /// Each file as it was given, and as it is desired.
    pub(super) fn pairs(&self) -> &[[File; 2]] {
        &self.pairs
    }

    /// The paths at which the user has files that are no longer generated.
    pub(super) fn gone(&self) -> &BTreeSet<String> {
        &self.gone
    }

    /// The paths at which the user has the files.
    pub(super) fn paths(&self) -> BTreeSet<String> {
        self.pairs
            .iter()
            .map(|[given, _]| given.path().to_owned())
            .collect()
    }

    /// Adds the files to the trees.
    pub(super) fn add_to(self, [before, after]: [&mut Tree; 2]) {
        for [given, now] in self.pairs {
            if given.path() == now.path() {
                before.insert(given);
            } else {
                after.moves(now.path(), given);
            }
            after.insert(now);
        }
    }
}

/// Whether a file of the user's is not where it was given.
fn is_missing(view: &View, file: &File) -> bool {
    file.ownership() == Ownership::Seeded && !view.is_file(file.path())
}

/// Files that are to be created again, as they were given and as they are desired.
fn restored(view: &View, before: &Tree, after: &Tree) -> Vec<[File; 2]> {
    let is_restored = |file: &&File| is_missing(view, file) && before.get(file.path()).is_none();
    let files = after.files().filter(is_restored);
    let pair = |now: &File| {
        let text = record::given(view, now.path()).ok().flatten()?;
        Some([File::new(now.path(), Ownership::Seeded, text), now.clone()])
    };
    files.filter_map(pair).collect()
}

/// The files of the user's that are missing, as they were given and as they are desired.
fn missing(view: &View, before: &Tree, after: &Tree, pairs: &[(File, File)]) -> Vec<[File; 2]> {
    let is_missing = |file: &&File| is_missing(view, file);
    let here = before.files().filter(is_missing).filter_map(|given| {
        let now = after.get(given.path())?;
        (now != given || after.is_update()).then(|| [given.clone(), now.clone()])
    });
    let elsewhere = pairs.iter().filter_map(|(from, to)| {
        let given = before.get(from.path()).filter(is_missing)?;
        let now = after.get(to.path()).filter(is_missing)?;
        (from.path() != to.path()).then(|| [given.clone(), now.clone()])
    });
    here.chain(elsewhere).collect()
}

/// How many files a note names.
const NAMED: usize = 5;

/// The least share of lines that a moved file has in common with the one that was given, as git's default.
const SIMILAR: f64 = 0.5;

/// A note on files that a file may have been moved to, besides the one that is `taken` for it.
fn note_on_copies(given: &File, taken: &str, copies: &[String]) -> Option<String> {
    (!copies.is_empty()).then(|| {
        format!(
            "`{}` was moved, and several files are similar to it: `{taken}` is updated, as the most similar one, but \
            not {}. To update another one, restore the files and move `{taken}` out of the project first",
            given.path(),
            listed(copies, NAMED)
        )
    })
}

/// Where a file was moved to: the first of its [`candidates`].
fn moved_to(given: &File, others: &BTreeMap<String, Text>) -> Option<String> {
    candidates(given, others).into_iter().next()
}

/// Where a file may have been moved to: to the other path of its Rust module, or else to the most similar file. Of two,
/// to the one with its extension.
fn candidates(given: &File, others: &BTreeMap<String, Text>) -> Vec<String> {
    let extension = |path: &str| path.rsplit_once('.').map(|(_, name)| name.to_owned());
    let lines = Lines::of(given.text());
    let scored = others.iter().map(|(path, other)| {
        let score = if is_same_module(path, given.path()) {
            1.0
        } else {
            let scores = other.sides.iter().map(|side| lines.similarity(side));
            scores.fold(0.0, f64::max)
        };
        let is_alike = extension(path) == extension(given.path());
        (path, score, is_alike)
    });
    let mut found: Vec<_> = scored.filter(|(_, score, _)| *score > SIMILAR).collect();
    found.sort_by(|(_, left, left_alike), (_, right, right_alike)| {
        right.total_cmp(left).then(right_alike.cmp(left_alike))
    });
    found.into_iter().map(|(path, ..)| path.clone()).collect()
}

/// Where a Rust source belongs that the user has at the other path of its module, if the module moves.
fn of_module(path: &str, given: &File, now: &File) -> Option<String> {
    let moves = is_same_module(path, given.path()) && given.path() != now.path();
    let end = &path[module(path).len()..];
    moves.then(|| format!("{}{end}", module(now.path())))
}

/// Whether two Rust sources are the same module.
fn is_same_module(path: &str, other: &str) -> bool {
    is_rust(path) && module(path) == module(other)
}

/// How many files are read to find those that were moved, and how many bytes of them.
const MOST_FILES: usize = 10_000;
const MOST_BYTES: u64 = 32 << 20;

/// The paths of the files that are the user's own. None if those are too many to read.
fn others_paths(view: &View, last: &Last, trees: [&Tree; 2]) -> Option<Vec<String>> {
    let is_known = |path: &str| trees.iter().any(|tree| tree.get(path).is_some());
    let (mut paths, mut bytes) = (Vec::new(), 0);
    for (path, length) in leftover::measured_texts(view) {
        if last.is_given(&path) || is_known(&path) {
            continue;
        }
        bytes += length;
        paths.push(path);
        if paths.len() > MOST_FILES || bytes > MOST_BYTES {
            return None;
        }
    }
    Some(paths)
}

/// A note on missing files that are looked for nowhere.
fn not_searched<'a>(missing: impl Iterator<Item = &'a File>) -> String {
    let paths: Vec<_> = missing.map(|file| format!("`{}`", file.path())).collect();
    format!(
        "rop did not search for moved files, because the project has more than {MOST_FILES} other files or {} MiB of \
        them; missing files count as deleted: {}",
        MOST_BYTES >> 20,
        listed(&paths, NAMED)
    )
}

/// A text that may be a file which was moved.
struct Text {
    text: String,
    /// The lines of each side of its merge conflicts, or its lines.
    sides: Vec<Lines>,
}

impl Text {
    fn new(text: String) -> Self {
        let sides = match git::sides(&text) {
            Some(sides) => sides.iter().map(|side| Lines::of(side)).collect(),
            None => vec![Lines::of(&text)],
        };
        Self { text, sides }
    }
}

/// How often a text has each line, without those that say nothing. Hashes stand for lines.
struct Lines {
    counts: HashMap<u64, usize>,
    all: usize,
}

impl Lines {
    fn of(text: &str) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let mut counts = HashMap::new();
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| line.contains(char::is_alphanumeric));
        let mut all = 0;
        for line in lines {
            *counts.entry(hasher.hash_one(line)).or_default() += 1;
            all += 1;
        }
        Self { counts, all }
    }

    /// The share of lines that two texts have in common.
    fn similarity(&self, other: &Self) -> f64 {
        let common = self
            .counts
            .iter()
            .map(|(line, count)| other.counts.get(line).map_or(0, |other| *count.min(other)));
        let all = self.all + other.all;
        #[expect(clippy::cast_precision_loss, reason = "numbers of lines are small")]
        let share = |common: usize| 2.0 * common as f64 / all.max(1) as f64;
        share(common.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_file_is_found() {
        let given = File::new(
            "src/controller/app/status.rs",
            Ownership::Seeded,
            "use a::b;\n\nfn a() {\n    one();\n    two();\n}\n".to_owned(),
        );
        let similar = given.text().replace("two", "three");
        let other = "fn a() {\n    other();\n    more();\n    still_more();\n}\n";
        for (files, expected) in [
            (
                vec![("src/status.rs", &*similar), ("src/b.rs", other)],
                "src/status.rs",
            ),
            (
                vec![("src/status.rs", &similar), ("src/x.rs", given.text())],
                "src/x.rs",
            ),
            (
                vec![("src/controller/app/status/mod.rs", other)],
                "src/controller/app/status/mod.rs",
            ),
            (vec![("src/b.rs", other)], ""),
            (vec![("src/status.txt", given.text())], "src/status.txt"),
            (
                vec![
                    ("src/a.txt", given.text()),
                    ("src/b.rs", given.text()),
                    ("src/c.txt", given.text()),
                ],
                "src/b.rs",
            ),
        ] {
            let files = files.into_iter();
            let others = files.map(|(path, text)| (path.to_owned(), Text::new(text.to_owned())));
            let found = moved_to(&given, &others.collect());
            assert_eq!(found.unwrap_or_default(), expected);
        }
    }
}
