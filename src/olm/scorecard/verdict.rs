use crate::olm::validate::{Finding, Findings, Level};

use super::state::State;

/// So many findings of a test are reported.
const MOST: usize = 200;

/// What a built-in test found.
#[derive(Debug)]
pub(super) struct Verdict {
    name: &'static str,
    pub(super) findings: Vec<Finding>,
    pub(super) log: Vec<String>,
    /// Whether what it reads is malformed, so that it could not judge.
    pub(super) is_error: bool,
}

impl Verdict {
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            findings: Vec::new(),
            log: Vec::new(),
            is_error: false,
        }
    }

    /// Where findings go that fail the test.
    pub(super) fn errors(&mut self, hint: &'static str) -> Findings<'_> {
        Findings::new(self.name, Level::Error, hint, &mut self.findings)
    }

    /// Where findings go that do not.
    pub(super) fn warnings(&mut self, hint: &'static str) -> Findings<'_> {
        Findings::new(self.name, Level::Warning, hint, &mut self.findings)
    }

    pub(super) fn state(&self) -> State {
        let fails = self.findings.iter().any(|it| it.level == Level::Error);
        match (self.is_error, fails) {
            (true, _) => State::Error,
            (false, true) => State::Fail,
            (false, false) => State::Pass,
        }
    }

    /// Drops what nobody would read: errors stay before warnings.
    pub(super) fn limit(&mut self) {
        if self.findings.len() > MOST {
            let rest = self.findings.len() - MOST;
            self.findings.sort_by_key(|finding| finding.level);
            self.findings.truncate(MOST);
            self.log.push(format!("{rest} more findings are not shown"));
        }
    }
}
