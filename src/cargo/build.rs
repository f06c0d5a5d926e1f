//! Builds programs. Cargo's messages go to the terminal as they are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::error::{Error, Result};

use super::cargo;

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

impl Build<'_> {
    /// Builds it, and gives where it is.
    ///
    /// # Errors
    /// There is no cargo, or the program does not compile: cargo has said why.
    pub(crate) fn run(&self) -> Result<PathBuf> {
        let cargo = cargo();
        let mut command = Command::new(&cargo);
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
        let output = command.output().map_err(|e| {
            Error::new(e)
                .context(format!("failed to run `{}`", Path::new(&cargo).display()))
                .hint("install Rust, which brings cargo, and put it on PATH")
        })?;
        if !output.status.success() {
            let message = format!(
                "failed to build {}: see the messages of cargo above",
                self.what
            );
            return Err(Error::new(message)
                .hint("fix the errors above and run the command again; nothing was written"));
        }
        self.executable(&output.stdout).ok_or_else(|| {
            let (packages, program) = (self.packages.join("`, `"), self.program.name());
            Error::new(format!("cargo built no `{program}` in `{packages}`"))
        })
    }

    /// The program in cargo's messages.
    fn executable(&self, messages: &[u8]) -> Option<PathBuf> {
        messages
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
            .filter(|message| message["target"]["name"] == self.program.name())
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
    }
}
