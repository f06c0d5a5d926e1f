use super::input::Input;
use super::report::Findings;
use super::suite::{Level, Suite};

/// A rule of bundles.
#[derive(Debug)]
pub struct Rule {
    /// Its stable name.
    pub id: &'static str,
    /// Error or warning.
    pub level: Level,
    /// The group of rules that it belongs to.
    pub suite: Suite,
    /// The rule in one sentence, as the book lists it.
    pub summary: &'static str,
    /// The fix.
    pub hint: &'static str,
    pub(super) check: fn(&Input<'_>, &mut Findings<'_>),
}

impl Rule {
    pub(super) const fn error(
        suite: Suite,
        id: &'static str,
        summary: &'static str,
        hint: &'static str,
        check: fn(&Input<'_>, &mut Findings<'_>),
    ) -> Self {
        Self {
            id,
            level: Level::Error,
            suite,
            summary,
            hint,
            check,
        }
    }

    pub(super) const fn warning(
        suite: Suite,
        id: &'static str,
        summary: &'static str,
        hint: &'static str,
        check: fn(&Input<'_>, &mut Findings<'_>),
    ) -> Self {
        Self {
            level: Level::Warning,
            ..Self::error(suite, id, summary, hint, check)
        }
    }
}
