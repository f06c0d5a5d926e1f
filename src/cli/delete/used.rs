//! Checks that the user's code does not use types that are deleted.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::listed::listed;
use crate::plan::{self, Conflict, File, Ownership, Tree};
use crate::project::{ProjectKind, Versioned};

/// The folders of a project's code.
const FOLDERS: [&str; 3] = ["api/src", "src", "tests"];

/// Maximum number of places in the error.
const PLACES: usize = 5;

/// Refuses to delete types that a remaining file uses.
///
/// # Errors
/// A file uses them, or a file cannot be read.
pub(super) fn check(view: &View, types: &ProjectKind, before: &Tree, after: &Tree) -> Result<()> {
    let (mut places, mut own_folders) = (Vec::new(), BTreeSet::new());
    let mut is_used_elsewhere = false;
    for folder in FOLDERS {
        for path in view.files_in(folder)? {
            let stays = before.get(&path).is_none() || after.get(&path).is_some();
            let ownership = after.get(&path).map(File::ownership);
            if !path.ends_with(".rs") || !stays || ownership == Some(Ownership::Owned) {
                continue;
            }
            let text = view.read(&path)?.unwrap_or_default();
            // A seeded file that nobody edited is made without them.
            let is_given = before.get(&path).is_some_and(|file| file.text() == text);
            if is_given {
                continue;
            }
            let folders = types
                .versions()
                .map(|version| format!("{}/", version.types()));
            let own_folder = folders.into_iter().find(|folder| path.starts_with(folder));
            for (index, line) in text.lines().enumerate() {
                if types.versions().any(|version| names(line, version)) {
                    places.push(format!("`{path}:{}`", index + 1));
                    is_used_elsewhere |= own_folder.is_none();
                    own_folders.extend(own_folder.clone());
                }
            }
        }
    }
    let Some(version) = types.versions().next().filter(|_| !places.is_empty()) else {
        return Ok(());
    };
    let mut message = format!(
        "the types of {} are in use: {}",
        version.gvk(),
        listed(&places, PLACES)
    );
    let (_, conflicts) = plan::compare(view, before, after, false)?;
    for Conflict { path, reason, .. } in &conflicts {
        let _ = write!(message, "\n  {path} {reason}");
    }
    let error = Error::new(Code::TypesInUse, message);
    let error = own_folders.iter().fold(error, |error, folder| {
        error.hint(format!(
            "`{folder}` contains files of your own, which rop does not delete: move or remove them first, or \
                leave them there with `--force`"
        ))
    });
    let error = if is_used_elsewhere {
        error.hint("remove those uses first, or delete the types anyway with `--force`")
    } else {
        error
    };
    Err(if conflicts.is_empty() {
        error
    } else {
        error.hint(
            "`--force` also discards your edits in the files above: move them elsewhere first",
        )
    })
}

/// Whether a line names the module of a version, as in `use app_operator_api::app::v1::…`.
fn names(line: &str, versioned: Versioned<'_>) -> bool {
    let Versioned { kind, version } = versioned;
    let module = format!("{}::{}::", kind.group.module(), version.name);
    line.match_indices(&module).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let rest = &line[at + module.len()..];
        let is_start = before.is_none_or(|it| !it.is_alphanumeric() && it != '_');
        let name = kind.name.as_str();
        is_start && (rest.starts_with(&kind.name.module()) || rest.contains(name))
    })
}
