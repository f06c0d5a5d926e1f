//! What rustc of the project can compile for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::on_path::on_path;

use super::settings::Settings;
use super::{ask, variable_of};

/// The toolchain that cargo uses in a project.
#[derive(Debug)]
pub(crate) struct Toolchain {
    pub(crate) sysroot: PathBuf,
    /// The commit that rustc was built from.
    pub(crate) commit: String,
    /// The target that it runs on.
    host: String,
}

impl Toolchain {
    /// Asks rustc about itself.
    ///
    /// # Errors
    /// There is no rustc, or it fails: it says why.
    pub(crate) fn find(root: &Path) -> Result<Self> {
        let version = rustc(root, "-vV")?;
        let sysroot = rustc(root, "--print=sysroot")?;
        Ok(Self::of(&version, PathBuf::from(sysroot.trim())))
    }

    /// The toolchain that `rustc -vV` describes.
    pub(crate) fn of(version: &str, sysroot: PathBuf) -> Self {
        let field = |name: &str| {
            let line = version.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_default().trim().to_owned()
        };
        Self {
            sysroot,
            commit: field("commit-hash:"),
            host: field("host:"),
        }
    }

    /// The target that it runs on.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Which of some targets it compiles for: the one of this machine, or an installed one.
    pub(crate) fn target<'a>(&self, targets: &'a [String]) -> Option<&'a String> {
        let libraries = |triple: &str| self.sysroot.join("lib/rustlib").join(triple).join("lib");
        let of_host = targets.iter().find(|triple| **triple == self.host);
        of_host.or_else(|| targets.iter().find(|triple| libraries(triple).is_dir()))
    }

    /// The linker for another processor, under the name that distributions give it, where the user
    /// names none.
    pub(crate) fn linker(&self, triple: &str, settings: &Settings) -> Option<(String, String)> {
        if triple == self.host || settings.names_linker(triple) {
            return None;
        }
        let mut parts = triple.splitn(2, "-unknown-");
        let processor = parts
            .next()?
            .replace("riscv64gc", "riscv64")
            .replace("armv7", "arm");
        let program = format!("{processor}-{}-gcc", parts.next()?);
        on_path(&program).map(|_| (variable_of(triple, "LINKER"), program))
    }
}

/// What rustc says. Where rustup is at work, the project says which rustc that is.
fn rustc(root: &Path, argument: &str) -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    let answer = ask(&rustc, &[argument], root)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
