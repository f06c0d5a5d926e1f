//! The files of a chart as they are packed.

use std::collections::BTreeMap;

use regex::Regex;
use serde_json::Value;

use crate::disk::{View, read};
use crate::error::{Code, Context, Error, Result};
use crate::yaml;

/// The file that names a chart and its version.
const METADATA: &str = "Chart.yaml";

/// The file that lists what no package has.
const IGNORE: &str = ".helmignore";

/// A chart to pack.
#[derive(Debug)]
pub struct Package {
    /// What `Chart.yaml` says.
    pub metadata: Value,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its files, by their paths in the chart.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Package {
    /// Reads the chart in a folder of a project. The version of the operator replaces the one in `Chart.yaml`.
    ///
    /// # Errors
    /// A file cannot be read, or `Chart.yaml` has no name or no version.
    pub fn read(view: &View, folder: &str, app_version: Option<&str>) -> Result<Self> {
        let path = format!("{folder}/{METADATA}");
        let text = view.read_own(&path)?.unwrap_or_default();
        let mut metadata: Value = yaml::from_str(&text)
            .context(Code::MalformedFile, || format!("`{path}` is not YAML"))?;
        let name = word(&metadata, "name", &path)?;
        let version = word(&metadata, "version", &path)?;
        semver::Version::parse(&version).map_err(|error| {
            Error::new(
                Code::MalformedFile,
                format!("invalid version `{version}` in `{path}`: {error}"),
            )
            .hint("use a semantic version such as `1.2.3`")
        })?;
        if let Some(app_version) = app_version {
            metadata["appVersion"] = app_version.into();
        }
        let ignored = view.read_own(&format!("{folder}/{IGNORE}"))?;
        let patterns = patterns(ignored.as_deref().unwrap_or_default())?;
        let mut files = BTreeMap::new();
        for path in view.own_files_in(folder)? {
            let inside = path
                .strip_prefix(folder)
                .unwrap_or(&path)
                .trim_start_matches('/');
            if !patterns.iter().any(|pattern| pattern.ignores(inside)) {
                let data = read(&view.own(&path)?).unreadable(&path)?;
                files.insert(inside.to_owned(), data);
            }
        }
        files.insert(
            METADATA.to_owned(),
            yaml::to_string(&metadata)?.into_bytes(),
        );
        Ok(Self {
            metadata,
            name,
            version,
            files,
        })
    }
}

/// A field of `Chart.yaml` that becomes part of the name of a file.
fn word(metadata: &Value, field: &str, path: &str) -> Result<String> {
    let value = metadata[field].as_str().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    if value.is_empty() || value.starts_with('.') || !value.chars().all(is_plain) {
        let message = format!(
            "invalid `{field}` in `{path}`: only letters, digits, `-`, `_`, `.` and `+` are allowed"
        );
        return Err(Error::new(Code::MalformedFile, message).hint("fix the field"));
    }
    Ok(value.to_owned())
}

/// What a file of patterns leaves out.
fn patterns(text: &str) -> Result<Vec<Pattern>> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(Pattern::new)
        .collect()
}

/// A pattern with `*` and `?`, neither of which is for a slash.
struct Pattern {
    /// Whether it is for a path; else it is for a name in any folder.
    is_path: bool,
    is_for_folders: bool,
    regex: Regex,
}

impl Pattern {
    fn new(text: &str) -> Result<Self> {
        let (is_for_folders, name) = match text.strip_suffix('/') {
            Some(name) => (true, name),
            None => (false, text),
        };
        let escaped = regex::escape(name.trim_start_matches('/'));
        let escaped = escaped.replace("\\*", "[^/]*").replace("\\?", "[^/]");
        let regex = Regex::new(&format!("^{escaped}$"));
        let regex = regex.context(Code::MalformedFile, || {
            format!("the pattern `{text}` in `{IGNORE}` is too large")
        })?;
        Ok(Self {
            is_path: name.contains('/'),
            is_for_folders,
            regex,
        })
    }

    /// Whether it leaves out a file, or a folder around it.
    fn ignores(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let lengths = 1..=parts.len();
        lengths
            .filter(|length| !self.is_for_folders || *length < parts.len())
            .any(|length| {
                if self.is_path {
                    self.regex.is_match(&parts[..length].join("/"))
                } else {
                    self.regex.is_match(parts[length - 1])
                }
            })
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_for_names_and_paths() {
        for (pattern, path, is_match) in [
            ("*.bak", "templates/a.bak", true),
            ("*.bak", "templates/a.yaml", false),
            (".git/", ".git/config", true),
            (".git/", ".git", false),
            ("/ci/*.yaml", "ci/a.yaml", true),
            ("/ci/*.yaml", "ci/b/a.yaml", false),
            ("ci", "ci/a.yaml", true),
            ("?~", "a/b~", true),
            (".*", "a/.b", true),
            (".*", "a/b", false),
            // One star after the other would take for ever.
            (&format!("{}b", "*a".repeat(40)), &"a".repeat(200), false),
        ] {
            let pattern = Pattern::new(pattern).expect(pattern);
            assert_eq!(pattern.ignores(path), is_match, "{} {path}", pattern.regex);
        }
    }
}
