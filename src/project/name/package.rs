use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{NameError, name, rule};

/// What is put behind the name of a project: the longest name made of it has to be a DNS label.
const LONGEST_SUFFIX: &str = "-controller-manager";

/// The name of a project, such as `app-operator`: the cargo package, the image, the prefix of
/// what is deployed and its namespace. A DNS-1035 label, since Services are named after it, and
/// pods after its Deployment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProjectName(String);
name!(ProjectName);

impl ProjectName {
    /// What a directory's name gives: lowercased, with `-` for what a label cannot hold.
    pub fn from_directory(name: &str) -> Result<Self, NameError> {
        let meant = rule::dns_like(name, false);
        meant.parse().map_err(|error: NameError| {
            error.hint("the name defaults to the directory: set another one with `--project-name`")
        })
    }

    /// The package of the API types: `app-operator-api`.
    pub fn api_package(&self) -> String {
        format!("{}-api", self.0)
    }

    /// The same as Rust code spells it.
    pub fn api_crate(&self) -> String {
        crate_name(&self.api_package())
    }
}

/// The name of a package as Rust code spells it.
pub fn crate_name(package: &str) -> String {
    package.replace('-', "_")
}

impl FromStr for ProjectName {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let error = |rule: String| {
            NameError::new("project name", value, rule).suggest::<Self>(&rule::guess(value, false))
        };
        // Before the rule of labels, which names a longer limit.
        rule::length(value, rule::LABEL_MAX - LONGEST_SUFFIX.len()).map_err(error)?;
        rule::label_1035(value).map_err(error)?;
        if let Some(reason) = taken(value) {
            return Err(NameError::new("project name", value, reason)
                .hint(format!("for example `{value}-operator`")));
        }
        Ok(Self(value.to_owned()))
    }
}

/// Why cargo would not take `name` as a package beside the dependencies of an operator.
fn taken(name: &str) -> Option<&'static str> {
    let is_dependency = crate::versions::locked_packages()
        .any(|package| package == name || package.strip_suffix("-api") == Some(name));
    if is_dependency {
        return Some("conflicts with a crate that the operator depends on");
    }
    if OTHER_PROGRAMS.contains(&name) {
        return Some("conflicts with another program of the project");
    }
    if CARGO_FOLDERS.contains(&name) {
        return Some("conflicts with a build directory of cargo");
    }
    let module = name.replace('-', "_");
    let is_word = super::rust::module(&module) != module;
    is_word.then_some("reserved by Rust, Windows or the files of a project")
}

/// Programs of a project that are not the operator.
const OTHER_PROGRAMS: [&str; 1] = ["crdgen"];

/// Folders of a target directory: cargo puts programs beside them.
const CARGO_FOLDERS: [&str; 4] = ["build", "deps", "examples", "incremental"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_labels_that_leave_room() {
        for good in ["app-operator", "op2", "my-2nd-operator-3"] {
            assert!(good.parse::<ProjectName>().is_ok(), "{good}");
        }
        assert!("a".repeat(44).parse::<ProjectName>().is_ok());
        for length in [45, 64, 300] {
            let error = "a"
                .repeat(length)
                .parse::<ProjectName>()
                .expect_err("too long");
            assert!(error.rule.contains("at most 44 characters"), "{error}");
        }
    }

    #[test]
    fn refuses_what_cargo_does_not_build() {
        for bad in [
            "kube",
            "serde",
            "test",
            "core",
            "self",
            "1st",
            "tokio",
            "",
            "build",
            "deps",
            "examples",
            "incremental",
            "crdgen",
            "con",
            "com1",
        ] {
            assert!(bad.parse::<ProjectName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn comes_from_a_directory() {
        let name = |dir| ProjectName::from_directory(dir).map(String::from);
        assert_eq!(name("App_Operator"), Ok("app-operator".into()));
        assert!(name("123").is_err());
    }
}
