use std::fmt;
use std::str::FromStr;

use semver::VersionReq;
use serde::{Deserialize, Serialize};
use toml_edit::{DocumentMut, InlineTable, Item, Value};

use super::Project;
use super::name::NameError;
use crate::disk::{View, read_text, without_dots};
use crate::error::{Code, Error};
use crate::hidden::is_hidden;

/// The package of the runtime.
const PACKAGE: &str = "rop-runtime";

/// Keys of a dependency that say where it comes from.
const SOURCE: [&str; 8] = [
    "branch", "git", "package", "path", "registry", "rev", "tag", "version",
];

/// Where a project has the crate `rop-runtime` from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Runtime {
    /// Its source stands in the project, as a member of the workspace: rop's.
    #[default]
    Vendored,
    /// A release, as Cargo.toml requires one.
    Version(String),
    /// A folder, seen from the project.
    Path(String),
    /// A git repository.
    Git {
        /// Its address.
        url: String,
        /// A commit, tag or branch.
        rev: Option<String>,
    },
}

impl Runtime {
    /// The folder of the project that has the vendored source.
    pub const FOLDER: &str = "runtime";

    /// The folder of the project that has its source, whoever's that is.
    pub fn folder(&self) -> Option<&str> {
        match self {
            Self::Vendored => Some(Self::FOLDER),
            Self::Path(path) if !is_outside(path) => Some(path),
            _ => None,
        }
    }

    /// The folder that has its source, where that is no folder of the project.
    pub fn folder_outside(&self) -> Option<&str> {
        match self {
            Self::Path(path) if is_outside(path) => Some(path),
            _ => None,
        }
    }

    /// The dependency in Cargo.toml.
    pub(crate) fn dependency(&self) -> InlineTable {
        let pairs: Vec<(&str, &str)> = match self {
            Self::Vendored => vec![("path", Self::FOLDER)],
            Self::Version(version) => vec![("version", version)],
            Self::Path(path) => vec![("path", path)],
            Self::Git { url, rev: None } => vec![("git", url)],
            Self::Git {
                url,
                rev: Some(rev),
            } => vec![("git", url), ("rev", rev)],
        };
        pairs.into_iter().collect()
    }

    /// The source that a Cargo.toml names, where it is one that this type can say.
    pub(crate) fn in_manifest(text: &str) -> Option<Self> {
        let manifest: DocumentMut = text.parse().ok()?;
        let workspace = manifest.get("workspace")?;
        let dependency = workspace.get("dependencies")?.get(PACKAGE)?;
        let field = |key: &str| dependency.get(key)?.as_str().map(str::to_owned);
        let found = match (field("path"), field("git")) {
            (Some(path), None) if path == Self::FOLDER && has_member(workspace) => Self::Vendored,
            (Some(path), None) => Self::Path(path),
            (None, Some(url)) => Self::Git {
                url,
                rev: field("rev"),
            },
            _ => Self::Version(
                dependency
                    .as_str()
                    .map(str::to_owned)
                    .or(field("version"))?,
            ),
        };
        let known = found.dependency();
        let has_more = |key: &str| SOURCE.contains(&key) && !known.contains_key(key);
        let is_other = dependency
            .as_table_like()
            .is_some_and(|table| table.iter().any(|(key, _)| has_more(key)));
        (!is_other).then_some(found)
    }

    /// Checks that a folder has the package.
    ///
    /// # Errors
    /// The folder does not have it.
    pub(crate) fn check_folder(&self, view: &View) -> Result<(), Error> {
        let Self::Path(path) = self else {
            return Ok(());
        };
        // The directory of a new project need not exist.
        let manifest = without_dots(&view.root().join(path)).join("Cargo.toml");
        let text = read_text(&manifest).unwrap_or_default();
        let manifest = text.parse::<DocumentMut>().unwrap_or_default();
        let package = manifest
            .get("package")
            .and_then(|package| package.get("name"));
        if package.and_then(Item::as_str) == Some(PACKAGE) {
            return Ok(());
        }
        let message =
            format!("invalid runtime `{self}`: `{path}` does not have the package `{PACKAGE}`");
        let error = Error::new(Code::InvalidName, message);
        Err(error.hint("name the directory that has the package's Cargo.toml"))
    }

    pub(crate) fn is_vendored(&self) -> bool {
        *self == Self::Vendored
    }
}

/// Whether a workspace has the vendored folder among its members.
fn has_member(workspace: &Item) -> bool {
    let mut members = workspace
        .get("members")
        .and_then(Item::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    members.any(|member| member == Runtime::FOLDER)
}

/// Whether a path leads out of the project that it is seen from.
fn is_outside(path: &str) -> bool {
    let mut depth = 0;
    let is_absolute = path.starts_with(['/', '\\']) || path.get(1..2) == Some(":");
    is_absolute
        || path.split(['/', '\\']).any(|part| {
            match part {
                "" | "." => {}
                ".." => depth -= 1,
                _ => depth += 1,
            }
            depth < 0
        })
}

/// Whether a path says the same in a Dockerfile and in patterns of files.
fn is_plain(path: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-/\\".contains(c);
    !path.starts_with('-') && path.chars().all(is_plain)
}

impl Project {
    /// The project as its Cargo.toml has it, whose text is `manifest`: PROJECT may name another
    /// runtime since.
    #[must_use]
    pub fn as_built(&self, manifest: &str) -> Self {
        let runtime = Runtime::in_manifest(manifest);
        Self {
            runtime: runtime.unwrap_or_else(|| self.runtime.clone()),
            ..self.clone()
        }
    }
}

impl FromStr for Runtime {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let error = |rule: &str| NameError {
            what: "runtime",
            value: value.to_owned(),
            rule: rule.to_owned(),
            hint: None,
        };
        let is_text = |text: &str| !text.is_empty() && !text.contains(is_hidden);
        match value.split_once(':') {
            None if value == "vendored" => Ok(Self::Vendored),
            Some(("path", path)) if is_text(path) && !is_outside(path) && !is_plain(path) => {
                Err(error(
                    "a path in the project must have only letters, digits, `.`, `-`, `_` and `/`",
                ))
            }
            Some(("path", path)) if is_text(path) => Ok(Self::Path(path.to_owned())),
            Some(("path", _)) => Err(error("expected a directory after `path:`")),
            Some(("git", address)) => git(address).map_err(error),
            _ => match value.parse::<VersionReq>() {
                Ok(version) if version != VersionReq::STAR => Ok(Self::Version(value.to_owned())),
                _ => Err(NameError {
                    hint: meant(value).map(|meant| format!("did you mean `{meant}`?")),
                    ..error(
                        "expected `vendored`, a version such as `0.1`, `path:DIR` or `git:URL[#REV]`",
                    )
                }),
            },
        }
    }
}

/// A git address, of which the form is checked.
fn git(address: &str) -> Result<Runtime, &'static str> {
    let (url, rev) = match address.split_once('#') {
        Some((url, rev)) => (url, Some(rev)),
        None => (address, None),
    };
    let is_space = |c: char| c.is_whitespace() || is_hidden(c);
    let is_word = |text: &str| !text.is_empty() && !text.contains(is_space);
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let is_known = ["https", "http", "ssh", "git", "file"].contains(&scheme);
    if !is_known || !is_word(rest) {
        return Err("expected a URL after `git:`, such as `https://example.com/runtime`");
    }
    if rev.is_some_and(|rev| !is_word(rev)) {
        return Err("expected a commit, tag or branch after `#`");
    }
    Ok(Runtime::Git {
        url: url.to_owned(),
        rev: rev.map(str::to_owned),
    })
}

/// What was probably meant.
fn meant(value: &str) -> Option<String> {
    if value.starts_with(['.', '/']) {
        return Some(format!("path:{value}"));
    }
    value.contains("://").then(|| format!("git:{value}"))
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vendored => f.write_str("vendored"),
            Self::Version(version) => f.write_str(version),
            Self::Path(path) => write!(f, "path:{path}"),
            Self::Git { url, rev: None } => write!(f, "git:{url}"),
            Self::Git {
                url,
                rev: Some(rev),
            } => write!(f, "git:{url}#{rev}"),
        }
    }
}

impl TryFrom<String> for Runtime {
    type Error = NameError;

    fn try_from(value: String) -> Result<Self, NameError> {
        value.parse()
    }
}

impl From<Runtime> for String {
    fn from(runtime: Runtime) -> Self {
        runtime.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for text in [
            "vendored",
            "0.1",
            "=0.1.3",
            "path:../../runtime",
            "git:https://example.com/runtime",
            "git:ssh://git@example.com/runtime#v0.1.0",
        ] {
            let runtime: Runtime = text.parse().expect(text);
            assert_eq!(runtime.to_string(), text);
            let manifest = format!(
                "[workspace]\nmembers = [\"runtime\"]\n[workspace.dependencies]\nrop-runtime = {}\n",
                runtime.dependency()
            );
            assert_eq!(Runtime::in_manifest(&manifest), Some(runtime), "{manifest}");
        }
    }

    #[test]
    fn refuses_what_cargo_cannot_take() {
        for bad in [
            "",
            "*",
            "latest",
            "path:",
            "path:a b",
            "path:--from=example",
            "path:vendored/$(x)",
            "git:",
            "git:x",
            "git:git@example.com:a/b",
            "git:https://a b",
            "git:https://a#",
            "git:https://a\u{202e}",
            "path:../a\u{1b}b",
            "../runtime",
        ] {
            assert!(bad.parse::<Runtime>().is_err(), "{bad}");
        }
    }

    #[test]
    fn leaves_alone_what_it_cannot_say() {
        for dependency in [
            "{ git = \"https://a\", branch = \"b\" }",
            "{ features = [] }",
            "1",
        ] {
            let manifest = format!("[workspace.dependencies]\nrop-runtime = {dependency}\n");
            assert_eq!(Runtime::in_manifest(&manifest), None, "{manifest}");
        }
    }

    #[test]
    fn knows_which_folders_are_in_the_project() {
        for (path, inside) in [
            ("runtime", true),
            ("./a/../b", true),
            ("a/../../b", false),
            ("../b", false),
            ("/a", false),
            ("C:\\a", false),
        ] {
            assert_eq!(
                Runtime::Path(path.into()).folder().is_some(),
                inside,
                "{path}"
            );
        }
    }
}
