//! Directories in which cargo builds generated projects: each project has one to itself while it is built. What they
//! depend on is compiled in one of them, and linked into the others.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;

use toml_edit::DocumentMut;

/// What cargo has beside each other in such a directory.
const PROFILES: [&str; 3] = ["debug", "release", "x86_64-unknown-linux-gnu/release"];

/// A directory that cargo keeps what it makes in on the way to programs.
pub(crate) struct Slot(PathBuf);

impl Slot {
    /// That of these tests, which has what they depend on.
    pub(crate) fn first() -> Self {
        let ours = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
        Self(ours.expect("a target directory").to_owned())
    }

    /// All of them, the first one last. There are more than cores: a project may wait for servers in its turn.
    pub(super) fn all() -> Vec<Self> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let first = Self::first();
        let others = (0..=cores).map(|number| Self(first.0.join("slots").join(number.to_string())));
        let mut all: Vec<_> = others.collect();
        all.push(first);
        all
    }

    pub(crate) fn in_folder(folder: &str) -> Self {
        Self(folder.into())
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// What is locked while a project is built.
    pub(super) fn lock_file(&self) -> File {
        self.lock_file_of("lock")
    }

    /// A file of this name to lock.
    pub(super) fn lock_file_of(&self, name: &str) -> File {
        fs::create_dir_all(self.turns()).expect("a folder");
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        options.open(self.turns().join(name)).expect("a file")
    }

    /// The file that says which project of this name was built last.
    pub(super) fn last(&self, name: &str) -> PathBuf {
        self.turns().join(format!("{name}.last"))
    }

    fn turns(&self) -> PathBuf {
        self.0.join("turns")
    }

    /// Takes what the other slots have built of what projects depend on.
    pub(super) fn share_dependencies(&self) {
        for other in Self::all().iter().filter(|other| other.0 != self.0) {
            for profile in PROFILES {
                let (from, to) = (other.0.join(profile), self.0.join(profile));
                if from.join(FINGERPRINTS).is_dir() {
                    take_units(&from, &to).expect("files");
                }
            }
        }
    }
}

/// Where cargo has a directory for each unit: a crate, or a run of a build script. Its name is that of the package with
/// a hash.
const FINGERPRINTS: &str = ".fingerprint";

/// Links the units of dependencies that `to` lacks.
fn take_units(from: &Path, to: &Path) -> io::Result<()> {
    for folder in [FINGERPRINTS, "build", "deps"] {
        fs::create_dir_all(to.join(folder))?;
    }
    let mut missing = BTreeSet::new();
    for unit in fs::read_dir(from.join(FINGERPRINTS))? {
        let unit = unit?;
        let name = unit.file_name().into_string().expect("UTF-8");
        let is_dependency = name
            .rsplit_once('-')
            .is_some_and(|(package, _)| DEPENDENCIES.contains(package));
        if is_dependency && !to.join(FINGERPRINTS).join(&name).exists() && is_built(&unit.path())? {
            missing.insert(name);
        }
    }
    let mut hashes: BTreeSet<_> = missing
        .iter()
        .filter_map(|name| hash(name).map(str::to_owned))
        .collect();
    for file in fs::read_dir(from.join("deps"))? {
        let name = file?.file_name().into_string().expect("UTF-8");
        let Some(hash) = hash(&name).filter(|hash| hashes.contains(*hash)) else {
            continue;
        };
        let linked = fs::hard_link(from.join("deps").join(&name), to.join("deps").join(&name));
        match linked.map_err(|error| error.kind()) {
            Ok(()) | Err(io::ErrorKind::AlreadyExists) => {}
            // It is built once more there.
            Err(io::ErrorKind::NotFound) => _ = hashes.remove(hash),
            Err(error) => return Err(error.into()),
        }
    }
    missing.retain(|name| hash(name).is_some_and(|hash| hashes.contains(hash)));
    // Those that say that it is built come last.
    for folder in ["build", FINGERPRINTS] {
        for unit in &missing {
            copy(&from.join(folder).join(unit), &to.join(folder).join(unit))?;
        }
    }
    Ok(())
}

/// The packages that this repository and its library depend on, and the library.
static DEPENDENCIES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock");
    let lock = fs::read_to_string(lock).expect("a lock file");
    let lock: DocumentMut = lock.parse().expect("TOML");
    let packages = lock["package"].as_array_of_tables().expect("packages");
    let others = packages
        .iter()
        .filter(|package| package.contains_key("source"));
    let names = others.map(|package| package["name"].as_str().expect("a name").to_owned());
    names.chain(["rop-runtime".to_owned()]).collect()
});

/// The hash in the name of a unit or of a file of it.
fn hash(name: &str) -> Option<&str> {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    stem.rsplit_once('-').map(|(_, hash)| hash)
}

/// Whether a unit is complete: until it is, cargo has an empty file in place of its digest.
fn is_built(unit: &Path) -> io::Result<bool> {
    for file in fs::read_dir(unit)? {
        let file = file?;
        let has_digest = file.path().extension().is_none() && file.metadata()?.len() == 16;
        if has_digest {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Copies a directory with its times, by which cargo tells what is newer.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry?;
        let path = entry.path().strip_prefix(from).expect("below it");
        let target = to.join(path);
        if entry.file_type().is_dir() {
            fs::create_dir_all(&target)?;
            continue;
        }
        fs::copy(entry.path(), &target)?;
        let time = entry.metadata()?.modified()?;
        File::options()
            .write(true)
            .open(&target)?
            .set_modified(time)?;
    }
    Ok(())
}
