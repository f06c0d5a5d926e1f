//! What rustc of the project can compile for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::Result;

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
        let field = |name: &str| {
            let line = version.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_default().trim().to_owned()
        };
        Ok(Self {
            sysroot: PathBuf::from(rustc(root, "--print=sysroot")?.trim()),
            commit: field("commit-hash:"),
            host: field("host:"),
        })
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
        let name = variable_of(triple, "LINKER");
        let is_named = std::env::var_os(&name).is_some() || settings.has(triple, "linker");
        if triple == self.host || is_named {
            return None;
        }
        let mut parts = triple.splitn(2, "-unknown-");
        let processor = parts
            .next()?
            .replace("riscv64gc", "riscv64")
            .replace("armv7", "arm");
        let program = format!("{processor}-{}-gcc", parts.next()?);
        let path = std::env::var_os("PATH")?;
        let is_there = std::env::split_paths(&path).any(|folder| folder.join(&program).is_file());
        is_there.then_some((name, program))
    }
}

/// What rustc says. Where rustup is at work, the project says which rustc that is.
fn rustc(root: &Path, argument: &str) -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    let answer = ask(&rustc, &[argument], root)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
