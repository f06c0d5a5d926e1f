//! Files that the user moved.

use std::collections::BTreeMap;

use crate::disk::View;
use crate::plan::{File, LineEnds, Ownership, Tree, is_headed, is_rust};

use super::last::Last;
use super::leftover;

/// Files that the user moved and this release changes: as they were given and as this release makes them, each under
/// the user's path. Their former paths count as up to date.
pub(super) fn moved(view: &View, last: &Last, before: &mut Tree, after: &Tree) -> Vec<[File; 2]> {
    let is_missing = |file: &&File| {
        let is_users = file.ownership() == Ownership::Seeded && !view.is_file(file.path());
        is_users && after.get(file.path()).is_some_and(|now| now != *file)
    };
    let missing: Vec<File> = before.files().filter(is_missing).cloned().collect();
    let mut moved = Vec::new();
    if missing.is_empty() {
        return moved;
    }
    let mut others = BTreeMap::new();
    for path in leftover::texts(view) {
        if !last.is_given(&path) && after.get(&path).is_none() {
            // What is not UTF-8 is no text of rop's.
            let text = view.read_own(&path).ok().flatten();
            let text = text.filter(|text| !is_headed(&path, text));
            others.extend(text.map(|text| (path, LineEnds::read(&text))));
        }
    }
    for given in missing {
        let Some(now) = after.get(given.path()) else {
            continue;
        };
        if let Some(path) = moved_to(&given, &others) {
            others.remove(&path);
            let pair = [&given, now];
            moved.push(
                pair.map(|file| File::new(&*path, Ownership::Seeded, file.text().to_owned())),
            );
            before.replace(now.clone());
        }
    }
    moved
}

/// The least share of lines that a moved file has in common with the one that was given, as git's default.
const SIMILAR: f64 = 0.5;

/// Where a file was moved to: to the other path of its Rust module, or else to the most similar file.
fn moved_to(given: &File, others: &BTreeMap<String, String>) -> Option<String> {
    let extension = |path: &str| path.rsplit_once('.').map(|(_, name)| name.to_owned());
    let alike = others
        .iter()
        .filter(|(path, _)| extension(path) == extension(given.path()));
    let scored = alike.map(|(path, text)| {
        let is_module = is_rust(path) && module(path) == module(given.path());
        let score = if is_module {
            1.0
        } else {
            similarity(given.text(), text)
        };
        (path, score)
    });
    let best = scored.max_by(|(_, left), (_, right)| left.total_cmp(right));
    let (path, _) = best.filter(|(_, score)| *score > SIMILAR)?;
    Some(path.clone())
}

/// The module that a Rust source is.
fn module(path: &str) -> &str {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    path.strip_suffix("/mod").unwrap_or(path)
}

/// The share of lines that two texts have in common, without those that say nothing.
fn similarity(left: &str, right: &str) -> f64 {
    let lines = |text: &str| {
        let lines = text
            .lines()
            .map(str::trim)
            .filter(|line| line.contains(char::is_alphanumeric));
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for line in lines {
            *counts.entry(line.to_owned()).or_default() += 1;
        }
        counts
    };
    let (left, right) = (lines(left), lines(right));
    let common = left
        .iter()
        .map(|(line, count)| right.get(line).map_or(0, |other| *count.min(other)));
    let all = left.values().chain(right.values()).sum::<usize>();
    #[expect(clippy::cast_precision_loss, reason = "numbers of lines are small")]
    let share = |common: usize| 2.0 * common as f64 / all.max(1) as f64;
    share(common.sum())
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
            (vec![("src/status.txt", given.text())], ""),
        ] {
            let files = files.into_iter();
            let others = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
            let found = moved_to(&given, &others.collect());
            assert_eq!(found.unwrap_or_default(), expected);
        }
    }
}
