use crate::olm::read::{Node, Trouble};

use super::suite::Level;

/// The most findings of one rule: a bundle that was made to have more has been judged by then.
const MOST: usize = 200;

/// The most characters of a value that a finding repeats.
const LONGEST_VALUE: usize = 200;

/// Something that breaks a rule.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The name of the rule.
    pub rule: &'static str,
    /// Error or warning.
    pub level: Level,
    /// The file, by its path in the bundle. Empty for the bundle as a whole.
    pub file: String,
    /// The line of the file, from 1.
    pub line: Option<usize>,
    /// The path of the field, such as `spec.icon[0].mediatype`. Empty for a whole file.
    pub field: String,
    /// The value of the field, if it is a text of one line, a number or a boolean.
    pub value: String,
    /// What is wrong: lowercase, without a full stop.
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

/// What was found in a bundle.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Sorted by file and line.
    pub findings: Vec<Finding>,
    /// What was not checked, and why.
    pub notes: Vec<String>,
    /// How many rules were checked.
    pub rules: usize,
}

impl Report {
    /// How many findings have a level.
    pub fn count(&self, level: Level) -> usize {
        let levels = self.findings.iter().map(|finding| finding.level);
        levels.filter(|it| *it == level).count()
    }

    /// Whether nothing keeps the bundle from being used. With `is_strict`, warnings do.
    pub fn passes(&self, is_strict: bool) -> bool {
        self.count(Level::Error) == 0 && !(is_strict && self.count(Level::Warning) > 0)
    }

    pub(super) fn sort(&mut self) {
        // Stable: on one line the rules stay in their order.
        self.findings
            .sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    }
}

/// Collects the findings of a rule.
pub(in crate::olm) struct Findings<'a> {
    rule: &'static str,
    level: Level,
    hint: &'static str,
    all: &'a mut Vec<Finding>,
    left: usize,
}

impl<'a> Findings<'a> {
    /// Those of a rule: its name, its level and its hint.
    pub(in crate::olm) fn new(
        rule: &'static str,
        level: Level,
        hint: &'static str,
        all: &'a mut Vec<Finding>,
    ) -> Self {
        Self {
            rule,
            level,
            hint,
            all,
            left: MOST,
        }
    }

    fn add(&mut self, finding: Finding) {
        if self.left > 0 {
            self.left -= 1;
            self.all.push(finding);
        }
    }

    /// Adds a finding with a field.
    pub(in crate::olm) fn at(&mut self, node: &Node<'_>, message: impl Into<String>) {
        self.at_with(node, message, self.hint);
    }

    /// The same with another hint than the rule's.
    pub(in crate::olm) fn at_with(
        &mut self,
        node: &Node<'_>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        if self.left == 0 {
            return;
        }
        let value = match node.value {
            serde_json::Value::String(text) if !text.contains('\n') => {
                text.chars().take(LONGEST_VALUE).collect()
            }
            value if value.is_number() || value.is_boolean() => value.to_string(),
            _ => String::new(),
        };
        self.add(Finding {
            rule: self.rule,
            level: self.level,
            file: node.file.to_owned(),
            line: Some(node.line),
            field: node.field.clone(),
            value,
            message: message.into(),
            hint: hint.into(),
        });
    }

    /// Adds a finding with a line in the text of a field.
    pub(in crate::olm) fn in_text(
        &mut self,
        node: &Node<'_>,
        line: usize,
        message: impl Into<String>,
    ) {
        let mut node = node.clone();
        node.line = node.line_of_text(line);
        self.at(&node, message);
    }

    /// Adds a finding with a whole file or folder.
    pub(in crate::olm) fn file(&mut self, file: &str, message: impl Into<String>) {
        self.add(Finding {
            rule: self.rule,
            level: self.level,
            file: file.to_owned(),
            line: None,
            field: String::new(),
            value: String::new(),
            message: message.into(),
            hint: self.hint.to_owned(),
        });
    }

    /// Adds what could not be read.
    pub(in crate::olm) fn trouble(&mut self, trouble: &Trouble) {
        self.add(Finding {
            rule: self.rule,
            level: self.level,
            file: trouble.file.clone(),
            line: trouble.line,
            field: trouble.field.clone(),
            value: String::new(),
            message: trouble.message.clone(),
            hint: self.hint.to_owned(),
        });
    }
}
