//! The files of a chart as they are packed.

use std::collections::BTreeMap;

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
        let patterns = patterns(ignored.as_deref().unwrap_or_default());
        let mut files = BTreeMap::new();
        for path in view.own_files_in(folder)? {
            let inside = path
                .strip_prefix(folder)
                .unwrap_or(&path)
                .trim_start_matches('/');
            if !patterns.iter().any(|pattern| is_ignored(pattern, inside)) {
                let data = read(&view.root().join(&path)).unreadable(&path)?;
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

fn patterns(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// Whether a pattern is for a file: for a name in any folder, or with a slash for a path.
fn is_ignored(pattern: &str, path: &str) -> bool {
    let (is_for_folders, pattern) = match pattern.strip_suffix('/') {
        Some(pattern) => (true, pattern),
        None => (false, pattern),
    };
    let parts: Vec<&str> = path.split('/').collect();
    let lengths = 1..=parts.len();
    lengths
        .filter(|length| !is_for_folders || *length < parts.len())
        .any(|length| {
            if pattern.contains('/') {
                matches(pattern.trim_start_matches('/'), &parts[..length].join("/"))
            } else {
                matches(pattern, parts[length - 1])
            }
        })
}

/// Whether a text is what a pattern with `*` and `?` says. A `*` is not for a slash.
fn matches(pattern: &str, text: &str) -> bool {
    let (mut pattern_chars, mut text_chars) = (pattern.chars(), text.chars());
    match pattern_chars.next() {
        None => text.is_empty(),
        Some('*') => {
            let rest = pattern_chars.as_str();
            matches(rest, text)
                || text_chars
                    .next()
                    .is_some_and(|c| c != '/' && matches(pattern, text_chars.as_str()))
        }
        Some(expected) => {
            let next = text_chars.next();
            next.is_some_and(|c| expected == c || expected == '?' && c != '/')
                && matches(pattern_chars.as_str(), text_chars.as_str())
        }
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
        ] {
            assert_eq!(is_ignored(pattern, path), is_match, "{pattern} {path}");
        }
    }
}
