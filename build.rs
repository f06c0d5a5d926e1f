//! Gathers the source of `rop-runtime`, which rop writes into projects, for `include_dir`. It also
//! rebuilds when a template is added or removed, which `include_dir` alone does not see.

#![expect(
    clippy::disallowed_methods,
    reason = "it writes into cargo's folder for it"
)]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// The parts of the crate that projects get. The manifest has another name in rop's own package, for
/// cargo leaves out every folder that holds a Cargo.toml.
const PARTS: [(&str, &str); 3] = [
    ("Cargo.toml", "manifest.toml"),
    ("README.md", "README.md"),
    ("src", "src"),
];

/// What stands above the library in a project. The project's own checks run `-D warnings` with whatever
/// toolchain there is, and what a newer one warns of in this crate is not the user's to fix.
const PREFACE: &str = "// What newer toolchains warn of here is for rop to fix.
#![allow(warnings, clippy::all, clippy::pedantic)]
";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=templates");
    // The links in `packaged` are for `cargo package`: a checkout need not have them as links.
    let is_checkout = Path::new("runtime").is_dir();
    let source = Path::new(if is_checkout {
        "runtime"
    } else {
        "packaged/runtime"
    });
    println!("cargo::rerun-if-changed={}", source.display());
    let target = PathBuf::from(std::env::var("OUT_DIR")?).join("runtime");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    fs::create_dir_all(&target)?;
    for (name, packaged) in PARTS {
        let part = source.join(if is_checkout { name } else { packaged });
        if part.exists() {
            copy(&part, &target.join(name))?;
        }
    }
    let library = target.join("src/lib.rs");
    let text = fs::read_to_string(&library)?;
    fs::write(library, [PREFACE, &text].concat())?;
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(drop);
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
