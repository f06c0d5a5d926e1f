use std::path::Path;

use crate::olm::read::Bundle;
use crate::olm::validate::{Finding, Level};
use crate::ui::one_line;

use super::builtin::{BuiltIn, names};
use super::state::State;
use super::test::Test;

/// A result of a test. An image may report several.
#[derive(Clone, Debug)]
pub(crate) struct TestResult {
    pub(crate) name: String,
    pub(crate) state: State,
    pub(crate) log: String,
    pub(crate) errors: Vec<String>,
    pub(crate) suggestions: Vec<String>,
    /// The time that a test in a cluster gives.
    pub(crate) created: Option<String>,
    /// What a built-in test found, with places.
    pub(crate) findings: Vec<Finding>,
}

impl TestResult {
    /// A test that fails for one reason.
    pub(crate) fn failed(error: String, suggestion: String, log: String) -> Self {
        Self {
            name: String::new(),
            state: State::Fail,
            log,
            errors: vec![error],
            suggestions: vec![suggestion],
            created: None,
            findings: Vec::new(),
        }
    }

    /// Runs a built-in test.
    pub(crate) fn of(test: &BuiltIn, bundle: &Bundle, directory: &Path) -> Self {
        let verdict = test.run(bundle);
        let (mut errors, mut suggestions) = (Vec::new(), Vec::new());
        for finding in &verdict.findings {
            let place = place(finding, directory);
            let Finding { message, hint, .. } = finding;
            match finding.level {
                Level::Error => {
                    errors.push(format!("{place}: {message}"));
                    suggestions.push(format!("{place}: {hint}"));
                }
                Level::Warning => suggestions.push(format!("{place}: {message}: {hint}")),
            }
        }
        // Names in it may have several lines.
        let lines: Vec<_> = verdict.log.iter().map(|line| one_line(line)).collect();
        Self {
            name: test.name.to_owned(),
            state: verdict.state(),
            log: lines.join("\n"),
            errors,
            suggestions,
            created: None,
            findings: verdict.findings,
        }
    }

    /// What comes of a test that the image does not have.
    pub(crate) fn unknown(name: &str) -> Self {
        let error = match name {
            "" => "the entrypoint names no test".to_owned(),
            name => format!("`{name}` is not a built-in test"),
        };
        Self::failed(error, format!("use one of {}", names()), String::new())
    }
}

/// The file, the line and the field of a finding.
fn place(finding: &Finding, directory: &Path) -> String {
    let file = match &*finding.file {
        "" => directory.to_owned(),
        file => directory.join(file),
    };
    let line = finding.line.map(|line| format!(":{line}"));
    let field = match &*finding.field {
        "" => String::new(),
        field => format!(" {field}"),
    };
    format!("{}{}{field}", file.display(), line.unwrap_or_default())
}

/// What became of a test.
#[derive(Clone, Debug)]
pub(crate) enum Results {
    /// It ran.
    Ran(Vec<TestResult>),
    /// It did not, for this reason.
    NotRun(String),
    /// It was not to run.
    Listed,
}

/// A test, and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) test: Test,
    pub(crate) results: Results,
}

impl Item {
    /// Its results, none if it did not run.
    pub(crate) fn results(&self) -> &[TestResult] {
        match &self.results {
            Results::Ran(results) => results,
            Results::NotRun(_) | Results::Listed => &[],
        }
    }

    /// Why it did not run.
    pub(crate) fn reason(&self) -> Option<&str> {
        match &self.results {
            Results::NotRun(reason) => Some(reason),
            Results::Ran(_) | Results::Listed => None,
        }
    }

    /// Whether it ran and did not pass.
    pub(crate) fn fails(&self) -> bool {
        self.results().iter().any(|it| it.state != State::Pass)
    }
}

/// All tests that were selected, in the order of the configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) items: Vec<Item>,
}
