//! What an image is made of, in the words of its labels: package, commit, time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;

use crate::cargo::metadata;
use crate::error::{Code, Error, Result};
use crate::on_path::command;

const EPOCH: &str = "SOURCE_DATE_EPOCH";

/// Where an image comes from.
#[derive(Clone, Debug)]
pub(super) struct Provenance {
    /// What cargo says of the package of the operator.
    package: Value,
    /// The directory that cargo builds into.
    pub(super) target: PathBuf,
    /// Where cargo keeps what it makes on the way, such as generated code.
    pub(super) intermediate: PathBuf,
    source: Source,
}

/// The commit and the time of an image.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The commit, with `-dirty` behind it where the sources are not those of it.
    revision: Option<String>,
    created: DateTime<Utc>,
}

impl Provenance {
    /// Asks cargo and git about the project.
    ///
    /// # Errors
    /// Cargo does not understand the project, or `SOURCE_DATE_EPOCH` is no time.
    pub(super) fn read(root: &Path, package: &str) -> Result<Self> {
        let mut metadata = metadata(root, &["--no-deps"])?;
        let target = metadata["target_directory"].as_str().map(PathBuf::from);
        let found = metadata["packages"]
            .as_array_mut()
            .and_then(|all| all.iter_mut().find(|entry| entry["name"] == package))
            .map(Value::take);
        let (Some(package), Some(target)) = (found, target) else {
            return Err(Error::new(
                Code::NoPackage,
                format!("no package `{package}` in `{}`", root.display()),
            )
            .hint("`projectName` in PROJECT must equal the package name in Cargo.toml"));
        };
        // Older than 1.91, cargo has one for both.
        let intermediate = metadata["build_directory"]
            .as_str()
            .map_or_else(|| target.clone(), PathBuf::from);
        Ok(Self {
            package,
            target,
            intermediate,
            source: Source::read(root)?,
        })
    }

    /// When the sources were what they are, as documents write it.
    pub(super) fn created(&self) -> String {
        self.source.created()
    }

    /// The same in seconds since 1970.
    pub(super) fn seconds(&self) -> i64 {
        self.source.created.timestamp()
    }

    /// What is known, under the names of the OCI image specification.
    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        let package = |field: &str| self.package[field].as_str().map(str::to_owned);
        let mut labels = self.source.labels();
        for (name, value) in [
            ("description", package("description")),
            ("documentation", package("documentation")),
            ("licenses", package("license")),
            ("source", package("repository")),
            ("title", package("name")),
            ("url", package("homepage")),
            ("version", package("version")),
        ] {
            labels.extend(value.map(|value| (label(name), value)));
        }
        labels
    }
}

impl Source {
    /// Asks git about a folder, if `SOURCE_DATE_EPOCH` does not have the time.
    ///
    /// # Errors
    /// `SOURCE_DATE_EPOCH` is no time.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let line = git(root, &["log", "-1", "--format=%H %ct"]);
        let commit = line.as_deref().and_then(|line| line.trim().split_once(' '));
        let is_dirty =
            || git(root, &["status", "--porcelain", "--", "."]).is_some_and(|all| !all.is_empty());
        let revision = commit.map(|(hash, _)| {
            if is_dirty() {
                format!("{hash}-dirty")
            } else {
                hash.to_owned()
            }
        });
        let created = time(commit.map_or("0", |(_, time)| time))?;
        Ok(Self { revision, created })
    }

    /// The source of an image that depends on its files alone: another commit gives the same image.
    ///
    /// # Errors
    /// `SOURCE_DATE_EPOCH` is no time.
    pub(super) fn of_files() -> Result<Self> {
        Ok(Self {
            revision: None,
            created: time("0")?,
        })
    }

    /// When the sources were what they are, as documents write it.
    pub(super) fn created(&self) -> String {
        self.created.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// What is known, under the names of the OCI image specification.
    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        let revision = self
            .revision
            .clone()
            .map(|revision| (label("revision"), revision));
        let created = (label("created"), self.created());
        revision.into_iter().chain([created]).collect()
    }
}

/// The time in `SOURCE_DATE_EPOCH`, or else that of `seconds` since 1970.
fn time(seconds: &str) -> Result<DateTime<Utc>> {
    let seconds = std::env::var(EPOCH).unwrap_or_else(|_| seconds.to_owned());
    seconds
        .parse()
        .ok()
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0))
        .ok_or_else(|| {
            Error::new(
                Code::InvalidTimestamp,
                format!("invalid {EPOCH} `{seconds}`: expected seconds since 1970"),
            )
            .hint("for example `date +%s` prints the current time")
        })
}

fn label(name: &str) -> String {
    format!("org.opencontainers.image.{name}")
}

/// What git says, where there is git and a repository.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = command("git")
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}
