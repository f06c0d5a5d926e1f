//! The toolchain that a project names for rustup.

use std::path::Path;

use toml_edit::DocumentMut;

use crate::disk::read_text;

const FILES: [&str; 2] = ["rust-toolchain", "rust-toolchain.toml"];

/// The name of the toolchain, if a project or a folder above it names one.
///
/// # Errors
/// The project names a folder with programs, which may be its own.
pub(super) fn named(root: &Path) -> Result<Option<String>, String> {
    for folder in root.ancestors() {
        for file in FILES {
            if let Ok(text) = read_text(&folder.join(file)) {
                return channel(file, &text);
            }
        }
    }
    Ok(None)
}

fn channel(file: &str, text: &str) -> Result<Option<String>, String> {
    let Ok(document) = text.parse::<DocumentMut>() else {
        // The older form: the name alone.
        return Ok(valid(text.trim()));
    };
    let Some(toolchain) = document.get("toolchain") else {
        return Ok(None);
    };
    if toolchain.get("path").is_some() {
        return Err(format!(
            "`{file}` names a toolchain by its path: rop runs no programs that a project names"
        ));
    }
    Ok(toolchain
        .get("channel")
        .and_then(|channel| valid(channel.as_str()?)))
}

/// A name of a toolchain, which is no path.
fn valid(name: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_name =
        name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain);
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_has_a_name_and_no_path() {
        let stable = Ok(Some("stable".to_owned()));
        assert_eq!(channel("a", "[toolchain]\nchannel = \"stable\"\n"), stable);
        assert_eq!(channel("a", "stable\n"), stable);
        for text in [
            "",
            "[toolchain]\n",
            "../bin",
            "/bin",
            "[toolchain]\nchannel = \"./a\"\n",
        ] {
            assert_eq!(channel("a", text), Ok(None), "{text}");
        }
        assert!(channel("a", "[toolchain]\npath = \"/proc/self/cwd/a\"\n").is_err());
    }
}
