//! Builds programs. Cargo's messages go to the terminal as they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::on_path::command;

use super::{cargo, missing};

/// A program of a project, and how it is built.
#[derive(Debug)]
pub(crate) struct Build<'a> {
    /// The directory of the project.
    pub(crate) root: &'a Path,
    /// The packages that are selected: that of the program, and those whose features hold for what
    /// it is built from.
    pub(crate) packages: &'a [&'a str],
    /// What it is to the user.
    pub(crate) what: &'a str,
    pub(crate) program: Target<'a>,
    /// What cargo is told beside that, such as `--release`.
    pub(crate) flags: &'a [&'a str],
    /// What is set for cargo in its environment.
    pub(crate) environment: &'a [(&'a str, &'a str)],
    /// Whether cargo keeps its progress to itself.
    pub(crate) quiet: bool,
}

/// What is built, by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    /// A binary.
    Binary(&'a str),
    /// A file of tests, which is not run.
    Test(&'a str),
}

impl Target<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Binary(name) | Self::Test(name) => name,
        }
    }

    fn arguments(&self) -> Vec<&str> {
        match self {
            Self::Binary(name) => vec!["build", "--bin", name],
            Self::Test(name) => vec!["test", "--no-run", "--test", name],
        }
    }
}

/// A program that cargo built, or found built.
#[derive(Debug)]
pub(crate) struct Built {
    /// Where the program is.
    pub(crate) program: PathBuf,
    /// Whether cargo compiled nothing.
    pub(crate) is_fresh: bool,
    /// The libraries of local sources that the program was built from, by the directories of their packages.
    pub(crate) libraries: BTreeMap<PathBuf, Library>,
}

/// The library of a package.
#[derive(Debug)]
pub(crate) struct Library {
    /// The ID of the package.
    pub(crate) package: String,
    /// Where cargo keeps it. It is not copied from there, so its time is that of its build.
    pub(crate) file: PathBuf,
}

impl Build<'_> {
    /// Builds it, and gives where it is.
    ///
    /// # Errors
    /// There is no cargo, or the program does not compile: cargo has said why.
    pub(crate) fn run(&self) -> Result<PathBuf> {
        Ok(self.build()?.program)
    }

    /// Builds it, and says what was built.
    ///
    /// # Errors
    /// As [`Build::run`].
    pub(crate) fn build(&self) -> Result<Built> {
        let cargo = cargo();
        let mut command = command(&cargo);
        command
            .args(self.program.arguments())
            .args(self.packages.iter().flat_map(|name| ["--package", name]))
            .arg("--message-format=json-render-diagnostics")
            .args(self.flags)
            .envs(self.environment.iter().copied())
            .current_dir(self.root)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        if self.quiet {
            command.arg("--quiet");
        }
        let output = command.output().map_err(|error| missing(&cargo, &error))?;
        if !output.status.success() {
            let message = format!("failed to build {}: see the cargo output above", self.what);
            return Err(Error::new(Code::BuildFailed, message)
                .hint("fix the errors above and run the command again; nothing was written"));
        }
        self.built(&output.stdout).ok_or_else(|| {
            let (packages, program) = (self.packages.join("`, `"), self.program.name());
            Error::new(
                Code::NoPackage,
                format!("cargo built no program `{program}` in `{packages}`"),
            )
        })
    }

    /// What cargo's messages say.
    fn built(&self, messages: &[u8]) -> Option<Built> {
        let messages = messages
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let artifacts: Vec<Value> = messages
            .filter(|message| message["reason"] == "compiler-artifact")
            .collect();
        let libraries = artifacts.iter().filter_map(library).collect();
        let program = artifacts
            .iter()
            .filter(|artifact| artifact["target"]["name"] == self.program.name())
            .find_map(|artifact| artifact["executable"].as_str())?;
        Some(Built {
            program: program.into(),
            is_fresh: artifacts.iter().all(|artifact| artifact["fresh"] == true),
            libraries,
        })
    }
}

/// The library of local sources that a message is about, with the directory of its package.
fn library(artifact: &Value) -> Option<(PathBuf, Library)> {
    let package = artifact["package_id"].as_str()?;
    let kinds = artifact["target"]["kind"].as_array()?;
    if !package.starts_with("path+") || !kinds.iter().any(|kind| kind == "lib") {
        return None;
    }
    let folder = Path::new(artifact["manifest_path"].as_str()?).parent()?;
    let library = Library {
        package: package.to_owned(),
        file: artifact["filenames"][0].as_str()?.into(),
    };
    Some((folder.to_owned(), library))
}
