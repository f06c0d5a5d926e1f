//! Which places in a project rop writes to.

use std::ffi::OsStr;
use std::path::{Component, Path};

use super::pending;

/// The folders of version control: a program that is found in them runs, and no clone brings them.
const VERSION_CONTROL: [&str; 6] = [".git", ".hg", ".svn", ".jj", ".sl", ".bzr"];

/// Whether a path is one that rop would write: below the project, and nothing of version control or
/// of a commit that is under way.
pub(crate) fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    let is_named = |part| matches!(part, Component::Normal(name) if !is_reserved(name));
    // Each place has one path: files are found by it.
    let is_normal = path.split('/').all(|part| !part.is_empty() && part != ".");
    is_normal && !path.contains(['\\', '\0']) && parts.all(is_named)
}

/// Why rop does not write to a place in the project to which links at a path lead.
///
/// A clone can bring links, but not what is in `.git`: so a link may not lead to where a clone alone
/// could not write. Nor may it lead into a folder with a dot, such as `.cargo` or `.vscode`, unless the
/// path names that folder: they hold settings, among them programs to run.
pub(super) fn refusal(path: &Path, resolved: &Path) -> Option<String> {
    let named = |name: &OsStr| path.components().any(|part| part.as_os_str() == name);
    let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let refused = |name: &&OsStr| is_reserved(name) || is_hidden(name) && !named(name);
    let name = resolved.iter().find(refused)?.display();
    Some(if path == resolved {
        format!("is in `{name}`, where rop does not write")
    } else {
        format!("is behind a link into `{name}`, where rop does not write")
    })
}

/// The folder of version control that a path leads through.
pub(crate) fn reserved(path: &Path) -> Option<&OsStr> {
    path.iter().find(|name| is_reserved(name))
}

/// Whether a folder is one that no file of a project is in, where the file system may not tell cases
/// apart.
fn is_reserved(name: &OsStr) -> bool {
    let is_version_control = VERSION_CONTROL
        .iter()
        .any(|folder| name.eq_ignore_ascii_case(folder));
    is_version_control || pending::is_folder(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_project_are_written() {
        for good in [
            "a",
            "src/main.rs",
            ".github/workflows/ci.yml",
            "..a",
            ".gitignore",
        ] {
            assert!(is_inside(good), "{good}");
            assert_eq!(refusal(Path::new(good), Path::new(good)), None);
        }
        for bad in [
            "",
            "/etc/passwd",
            "..",
            "../a",
            "a/../../b",
            "a/..",
            ".git/hooks/pre-commit",
            "sub/.GIT/config",
            ".jj/repo/config.toml",
            ".rop-pending/0",
            "a\\..\\b",
        ] {
            assert!(!is_inside(bad), "{bad}");
        }
    }

    #[test]
    fn a_link_leads_to_no_settings() {
        for (path, resolved, is_fine) in [
            ("src/lib.rs", "code/lib.rs", true),
            (".github/a", ".github/b", true),
            ("g/hooks/pre-commit", ".git/hooks/pre-commit", false),
            ("g/config", "sub/.hg/hgrc", false),
            ("g/config.toml", ".cargo/config.toml", false),
            (".github/x", ".git/x", false),
            ("a", ".bashrc", false),
        ] {
            let refusal = refusal(Path::new(path), Path::new(resolved));
            assert_eq!(refusal.is_none(), is_fine, "{path}: {refusal:?}");
        }
    }
}
