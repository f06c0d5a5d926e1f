use std::fmt;

/// Something that an API server refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The version of the kind, if it is one's.
    pub(crate) version: String,
    /// The field of an object, or of the CRD: `.spec.ports[*].name`.
    pub(crate) field: String,
    /// The rule, and what breaks it.
    pub(crate) rule: String,
    /// What to write in its place.
    pub(crate) hint: String,
}

impl Problem {
    /// Adds what to do.
    pub(super) fn hint(&mut self, hint: impl Into<String>) {
        self.hint = hint.into();
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            version,
            field,
            rule,
            ..
        } = self;
        let separator = if version.is_empty() { "" } else { " " };
        write!(formatter, "{version}{separator}{field}: {rule}")
    }
}

/// Collects the problems of a version, or of what is not a version's.
pub(super) struct Report<'a> {
    version: &'a str,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Report<'a> {
    pub(super) fn new(version: &'a str, problems: &'a mut Vec<Problem>) -> Self {
        Self { version, problems }
    }

    /// Adds a problem.
    pub(super) fn refuse(&mut self, field: &str, rule: impl Into<String>) -> &mut Problem {
        self.problems.push(Problem {
            version: self.version.to_owned(),
            field: if field.is_empty() { "." } else { field }.to_owned(),
            rule: rule.into(),
            hint: String::new(),
        });
        let last = self.problems.len() - 1;
        &mut self.problems[last]
    }

    /// How many problems there are.
    pub(super) fn count(&self) -> usize {
        self.problems.len()
    }
}
