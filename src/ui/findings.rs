//! Findings of a check: a list that the command was asked for.

use anstream::AutoStream;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::{CHANGED, ERROR, NOTE, Piece, Ui, Verbosity, escape, shown};
use crate::error::{Code, Context, Result};

/// Something that breaks a rule.
#[derive(Clone, Debug)]
pub(crate) struct Issue {
    pub(crate) is_error: bool,
    /// The name of the rule.
    pub(crate) rule: &'static str,
    pub(crate) message: String,
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: Option<usize>,
    /// Empty for a whole file.
    pub(crate) field: String,
    pub(crate) hint: String,
}

impl Ui {
    /// Prints findings, with an empty line between those of two files.
    pub(crate) fn issues(&self, issues: &[Issue]) -> Result<()> {
        let files: Vec<String> = issues
            .chunk_by(|issue, next| issue.file == next.file)
            .map(|issues| issues.iter().map(issue).collect())
            .collect();
        let stdout = AutoStream::new(std::io::stdout(), self.color);
        self.print(stdout.lock(), &files.join("\n"))
    }

    /// Reports findings of a command that was asked for something else.
    pub(crate) fn report_issues(&self, issues: &[Issue]) {
        for found in issues {
            let from = if found.is_error {
                Verbosity::Quiet
            } else {
                Verbosity::Normal
            };
            self.message(from, &[Piece::Shown(issue(found).trim_end())]);
        }
    }

    /// Prints JSON that the command was asked for, with four spaces a level.
    pub(crate) fn wide_json(&self, value: &Value) -> Result<()> {
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(b"    ");
        value
            .serialize(&mut Serializer::with_formatter(&mut bytes, formatter))
            .context(Code::SystemError, || "failed to write JSON")?;
        let text = format!("{}\n", String::from_utf8_lossy(&bytes));
        self.print(std::io::stdout().lock(), &escape::json(&text))
    }
}

/// The message, the place and the hint of a finding, a line each.
fn issue(issue: &Issue) -> String {
    let (style, level) = if issue.is_error {
        (ERROR, "error")
    } else {
        (CHANGED, "warning")
    };
    let line = issue.line.map(|line| format!(":{line}"));
    let place = format!("{}{}", issue.file, line.unwrap_or_default());
    let mut pieces = vec![
        Piece::Finding(style, level, issue.rule),
        Piece::Own(": "),
        Piece::Line(&issue.message),
        Piece::Own("\n  "),
        Piece::Styled(NOTE, "-->"),
        Piece::Own(" "),
        Piece::Line(&place),
    ];
    if !issue.field.is_empty() {
        pieces.extend([Piece::Own(" "), Piece::Line(&issue.field)]);
    }
    pieces.extend([
        Piece::Own("\n  "),
        Piece::Styled(NOTE, "hint"),
        Piece::Own(": "),
        Piece::Line(&issue.hint),
        Piece::Own("\n"),
    ]);
    shown(&pieces)
}
