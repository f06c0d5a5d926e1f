//! cargo and rustc, and what comes with them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use toml_edit::DocumentMut;

use crate::cargo::{Settings, Toolchain};
use crate::disk::read_text;
use crate::image::Platform;
use crate::on_path::on_path;
use crate::versions::VERSIONS;

use super::channel;
use super::finding::{Finding, State};
use super::program::{ask, look};

const INSTALL: &str = "install Rust (https://rustup.rs) and put it on PATH";

const BUILDS: &str = "everything that compiles: `rop generate manifests`, `run`, `dev`, `build`";

pub(super) fn check(root: &Path) -> Vec<Finding> {
    let tool = |variable: &str, name: &str| std::env::var_os(variable).unwrap_or(name.into());
    let (cargo, rustc) = (tool("CARGO", "cargo"), tool("RUSTC", "rustc"));
    let named = match channel::named(root) {
        Ok(named) => named,
        Err(reason) => {
            let unusable = Finding::required("cargo", BUILDS, State::Unusable(reason));
            return vec![unusable.remedy("name the toolchain by its channel")];
        }
    };
    let named = named.as_deref();
    let with_cargo = |name, needed_for, command: &str| {
        let state = look(&cargo, &[command, "--version"], named);
        let remedy = format!("run `rustup component add {name}`");
        Finding::optional(name, needed_for, state).remedy(remedy)
    };
    let mut findings = vec![
        Finding::required("cargo", BUILDS, look(&cargo, &["--version"], named)).remedy(INSTALL),
        compiler(&rustc, named, root),
        with_cargo("rustfmt", "`make lint` and CI", "fmt"),
        with_cargo("clippy", "`make lint` and CI", "clippy"),
    ];
    if let Some(toolchain) = toolchain(&rustc, named) {
        findings.push(linker(&toolchain, root));
        findings.extend(target(&toolchain));
    }
    findings
}

/// rustc, with the oldest release that builds the project.
fn compiler(rustc: &OsStr, named: Option<&str>, root: &Path) -> Finding {
    let (oldest, source) = oldest(root);
    let state = match look(rustc, &["--version"], named) {
        State::Found { about, .. } if is_older(&about, &oldest) => {
            State::Unusable(format!("{about} is older than {oldest}, which {source}"))
        }
        state => state,
    };
    let remedy = match &state {
        State::Unusable(_) => "run `rustup update`",
        _ => INSTALL,
    };
    Finding::required("rustc", BUILDS, state).remedy(remedy)
}

/// The oldest Rust that builds a project, and who says so.
fn oldest(root: &Path) -> (String, &'static str) {
    let text = read_text(&root.join("Cargo.toml")).ok();
    let manifest: Option<DocumentMut> = text.and_then(|text| text.parse().ok());
    let version = manifest.and_then(|manifest| {
        let workspace = manifest.get("workspace").and_then(|it| it.get("package"));
        let packages = [workspace, manifest.get("package")].into_iter().flatten();
        let mut versions = packages.filter_map(|package| package.get("rust-version")?.as_str());
        versions
            .find(|version| number(version).is_some())
            .map(str::to_owned)
    });
    match version {
        Some(version) => (version, "Cargo.toml requires"),
        None => (VERSIONS.rust.to_owned(), "generated projects require"),
    }
}

/// Whether what rustc prints is a release before another.
fn is_older(printed: &str, oldest: &str) -> bool {
    let release = printed.split_whitespace().nth(1).unwrap_or_default();
    matches!((number(release), number(oldest)), (Some(found), Some(oldest)) if found < oldest)
}

/// Major and minor.
fn number(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The toolchain, if rustc answers.
fn toolchain(rustc: &OsStr, named: Option<&str>) -> Option<Toolchain> {
    let version = ask(rustc, &["-vV"], named).ok()?;
    let sysroot = ask(rustc, &["--print=sysroot"], named).ok()?;
    Some(Toolchain::of(&version, PathBuf::from(sysroot.trim())))
}

/// rustc links with the C compiler, unless the user names another linker.
fn linker(toolchain: &Toolchain, root: &Path) -> Finding {
    let host = toolchain.host();
    let name = if Settings::read(root).names_linker(host) || cfg!(windows) {
        None
    } else {
        Some(OsString::from("cc"))
    };
    let state = match name {
        None => State::found("set in cargo's configuration", ""),
        Some(name) => match on_path(&name) {
            Some(path) => State::found("", path.display().to_string()),
            None => State::Missing("no `cc` on PATH".to_owned()),
        },
    };
    let remedy = "install a C compiler, such as the package `gcc` or `clang`";
    Finding::required("linker", BUILDS, state).remedy(remedy)
}

/// The target that images are compiled for on this machine.
fn target(toolchain: &Toolchain) -> Option<Finding> {
    let targets = Platform::host().ok()?.targets();
    let static_target = &targets[..1];
    let state = match toolchain
        .target(static_target)
        .or(toolchain.target(&targets))
    {
        Some(triple) => State::found(triple, ""),
        None => State::Missing(format!(
            "neither `{}` is installed",
            targets.join("` nor `")
        )),
    };
    let remedy = format!("run `rustup target add {}`", targets[0]);
    let needed_for = "`rop build` without a container engine";
    Some(Finding::optional("target", needed_for, state).remedy(remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared() {
        for (printed, is_old) in [
            ("rustc 1.88.0 (6b00bc388 2025-06-23)", true),
            ("rustc 1.89.0", false),
            ("rustc 1.90.0-nightly", false),
            ("rustc 2.0.0", false),
            ("hello", false),
            ("", false),
        ] {
            assert_eq!(is_older(printed, "1.89"), is_old, "{printed}");
        }
    }
}
