use super::expression::Expression;
use super::functions::reading;
use super::kind::{Kind, Typed};

/// Type and maximum cost of an expression.
#[derive(Clone, Debug)]
pub(super) struct Checked<'a> {
    pub(super) typed: Typed<'a>,
    pub(super) cost: u64,
}

impl<'a> Checked<'a> {
    pub(super) fn new(kind: Kind<'a>, size: u64, cost: u64) -> Self {
        Self {
            typed: Typed::new(kind, size),
            cost,
        }
    }
}

/// Checks expressions.
pub(super) trait Check<'a> {
    /// Checks an expression, and says what makes it wrong.
    fn check(&mut self, expression: &Expression) -> Result<Checked<'a>, String>;

    /// Checks an expression in which a few more variables are known.
    fn with(
        &mut self,
        variables: Vec<(String, Typed<'a>)>,
        expression: &Expression,
    ) -> Result<Checked<'a>, String>;
}

/// What reading the smaller of two values costs.
pub(super) fn comparing(left: &Typed<'_>, right: &Typed<'_>) -> u64 {
    reading(left.size.min(right.size))
}
