//! What is wrong with markers, and how all of it is told at once.

use crate::error::{Code, Error};

/// So many problems are listed.
const LISTED: usize = 100;

/// What is wrong with a marker, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::manifest) struct Diagnostic {
    pub(in crate::manifest) message: String,
    pub(in crate::manifest) hint: Option<String>,
}

impl Diagnostic {
    pub(in crate::manifest) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    pub(in crate::manifest) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// A [`Diagnostic`] and where it is. In the order in which they are told.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::manifest) struct LocatedDiagnostic {
    path: String,
    line: usize,
    message: String,
    hint: Option<String>,
}

impl LocatedDiagnostic {
    pub(in crate::manifest) fn new(path: &str, line: usize, diagnostic: Diagnostic) -> Self {
        Self {
            path: path.to_owned(),
            line,
            message: diagnostic.message,
            hint: diagnostic.hint,
        }
    }

    fn text(&self) -> String {
        format!("{}:{}: {}", self.path, self.line, self.message)
    }
}

/// All problems of markers in one error: a hint stands beside each where there are several.
pub(in crate::manifest) fn error(markers: &str, mut problems: Vec<LocatedDiagnostic>) -> Error {
    problems.sort();
    problems.dedup();
    if let [problem] = problems.as_slice() {
        let error = Error::new(Code::InvalidMarker, problem.text());
        return match &problem.hint {
            Some(hint) => error.hint(hint),
            None => error,
        };
    }
    let more = match problems.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    let lines: String = problems
        .iter()
        .take(LISTED)
        .map(|problem| match &problem.hint {
            Some(hint) => format!("\n  {} ({hint})", problem.text()),
            None => format!("\n  {}", problem.text()),
        })
        .collect();
    Error::new(
        Code::InvalidMarker,
        format!(
            "the {markers} markers have {} problems:{lines}{more}",
            problems.len()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: usize, message: &str, hint: Option<&str>) -> LocatedDiagnostic {
        let mut diagnostic = Diagnostic::new(message);
        diagnostic.hint = hint.map(str::to_owned);
        LocatedDiagnostic::new("src/a.rs", line, diagnostic)
    }

    #[test]
    fn one_problem_is_the_error() {
        let error = error("RBAC", vec![problem(7, "wrong", Some("do right"))]);
        assert_eq!(error.chain().collect::<Vec<_>>(), ["src/a.rs:7: wrong"]);
        assert_eq!(error.hints(), ["do right"]);
    }

    #[test]
    fn a_hundred_are_listed() {
        let problems = (0..5000).map(|line| problem(line, "bad", None)).collect();
        let error = error("RBAC", problems);
        let text: String = error.chain().collect();
        assert_eq!(text.lines().count(), 102);
        assert!(
            text.ends_with("src/a.rs:99: bad\n  and 4900 more"),
            "{text}"
        );
    }

    #[test]
    fn the_same_is_told_once() {
        let error = error(
            "RBAC",
            vec![problem(7, "wrong", None), problem(7, "wrong", None)],
        );
        assert_eq!(error.chain().collect::<Vec<_>>(), ["src/a.rs:7: wrong"]);
    }

    #[test]
    fn several_are_listed_in_the_order_of_the_source() {
        let error = error(
            "RBAC",
            vec![
                problem(11, "worse", Some("fix it")),
                problem(2, "bad", None),
            ],
        );
        assert_eq!(
            error.chain().collect::<Vec<_>>(),
            ["the RBAC markers have 2 problems:\n  \
              src/a.rs:2: bad\n  src/a.rs:11: worse (fix it)"]
        );
    }
}
