//! The files of a chart as they are packed.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::disk::{View, read};
use crate::error::{Code, Context, Error, Result};
use crate::yaml;

use super::ignore::Ignored;

/// The file that names a chart and its version.
pub(super) const METADATA: &str = "Chart.yaml";

/// The file that lists what no package has.
pub(super) const IGNORE: &str = ".helmignore";

/// A chart to pack.
#[derive(Debug)]
pub struct Package {
    /// What `Chart.yaml` says.
    pub metadata: Value,
    /// `name` in `Chart.yaml`, checked.
    pub name: String,
    /// `version` in `Chart.yaml`, checked to be semantic.
    pub version: String,
    /// Its files, by their paths in the chart.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Package {
    /// Reads the chart in a folder of a project.
    ///
    /// # Errors
    /// A file cannot be read, or `Chart.yaml` has no name or no version.
    pub fn read(view: &View, folder: &str) -> Result<Self> {
        let path = format!("{folder}/{METADATA}");
        let text = view.read_own(&path)?.ok_or_else(|| {
            Error::new(Code::MalformedFile, format!("`{path}` is missing"))
                .hint("restore it: it has the name and the version of the chart")
        })?;
        let metadata: Value = yaml::from_str(&text)
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
        for dependency in metadata["dependencies"].as_array().into_iter().flatten() {
            let dependency = dependency["name"].as_str().unwrap_or_default();
            if !has_chart(view, folder, dependency)? {
                let message = format!(
                    "`{path}` lists the dependency `{dependency}`, which is not in `{folder}/charts`"
                );
                return Err(Error::new(Code::MalformedFile, message)
                    .hint(format!("run `helm dependency update {folder}`")));
            }
        }
        if !(metadata["appVersion"].is_null() || metadata["appVersion"].is_string()) {
            let message = format!("`appVersion` in `{path}` is not a text");
            return Err(Error::new(Code::MalformedFile, message)
                .hint("put it in quotes, such as `appVersion: \"1.0\"`"));
        }
        let ignored = view.read_own(&format!("{folder}/{IGNORE}"))?;
        let ignored = Ignored::parse(ignored.as_deref().unwrap_or_default())
            .map_err(|error| error.context(format!("failed to read `{folder}/{IGNORE}`")))?;
        for needed in [METADATA, super::VALUES] {
            if let Some(line) = ignored.line_against(needed) {
                let message = format!(
                    "`{line}` in `{folder}/{IGNORE}` leaves out `{needed}`, without which Helm refuses the chart"
                );
                return Err(Error::new(Code::MalformedFile, message)
                    .hint("remove the line, or write a pattern that does not match the file"));
            }
        }
        let mut files = BTreeMap::new();
        let chart = view.own(folder)?;
        for file in view.own_files_in(folder)? {
            let inside = file
                .strip_prefix(folder)
                .unwrap_or(&file)
                .trim_start_matches('/');
            if !ignored.has(inside) {
                let target = view.own(&file)?;
                if !target.starts_with(&chart) {
                    // Such as the token in `.git/config`.
                    let message = format!(
                        "`{file}` points out of the chart: only files of the chart are packed"
                    );
                    return Err(Error::new(Code::OutsideProject, message)
                        .hint("replace the link with a copy of its target"));
                }
                let data = read(&target).unreadable(&file)?;
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

/// Whether a chart has another one that it depends on: a folder, or an archive.
fn has_chart(view: &View, folder: &str, name: &str) -> Result<bool> {
    let charts = format!("{folder}/charts/");
    for path in view.own_files_in(charts.trim_end_matches('/'))? {
        let inside = path.strip_prefix(&charts).unwrap_or(&path);
        let is_found = match inside.split_once('/') {
            None => {
                let version = inside
                    .strip_suffix(".tgz")
                    .and_then(|file| file.strip_prefix(name)?.strip_prefix('-'));
                version.is_some_and(|version| semver::Version::parse(version).is_ok())
            }
            Some((_, METADATA)) => {
                let text = view.read_own(&path)?.unwrap_or_default();
                let metadata: Value = yaml::from_str(&text).unwrap_or_default();
                metadata["name"] == name
            }
            Some(_) => false,
        };
        if is_found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A field of `Chart.yaml` that becomes part of the name of a file.
fn word(metadata: &Value, field: &str, path: &str) -> Result<String> {
    let Some(value) = metadata[field].as_str() else {
        let message = format!("`{path}` has no text in `{field}`");
        let hint = "write both as text: `name: app-operator` and `version: 0.1.0`";
        return Err(Error::new(Code::MalformedFile, message).hint(hint));
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    if value.is_empty() || value.starts_with('.') || !value.chars().all(is_plain) {
        let message = format!(
            "invalid `{field}` in `{path}`: only letters, digits, `-`, `_`, `.` and `+` are allowed"
        );
        return Err(Error::new(Code::MalformedFile, message).hint("fix the field"));
    }
    Ok(value.to_owned())
}
