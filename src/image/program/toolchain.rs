//! What rustc of the project can compile for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cargo::{ask, variable_of};
use crate::error::{Error, Result};

use super::settings::Settings;
use crate::image::platform::Platform;

/// The toolchain that cargo uses in a project.
#[derive(Debug)]
pub(super) struct Toolchain {
    pub(super) sysroot: PathBuf,
    /// The commit that rustc was built from.
    pub(super) commit: String,
    /// The target that it runs on.
    host: String,
}

impl Toolchain {
    pub(super) fn find(root: &Path) -> Result<Self> {
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

    /// The target for a platform: the one of this machine where that fits, or an installed one.
    pub(super) fn triple(&self, platform: Platform) -> Result<String> {
        let targets = platform.targets();
        if targets.contains(&self.host) {
            return Ok(self.host.clone());
        }
        let libraries = |triple: &String| self.sysroot.join("lib/rustlib").join(triple).join("lib");
        match targets.iter().find(|triple| libraries(triple).is_dir()) {
            Some(triple) => Ok(triple.clone()),
            None => Err(Error::new(format!(
                "Rust cannot compile for {platform} here: neither {} is installed",
                targets.each_ref().map(|triple| format!("`{triple}`")).join(" nor ")
            ))
            .hint(format!(
                "run `rustup target add {}`, and install a C compiler for it; or build with a container engine",
                targets[0]
            ))),
        }
    }

    /// The linker for another processor, under the name that distributions give it, where the user
    /// names none.
    pub(super) fn linker(&self, triple: &str, settings: &Settings) -> Option<(String, String)> {
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
