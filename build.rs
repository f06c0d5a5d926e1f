//! Packs what stands in rop itself: the templates, and the source of `rop-runtime`, which rop writes into projects.
//! Each becomes a compressed archive, which `src/template/embedded.rs` reads.

#![expect(
    clippy::disallowed_methods,
    reason = "it writes into cargo's directory for it"
)]

use std::env;
use std::error::Error;
use std::fs::{self, DirEntry, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use sha2::{Digest, Sha256};
use tar::Header;

#[path = "src/hex.rs"]
mod hex;
#[path = "src/plan/sum.rs"]
mod sum;

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// The parts of the crate that projects get. The manifest has another name in rop's own package, for
/// cargo leaves out every folder that holds a Cargo.toml.
const PARTS: [(&str, &str); 4] = [
    ("Cargo.toml", "manifest.toml"),
    ("LICENSE", "LICENSE"),
    ("README.md", "README.md"),
    ("src", "src"),
];

/// What keeps `cargo fmt` from the library: its files are rop's, and a project may format its own in another way.
const FORMAT: (&str, &str) = ("rustfmt.toml", "disable_all_formatting = true\n");

/// What stands above the library in a project. The project's own checks run `-D warnings` with whatever
/// toolchain there is, and what a newer one warns of in this crate is not the user's to fix.
const PREFACE: &str = "// What newer toolchains warn of here is for rop to fix.
#![allow(warnings, clippy::all, clippy::pedantic)]
";

/// The templates of the last release before the record, as one text.
const FORMER: &str = "2026-11-26";

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=templates");
    let templates = files(Path::new("templates"), "")?;
    pack("templates", &templates)?;
    let path = format!("src/template/former/{FORMER}.txt");
    println!("cargo::rerun-if-changed={path}");
    pack(FORMER, &texts(&fs::read_to_string(path)?))?;

    // The links in `packaged` are for `cargo package`: a checkout need not have them as links.
    let is_checkout = Path::new("runtime").is_dir();
    let source = Path::new(if is_checkout {
        "runtime"
    } else {
        "packaged/runtime"
    });
    println!("cargo::rerun-if-changed={}", source.display());
    let mut runtime = Vec::new();
    for (name, packaged) in PARTS {
        let part = source.join(if is_checkout { name } else { packaged });
        if part.exists() {
            runtime.extend(files(&part, name)?);
        }
    }
    describe(&runtime)?;
    runtime.retain(|(path, _)| !is_test(path));
    for (path, text) in &mut runtime {
        *text = without_tests(text);
        if path == "src/lib.rs" {
            text.insert_str(0, PREFACE);
        }
    }
    let (path, text) = FORMAT;
    runtime.push((path.to_owned(), text.to_owned()));
    pack("runtime", &runtime)?;
    identify(&[templates, runtime.clone()].concat());
    // Most commands need no more than this.
    let line = |(path, text): &(String, String)| format!("{} {path}\n", sum::sum(path, text));
    let index: String = runtime.iter().map(line).collect();
    Ok(fs::write(output("runtime.index")?, index)?)
}

/// Says which files projects get: releases of one version can differ in them.
fn identify(files: &[(String, String)]) {
    let mut sum = Sha256::new();
    for (path, text) in files {
        sum.update(format!("{path} {} {text}", text.len()));
    }
    let sum = hex::hex(&sum.finalize()[..8]);
    println!("cargo::rustc-env=ROP_TEMPLATES={sum}");
}

/// Says how rop is built, for `rop version --json`.
fn describe(runtime: &[(String, String)]) -> Result<()> {
    let manifest = runtime.iter().find(|(path, _)| path == "Cargo.toml");
    let mut lines = manifest.into_iter().flat_map(|(_, text)| text.lines());
    let version = lines.find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    let rustc = Command::new(env::var("RUSTC")?).arg("--version").output()?;
    let rustc = String::from_utf8(rustc.stdout)?;
    for (name, value) in [
        ("ROP_RUNTIME", version.ok_or("the runtime has no version")?),
        ("ROP_RUSTC", rustc.trim()),
        ("ROP_TARGET", &env::var("TARGET")?),
    ] {
        println!("cargo::rustc-env={name}={value}");
    }
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=ROP_COMMIT={commit}");
    }
    Ok(())
}

/// The commit that rop is built from: cargo writes it into packages, and git into a checkout. That is only read for a
/// release, because a build that depends on it runs again after every commit.
fn commit() -> Option<String> {
    let read = |path: &str| fs::read_to_string(path).ok();
    let is_commit = |text: &str| text.len() >= 40 && text.bytes().all(|c| c.is_ascii_hexdigit());
    let packaged = read(".cargo_vcs_info.json").and_then(|text| {
        let (_, rest) = text.split_once("\"sha1\": \"")?;
        Some(rest.split_once('"')?.0.to_owned())
    });
    let checked_out = || {
        if env::var("PROFILE").as_deref() != Ok("release") {
            return None;
        }
        let watched = |path: &str| {
            let text = read(path)?;
            println!("cargo::rerun-if-changed={path}");
            Some(text.trim().to_owned())
        };
        let head = watched(".git/HEAD")?;
        match head.strip_prefix("ref: ") {
            Some(branch) => watched(&format!(".git/{branch}")),
            None => Some(head),
        }
    };
    packaged
        .or_else(checked_out)
        .filter(|commit| is_commit(commit))
}

/// Path and text of a file, or of what is in a folder. Sorted, for the same source makes the same rop.
fn files(from: &Path, to: &str) -> Result<Vec<(String, String)>> {
    if !from.is_dir() {
        return Ok(vec![(to.to_owned(), fs::read_to_string(from)?)]);
    }
    let mut entries = fs::read_dir(from)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(DirEntry::file_name);
    let mut all = Vec::new();
    for entry in entries {
        let name = entry.file_name().into_string();
        let name = name.map_err(|name| format!("{} is not UTF-8", name.display()))?;
        let to = if to.is_empty() {
            name
        } else {
            format!("{to}/{name}")
        };
        all.extend(files(&entry.path(), &to)?);
    }
    Ok(all)
}

/// Path and text of each file of a text that has several: a line with `===` and the path is above each.
fn texts(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("=== ") {
            files.push((path.trim_end().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
        }
    }
    files
}

/// Whether a file of the library has tests of it alone, which run where it is developed.
fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// A source without the modules of such files.
fn without_tests(text: &str) -> String {
    let mut lines = text.split_inclusive('\n').peekable();
    let mut kept = String::new();
    while let Some(line) = lines.next() {
        let is_module = |next: &&str| next.ends_with("mod tests;\n");
        if line != "#[cfg(test)]\n" || lines.next_if(is_module).is_none() {
            kept.push_str(line);
        }
    }
    kept
}

/// Writes an archive of texts.
fn pack(name: &str, files: &[(String, String)]) -> Result<()> {
    let file = File::create(output(&format!("{name}.tar.deflate"))?)?;
    let file = DeflateEncoder::new(file, Compression::best());
    let mut archive = tar::Builder::new(file);
    for (path, text) in files {
        let mut header = Header::new_gnu();
        header.set_size(u64::try_from(text.len())?);
        archive.append_data(&mut header, path, text.as_bytes())?;
    }
    archive.into_inner()?.finish()?;
    Ok(())
}

fn output(name: &str) -> Result<PathBuf> {
    Ok(PathBuf::from(env::var("OUT_DIR")?).join(name))
}
