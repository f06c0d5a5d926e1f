use std::fs;
use std::path::{Path, PathBuf};

use crate::disk::{PENDING, View};
use crate::error::{Code, Error, Result};

use super::{FILE_NAME, Project};

/// A directory that holds a project, whose PROJECT has not been read yet.
#[derive(Debug)]
pub struct ProjectDir {
    /// The directory.
    pub path: PathBuf,
}

/// A project on disk.
#[derive(Debug)]
pub struct Root {
    /// The directory that holds PROJECT.
    pub path: PathBuf,
    /// The parsed PROJECT.
    pub project: Project,
}

/// Projects of other users that may be taken: paths of directories, or `*`. As git's `safe.directory`.
const SAFE: &str = "ROP_SAFE_DIRECTORY";

/// Finds the project that holds `start`, as cargo does: PROJECT in it or in a directory above.
///
/// # Errors
/// No project is found, or another user owns it: rop runs its code with the permissions of the current user.
pub fn find(start: &Path) -> Result<ProjectDir> {
    // What is no regular file is found, so that it is named and not passed over.
    let is_file = |path: PathBuf| fs::metadata(path).is_ok_and(|found| !found.is_dir());
    let path = start
        .ancestors()
        .find(|dir| is_file(dir.join(FILE_NAME)) || dir.join(PENDING).is_dir())
        .ok_or_else(|| no_project(start))?;
    check_owner(path)?;
    Ok(ProjectDir {
        path: path.to_owned(),
    })
}

/// Refuses a project of another user.
///
/// # Errors
/// Another user owns it: rop runs its code with the permissions of the current user.
#[cfg(unix)]
pub fn check_owner(project: &Path) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    let sudo = std::env::var("SUDO_UID")
        .ok()
        .and_then(|id| id.parse().ok());
    let user = rustix::process::geteuid().as_raw();
    for path in [
        project.to_owned(),
        project.join(FILE_NAME),
        project.join(PENDING),
    ] {
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        if !is_trusted(metadata.uid(), user, sudo) && !is_safe(project) {
            let (found, owner) = (path.display(), metadata.uid());
            return Err(Error::new(
                Code::UntrustedOwner,
                format!("`{found}` belongs to user {owner}, but rop runs as user {user}"),
            )
            .hint(format!(
                "if you trust that user, run rop with `{SAFE}={}`",
                project.display()
            )));
        }
    }
    Ok(())
}

/// Windows has no numeric owners: no check.
#[cfg(not(unix))]
pub fn check_owner(_: &Path) -> Result<()> {
    Ok(())
}

/// Whether what a user made may be carried out: by that user, and what root made by all. With sudo
/// root stands for another user.
#[cfg(unix)]
fn is_trusted(owner: u32, user: u32, sudo: Option<u32>) -> bool {
    owner == user || owner == 0 || user == 0 && sudo == Some(owner)
}

#[cfg(unix)]
fn is_safe(project: &Path) -> bool {
    let list = std::env::var_os(SAFE).unwrap_or_default();
    std::env::split_paths(&list).any(|safe| safe == Path::new("*") || safe == project)
}

fn no_project(start: &Path) -> Error {
    Error::new(
        Code::NoProject,
        format!(
            "no {FILE_NAME} file in `{}` or any directory above it",
            start.display()
        ),
    )
    .hint("change into a project, or create one here: `rop init --domain example.com`")
}

impl ProjectDir {
    /// Reads PROJECT.
    ///
    /// # Errors
    /// As [`Project::parse`].
    pub fn read(self, view: &View) -> Result<Root> {
        Root::read(&self.path, view)
    }
}

impl Root {
    /// Reads PROJECT in a directory.
    ///
    /// # Errors
    /// As [`Project::parse`].
    pub fn read(path: &Path, view: &View) -> Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            project: Project::read(view)?.ok_or_else(|| no_project(path))?,
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::is_trusted;

    #[test]
    fn what_another_user_made_is_not_trusted() {
        for (owner, user, sudo, trusted) in [
            (1000, 1000, None, true),
            (0, 1000, None, true),
            (1001, 1000, None, false),
            (1001, 1000, Some(1001), false),
            (1000, 0, None, false),
            (1000, 0, Some(1000), true),
            (1001, 0, Some(1000), false),
        ] {
            assert_eq!(
                is_trusted(owner, user, sudo),
                trusted,
                "{owner} {user} {sudo:?}"
            );
        }
    }
}
