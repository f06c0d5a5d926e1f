//! Another release: what its templates would have made of a project.

use std::fs;

use rop::plan::{File, Ownership, Tree};
use sha2::{Digest, Sha256};

use crate::support::World;

/// A release that made the project of a world.
pub(crate) struct Release<'a>(&'a World);

impl<'a> Release<'a> {
    pub(crate) fn of(world: &'a World) -> Self {
        Self(world)
    }

    pub(crate) fn version(&self, version: &str) {
        for (path, mark) in [
            ("PROJECT", "cliVersion: \""),
            (".rop/record", "\"cliVersion\":\""),
        ] {
            self.set(path, mark, version);
        }
    }

    fn set(&self, path: &str, mark: &str, version: &str) {
        let text = self.0.read(path);
        let (before, rest) = text.split_once(mark).expect("a release");
        let (_, after) = rest.split_once('"').expect("a release");
        self.0
            .write(path, &format!("{before}{mark}{version}\"{after}"));
    }

    /// It had `old` where this release has `new`, in a file that the user may edit.
    #[track_caller]
    pub(crate) fn had(&self, path: &str, old: &str, new: &str) {
        self.0.replace(path, new, old);
        let text = self.0.read(path);
        self.gave(path, &text);
    }

    /// The same in a file that rop owns.
    #[track_caller]
    pub(crate) fn owned(&self, path: &str, old: &str, new: &str) {
        let text = self.0.read(path);
        let (_, body) = text.split_once('\n').expect("a header");
        assert!(body.contains(new), "no {new:?} in {path}");
        let file = File::owned(path, body.replace(new, old));
        self.0.write(path, file.text());
    }

    /// It had a file that this one does not have.
    pub(crate) fn made(&self, file: &File) {
        let path = file.path();
        self.0.write(path, file.text());
        self.recorded(file.ownership(), path, true);
        if file.ownership() != Ownership::Owned {
            self.gave(path, file.text());
        }
    }

    /// It did not have a file that this one has.
    pub(crate) fn lacked(&self, path: &str) {
        fs::remove_file(self.0.path().join(path)).expect("a file");
        let base = self.0.path().join(".rop/base").join(path);
        let ownership = if base.is_file() {
            fs::remove_file(base).expect("a base");
            Ownership::Seeded
        } else {
            Ownership::Owned
        };
        self.recorded(ownership, path, false);
    }

    /// It had this in a file of the vendored library, and a file more.
    pub(crate) fn library(&self, path: &str, old: &str, new: &str) {
        self.0.replace(&format!("runtime/{path}"), new, old);
        self.0.write("runtime/src/dropped.rs", "// Dropped.\n");
        let files = self.0.tree();
        let files = files
            .iter()
            .filter_map(|(path, text)| Some((path.strip_prefix("runtime/")?, text)))
            .filter(|(path, _)| *path != "SUMS");
        let mut tree = Tree::default();
        tree.vendor(
            "runtime",
            files.map(|(path, text)| (path, text.clone().into())),
        );
        let sums = tree.get("runtime/SUMS").expect("sums");
        self.0.write("runtime/SUMS", sums.text());
    }

    fn recorded(&self, ownership: Ownership, path: &str, is_there: bool) {
        let record = self.0.read(".rop/record");
        let suffix = format!(" {path}");
        let lines = record.lines().filter(|line| !line.ends_with(&suffix));
        let mut record: String = lines.map(|line| format!("{line}\n")).collect();
        if is_there {
            record.extend([ownership.name(), " ", path, "\n"]);
        }
        self.0.write(".rop/record", &record);
    }

    /// It gave this text of a file that the user may edit.
    pub(crate) fn gave(&self, path: &str, text: &str) {
        let sum = Sha256::digest(text);
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        let lines = text.split_inclusive('\n').map(|line| format!("|{line}"));
        let base = format!("{sum}\n{}", lines.collect::<String>());
        self.0.write(&format!(".rop/base/{path}"), &base);
    }
}
