//! Folders that are rop's as a whole. Their files have no header each: one file has the sums of all.

use std::collections::{BTreeMap, HashMap, HashSet};

use walkdir::{DirEntry, WalkDir};

use crate::error::Result;

use super::disk::{Disk, FileState};
use super::header::{self, State};
use super::place::is_inside;
use super::sum::sum;
use super::{File, Ownership, Plan, Text, Tree};
use crate::listed::listed;

/// The file with the sums, which has a header itself.
const SUMS: &str = "SUMS";

impl Tree {
    /// Adds a folder that is rop's as a whole: its files as they are, by their paths in it, and one
    /// more with their sums.
    ///
    /// # Panics
    /// As [`Self::insert`].
    pub fn vendor<'a>(&mut self, folder: &str, files: impl Iterator<Item = (&'a str, Text)>) {
        let mut sums = BTreeMap::new();
        for (path, text) in files {
            sums.insert(path, text.sum(path));
            let path = format!("{folder}/{path}");
            self.insert(File::new(path, Ownership::Vendored, text));
        }
        let path = format!("{folder}/{SUMS}");
        let sums = sums.iter().map(|(path, sum)| format!("{sum}  {path}\n"));
        let text = header::add(&path, &sums.collect::<String>());
        self.insert(File::new(path, Ownership::Vendored, text));
    }

    /// The sums of the folder that is rop's as a whole, if there is one: they say which release's it is.
    pub(super) fn vendored_sums(&self) -> Option<&str> {
        let folder = self.vendored().into_iter().next()?;
        Some(self.get(&format!("{folder}/{SUMS}"))?.text())
    }
}

/// Whether a vendored file on disk is the one that is wanted, but perhaps for its formatting.
pub(super) fn is_same(file: &File, text: &str) -> bool {
    let (path, expected) = (file.path(), file.text());
    if is_sums(path) {
        header::is_same(text, expected)
    } else {
        text == expected || header::has_sum_below_license(path, text, &sum(path, expected))
    }
}

pub(super) fn is_sums(path: &str) -> bool {
    path.split_once('/').is_some_and(|(_, path)| path == SUMS)
}

/// The sums that stand on disk. Each folder is looked at once.
#[derive(Default)]
pub(super) struct Sums(HashMap<String, HashMap<String, String>>);

impl Sums {
    /// Compares a vendored file on disk with the sum that it had when rop wrote it.
    pub(super) fn state(&mut self, disk: &mut Disk<'_>, file: &File, text: &str) -> Result<State> {
        if is_sums(file.path()) {
            return Ok(header::state(file.path(), text));
        }
        if is_same(file, text) {
            return Ok(State::Intact);
        }
        self.listed_state(disk, file.path(), text)
    }

    /// Compares a file on disk with its sum.
    pub(super) fn listed_state(
        &mut self,
        disk: &mut Disk<'_>,
        path: &str,
        text: &str,
    ) -> Result<State> {
        let (folder, path) = path.split_once('/').unwrap_or_default();
        Ok(match self.of(disk, folder)?.get(path) {
            None => State::Absent,
            Some(sum) if header::has_sum_below_license(path, text, sum) => State::Intact,
            Some(_) => State::Edited,
        })
    }

    /// The files that have a sum in a folder.
    pub(super) fn paths(&mut self, disk: &mut Disk<'_>, folder: &str) -> Result<Vec<String>> {
        let listed = self.of(disk, folder)?.keys();
        let paths = listed.map(|path| format!("{folder}/{path}"));
        // The file with the sums came with the project: its paths may lead anywhere.
        Ok(paths.filter(|path| is_inside(path)).collect())
    }

    fn of(&mut self, disk: &mut Disk<'_>, folder: &str) -> Result<&HashMap<String, String>> {
        if !self.0.contains_key(folder) {
            self.0.insert(folder.to_owned(), read(disk, folder)?);
        }
        Ok(&self.0[folder])
    }
}

/// What cargo and editors make in the folder of a crate.
const NO_SOURCES: [&str; 2] = ["Cargo.lock", "target"];

/// How many files a note names.
const NAMED: usize = 5;

/// Adds notes on the user's files in vendored folders.
pub(super) fn note_added(
    disk: &mut Disk<'_>,
    sums: &mut Sums,
    [before, after]: [&Tree; 2],
    plan: &mut Plan,
) -> Result<()> {
    for folder in before.vendored().union(&after.vendored()) {
        let added = added(disk, sums, folder, [before, after])?;
        if !added.is_empty() {
            let files: Vec<_> = added.iter().map(|path| format!("`{path}`")).collect();
            plan.notes.push(format!(
                "`{folder}/` is generated as a whole, but has files of yours: move them elsewhere: {}",
                listed(&files, NAMED)
            ));
        }
    }
    Ok(())
}

/// The files in a folder that is rop's as a whole of which nobody knows but who added them. They stay.
fn added(
    disk: &mut Disk<'_>,
    sums: &mut Sums,
    folder: &str,
    [before, after]: [&Tree; 2],
) -> Result<Vec<String>> {
    let known: HashSet<_> = sums.paths(disk, folder)?.into_iter().collect();
    let root = disk.view().root();
    let is_source = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        !NO_SOURCES.contains(&&*name) && !name.starts_with('.')
    };
    let walk = WalkDir::new(root.join(folder)).sort_by_file_name();
    let entries = walk.into_iter().filter_entry(is_source);
    let files = entries
        .filter_map(Result::ok)
        .filter(|entry| !entry.file_type().is_dir());
    let paths = files.filter_map(|entry| {
        let path = entry.path().strip_prefix(root).ok()?;
        Some(path.to_str()?.replace('\\', "/"))
    });
    let is_rops = |path: &str| before.get(path).or(after.get(path)).is_some();
    let added = paths.filter(|path| !known.contains(path) && !is_rops(path) && !after.leaves(path));
    Ok(added.collect())
}

/// The sums of a folder by path. Where rop's file with them is not there, they are not known.
fn read(disk: &mut Disk<'_>, folder: &str) -> Result<HashMap<String, String>> {
    let path = format!("{folder}/{SUMS}");
    let FileState::Text(_, text) = disk.look(&path)? else {
        return Ok(HashMap::new());
    };
    let lines = match header::state(&path, &text) {
        State::Intact => header::body(&text),
        State::Edited | State::Absent => "",
    };
    let entries = lines.lines().filter_map(|line| line.split_once("  "));
    Ok(entries
        .map(|(sum, path)| (path.to_owned(), sum.to_owned()))
        .collect())
}
