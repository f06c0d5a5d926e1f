//! Which values rustfmt leaves on one line.

use super::item::{Group, Item};
use super::{CALL_WIDTH, CHAIN_WIDTH, INDENT, width};

impl<'a> Item<'a> {
    /// Whether it fits on one line of `room` columns.
    pub(super) fn fits(&self, room: usize) -> bool {
        self.width() <= room && self.is_narrow()
    }

    /// Whether rustfmt leaves it on one line, however wide that is.
    pub(super) fn is_narrow(&self) -> bool {
        let is_long_chain = self.width() > CHAIN_WIDTH && self.steps().is_some();
        self.is_complex || (!is_long_chain && self.groups.iter().all(Group::is_narrow))
    }

    /// Whether it is a call of a function or a macro, which has less room in another call.
    fn is_nested_call(&self) -> bool {
        let is_called =
            |head: &str| head.ends_with(|c: char| c.is_alphanumeric() || "_!>".contains(c));
        self.stays_open() && self.call().is_some_and(|(head, _)| is_called(head))
    }

    /// Whether its brackets can be broken while what is around stays on the line.
    pub(super) fn stays_open(&self) -> bool {
        self.dots.is_empty()
            && self
                .call()
                .is_some_and(|(_, group)| !group.items.is_empty())
    }

    /// The value that methods are called on, and the calls, if there are several. Fields are not known here.
    pub(super) fn steps(&self) -> Option<(&'a str, Vec<&'a str>)> {
        let [first, _, ..] = self.dots[..] else {
            return None;
        };
        let ends = self.dots[1..].iter().copied().chain([self.text.len()]);
        let steps: Vec<_> = self
            .dots
            .iter()
            .zip(ends)
            .map(|(start, end)| &self.text[*start..end])
            .collect();
        let root = &self.text[..first];
        let are_calls = steps.iter().all(|step| step.ends_with(')'));
        let ends_plainly = self.text.ends_with("()");
        (are_calls && ends_plainly && root.len() > INDENT).then_some((root, steps))
    }
}

impl Group<'_> {
    fn is_narrow(&self) -> bool {
        let is_narrow = match &self.items[..] {
            [] => true,
            [item] => !item.is_nested_call() || item.width() <= CALL_WIDTH,
            _ => width(self.text) <= CALL_WIDTH,
        };
        is_narrow && self.items.iter().all(Item::is_narrow)
    }
}
