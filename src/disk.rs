//! The files of a project as commands read them: those on disk, or those that an interrupted command will
//! have left.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::error::{Code, Context, Error, Result};

/// The folder of what an interrupted command has still to do, in the directory of the project.
pub(crate) const PENDING: &str = ".rop-pending";

/// A project's files as they are, or as they will be once an interrupted command is finished: a dry
/// run finishes nothing.
#[derive(Debug)]
pub struct View {
    root: PathBuf,
    /// What differs from the disk, by path with links resolved. No text: the file is not there.
    changes: BTreeMap<PathBuf, Option<String>>,
    /// Folders with their links resolved: each is looked at once.
    folders: RefCell<HashMap<PathBuf, PathBuf>>,
}

impl View {
    /// The files below `root` as they are. It need not exist.
    ///
    /// # Errors
    /// It is a link to nothing: no file can be made behind it.
    pub fn of(root: &Path) -> Result<Self> {
        if root.is_symlink() && !root.exists() {
            return Err(Error::new(
                Code::DanglingLink,
                format!("`{}` is a dangling link", root.display()),
            )
            .hint("remove the link, or create the directory that it points to"));
        }
        Ok(Self {
            root: absolute(root)?,
            changes: BTreeMap::new(),
            folders: RefCell::default(),
        })
    }

    /// The files below `root`, with changes.
    pub(crate) fn changed(root: PathBuf, changes: BTreeMap<PathBuf, Option<String>>) -> Self {
        Self {
            root,
            changes,
            folders: RefCell::default(),
        }
    }

    /// The same without some of its files.
    pub(crate) fn without<'a>(&self, paths: impl IntoIterator<Item = &'a String>) -> Result<Self> {
        let mut changes = self.changes.clone();
        for path in paths {
            changes.insert(self.resolved(path)?, None);
        }
        Ok(Self::changed(self.root.clone(), changes))
    }

    /// The same with another text in some of its files.
    pub(crate) fn with(&self, files: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let mut changes = self.changes.clone();
        for (path, text) in files {
            changes.insert(self.resolved(path)?, Some(text));
        }
        Ok(Self {
            folders: self.folders.clone(),
            ..Self::changed(self.root.clone(), changes)
        })
    }

    /// Where a path of the project is, with its links resolved.
    fn resolved(&self, path: impl AsRef<Path>) -> Result<PathBuf> {
        let path = self.root.join(path);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return absolute(&path);
        };
        let known = self.folders.borrow().get(folder).cloned();
        let folder = if let Some(folder) = known {
            folder
        } else {
            let resolved = absolute(folder)?;
            let mut folders = self.folders.borrow_mut();
            folders.insert(folder.to_owned(), resolved.clone());
            resolved
        };
        let here = folder.join(name);
        if here.is_symlink() {
            absolute(&here)
        } else {
            Ok(here)
        }
    }

    /// The directory, with its links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the files are those on disk.
    pub fn is_on_disk(&self) -> bool {
        self.changes.is_empty()
    }

    /// The text of a file of the project, if it is there.
    pub fn read(&self, path: &str) -> Result<Option<String>> {
        let file = self.resolved(path)?;
        match self.read_resolved(&file) {
            Ok(text) => Ok(Some(text)),
            Err(e) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&e.kind()) => {
                Ok(None)
            }
            Err(e) => Err(e).unreadable(path),
        }
    }

    /// The same, of a file that is in the project: what this gives is written to another, which its user may publish.
    ///
    /// # Errors
    /// As [`View::read`], or a link leads out of the project.
    pub(crate) fn read_own(&self, path: &str) -> Result<Option<String>> {
        self.own(path)?;
        self.read(path)
    }

    /// Where a file of the project is, with its links resolved.
    ///
    /// # Errors
    /// A link leads out of the project.
    pub(crate) fn own(&self, path: &str) -> Result<PathBuf> {
        let file = self.resolved(path)?;
        if !file.starts_with(&self.root) {
            let outside = file.display();
            return Err(Error::new(Code::OutsideProject, format!(
                "`{path}` points out of the project, to `{outside}`: rop uses only files of the \
                project"
            ))
            .hint("replace the link with a copy of its target"));
        }
        Ok(file)
    }

    /// Whether a path is a link, also one to nothing, or is behind one.
    pub(crate) fn is_linked(&self, path: &str) -> bool {
        let here = self.root.join(path);
        here.is_symlink() || self.resolved(path).is_ok_and(|resolved| resolved != here)
    }

    /// Whether a file of the project is there.
    pub fn is_file(&self, path: &str) -> bool {
        match self.resolved(path) {
            Ok(file) => match self.changes.get(&file) {
                Some(change) => change.is_some(),
                None => file.is_file(),
            },
            Err(_) => false,
        }
    }

    /// The files in a folder of the project and below, by their paths in the project. What is no file is left out.
    ///
    /// # Errors
    /// The folder cannot be read, or has too many files.
    pub(crate) fn files_in(&self, folder: &str) -> Result<Vec<String>> {
        self.files(folder, |_| true)
    }

    /// The same, without what is behind links that lead out of the project.
    pub(crate) fn own_files_in(&self, folder: &str) -> Result<Vec<String>> {
        self.files(folder, |target| target.starts_with(&self.root))
    }

    /// What is in a folder of the project and below and is neither a file nor a folder, such as a pipe or a link to nothing.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(crate) fn irregular_in(&self, folder: &str) -> Result<Vec<String>> {
        let entries = WalkDir::new(self.root.join(folder)).into_iter();
        let mut paths = Vec::new();
        for entry in entries.take(MOST_ENTRIES) {
            let entry = entry.unreadable(folder)?;
            let metadata = fs::metadata(entry.path());
            if metadata.is_ok_and(|metadata| metadata.is_file() || metadata.is_dir()) {
                continue;
            }
            let path = entry.path().strip_prefix(&self.root);
            paths.extend(path.ok().and_then(Path::to_str).map(str::to_owned));
        }
        Ok(paths)
    }

    fn files(&self, folder: &str, follows: impl Fn(&Path) -> bool) -> Result<Vec<String>> {
        let start = self.root.join(folder);
        let mut files = BTreeSet::new();
        if start.is_dir() {
            for entry in walk_where(&start, follows) {
                let entry = entry?;
                let path = entry.path().strip_prefix(&start).unwrap_or(entry.path());
                let Some(path) = path.to_str() else {
                    let shown = entry.path().display();
                    return Err(Error::new(
                        Code::PathNotUtf8,
                        format!("the path `{shown}` is not UTF-8"),
                    )
                    .hint("rename the file, and run the command again"));
                };
                let path = format!("{folder}/{path}");
                if self.is_file(&path) {
                    files.insert(path);
                }
            }
        }
        let added = self.added().filter_map(|(path, _)| path.to_str());
        let is_inside = |path: &&str| {
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        files.extend(added.filter(is_inside).map(str::to_owned));
        Ok(files.into_iter().collect())
    }

    /// The text at a path whose links are resolved.
    pub(crate) fn read_resolved(&self, path: &Path) -> io::Result<String> {
        match self.changes.get(path) {
            Some(Some(text)) => Ok(text.clone()),
            Some(None) => Err(ErrorKind::NotFound.into()),
            None => read_text(path),
        }
    }

    /// What differs from the disk at a path whose links are resolved.
    pub(crate) fn change(&self, path: &Path) -> Option<&Option<String>> {
        self.changes.get(path)
    }

    /// Files that are not on disk, relative to the project.
    pub(crate) fn added(&self) -> impl Iterator<Item = (&Path, &str)> {
        let added = self.changes.iter().filter(|(path, _)| !path.exists());
        added.filter_map(|(path, text)| {
            Some((path.strip_prefix(&self.root).ok()?, text.as_deref()?))
        })
    }
}

/// A folder has no more files and folders below it, those behind links too.
const MOST_ENTRIES: usize = 100_000;

/// The files and folders in a folder and below it. Links are followed, but for those that lead nowhere or to what is
/// found anyway: a few of them can make more paths than anybody could walk.
///
/// # Errors
/// One cannot be read, or there are too many.
pub(crate) fn walk(folder: &Path) -> impl Iterator<Item = Result<DirEntry>> {
    walk_where(folder, |_| true)
}

/// The same, of the links to folders that `follows` holds for.
fn walk_where(
    folder: &Path,
    follows: impl Fn(&Path) -> bool,
) -> impl Iterator<Item = Result<DirEntry>> {
    let root = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut followed = BTreeSet::new();
    let is_new = move |entry: &DirEntry| {
        let is_linked_folder =
            entry.depth() > 0 && entry.path_is_symlink() && entry.file_type().is_dir();
        if !is_linked_folder {
            return true;
        }
        let target = entry.path().canonicalize();
        target.is_ok_and(|target| {
            !target.starts_with(&root) && follows(&target) && followed.insert(target)
        })
    };
    let entries = WalkDir::new(folder)
        .follow_links(true)
        .into_iter()
        .filter_entry(is_new)
        .enumerate();
    let folder = folder.display().to_string();
    entries.filter_map(move |(index, entry)| match entry {
        Err(error) if leads_nowhere(&error) => None,
        _ if index >= MOST_ENTRIES => Some(Err(Error::new(
            Code::OutsideProject,
            format!("`{folder}` and the targets of its links have more than {MOST_ENTRIES} files"),
        )
        .hint("remove the links that point out of the project"))),
        entry => Some(entry.unreadable(&folder)),
    })
}

/// Whether the walk came upon no folder, a dangling link, or one to itself or to a folder above it.
fn leads_nowhere(error: &walkdir::Error) -> bool {
    let is_lost = |e: &io::Error| {
        let is_loop = e.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
        is_loop || e.kind() == ErrorKind::NotFound
    };
    error.loop_ancestor().is_some() || error.io_error().is_some_and(is_lost)
}

/// No file that rop reads is longer, in bytes.
const LONGEST: u64 = 64 << 20;

/// What a file holds.
///
/// # Errors
/// Reading fails, or could take for ever: it is no regular file but, say, a pipe, or endless.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !(metadata.is_file() || metadata.is_dir()) {
        return Err(io::Error::other("it is not a regular file"));
    }
    // One byte more than there is: the end shows at the first read.
    let length = metadata.len().min(LONGEST) + 1;
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    fs::File::open(path)?
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        let most = LONGEST >> 20;
        return Err(io::Error::other(format!("it is larger than {most} MiB")));
    }
    Ok(bytes)
}

/// The last bytes of a file, so many at most.
///
/// # Errors
/// Reading fails.
pub(crate) fn end_of(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file.
///
/// # Errors
/// As [`read`], or it is not UTF-8.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let message = format!("it is not UTF-8 text: the byte at offset {offset} is invalid");
        io::Error::new(ErrorKind::InvalidData, message)
    })
}

/// The variable that says where cargo builds.
pub(crate) const TARGET_VARIABLE: &str = "CARGO_TARGET_DIR";

/// Checks a folder in the directory that cargo builds into. Others may have made the project, with a link there that
/// leads out of it: that is followed only if the user names such a directory.
///
/// # Errors
/// A link leads out of the project.
pub(crate) fn check_target(root: &Path, folder: &Path) -> Result<()> {
    let is_named = std::env::var_os(TARGET_VARIABLE).is_some_and(|path| !path.is_empty());
    let Some(inside) = folder.strip_prefix(root).ok().filter(|_| !is_named) else {
        return Ok(());
    };
    let found = View::of(folder)?.root;
    if found.starts_with(View::of(root)?.root) {
        return Ok(());
    }
    let (folder, found) = (inside.display(), found.display());
    Err(Error::new(
        Code::OutsideProject,
        format!("`{folder}` points out of the project, to `{found}`"),
    )
    .hint(format!(
        "remove the link, or set `{TARGET_VARIABLE}` if you want to build there"
    )))
}

/// A path without `.` and `..`, whatever is on disk.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// A path with its links resolved. `init` may give one that is not there yet, or not all of it.
fn absolute(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path).context(Code::UnreadableFile, || {
        format!("bad path `{}`", path.display())
    })?;
    for ancestor in path.ancestors() {
        if let Ok(mut resolved) = ancestor.canonicalize() {
            // An empty part would become a slash at the end.
            resolved.extend(path.strip_prefix(ancestor).unwrap_or(&path).components());
            return Ok(resolved);
        }
    }
    Ok(path)
}
