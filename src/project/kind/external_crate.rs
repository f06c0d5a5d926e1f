//! Crates that have the types of kinds of other operators.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::project::name::{NameError, crate_name};
use crate::reserved;

/// The dependencies of every project. A test compares them with its Cargo.toml.
pub(crate) const DEPENDENCIES: [&str; 9] = [
    "anyhow",
    "clap",
    "k8s-openapi",
    "kube",
    "rop-runtime",
    "schemars",
    "serde",
    "serde_json",
    "tokio",
];

/// The crates of Rust itself.
const OF_RUST: [&str; 5] = ["alloc", "core", "proc_macro", "std", "test"];

/// A crate and its version, as `cargo add` takes them: `name@1.2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ExternalCrate {
    name: String,
    version: String,
}

impl ExternalCrate {
    /// The name of the crate.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version, as Cargo.toml has it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Why it cannot stand beside the crates of a project with these packages.
    pub(in crate::project) fn conflict(&self, packages: &[String]) -> Option<&'static str> {
        let name = crate_name(&self.name);
        let is = |other: &str| crate_name(other) == name;
        if DEPENDENCIES.iter().any(|other| is(other)) {
            Some("the project itself depends on it")
        } else if packages.iter().any(|package| is(package)) {
            Some("it is a package of the project")
        } else if OF_RUST.contains(&&*name) {
            Some("it is a crate of the Rust distribution")
        } else {
            reserved::is_keyword(&name).then_some("it is a Rust keyword")
        }
    }
}

impl FromStr for ExternalCrate {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let error = |rule: &str| NameError {
            what: "crate",
            value: value.to_owned(),
            rule: rule.to_owned(),
            hint: Some("for example `cert-manager-types@1.2`".to_owned()),
        };
        let (name, version) = value
            .split_once('@')
            .ok_or_else(|| error("expected NAME@VERSION"))?;
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(is_letter) {
            return Err(error("invalid crate name"));
        }
        if semver::VersionReq::parse(version).is_err() {
            return Err(error("invalid version requirement"));
        }
        Ok(Self {
            name: name.to_owned(),
            version: version.to_owned(),
        })
    }
}

impl fmt::Display for ExternalCrate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.name, self.version)
    }
}

impl TryFrom<String> for ExternalCrate {
    type Error = NameError;

    fn try_from(value: String) -> Result<Self, NameError> {
        value.parse()
    }
}

impl From<ExternalCrate> for String {
    fn from(value: ExternalCrate) -> Self {
        value.to_string()
    }
}
