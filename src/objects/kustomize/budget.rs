//! How much work a folder may be: files that are short can ask for values that double with each line.

use std::cell::Cell;

use serde_json::Value;

/// Steps: objects that are looked at, and what is copied, in bytes.
const MOST: usize = 16 << 20;

/// No value that is copied has more levels.
const DEEPEST: usize = 100;

pub(super) struct Budget {
    left: Cell<usize>,
    is_spent: Cell<bool>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self {
            left: Cell::new(MOST),
            is_spent: Cell::new(false),
        }
    }

    /// Takes steps. None if there are no more.
    pub(super) fn spend(&self, steps: usize) -> Option<()> {
        let left = self.left.get().checked_sub(steps);
        match left {
            Some(left) => self.left.set(left),
            None => self.is_spent.set(true),
        }
        left.map(drop)
    }

    /// Whether more steps were asked for than there are.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent.get()
    }

    /// Takes the steps of a copy.
    pub(super) fn spend_on(&self, value: &Value) -> Option<()> {
        self.spend_at(value, DEEPEST)
    }

    fn spend_at(&self, value: &Value, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        self.spend(size_of::<Value>())?;
        match value {
            Value::String(text) => self.spend(text.len()),
            Value::Array(items) => items.iter().try_for_each(|item| self.spend_at(item, depth)),
            Value::Object(fields) => fields.iter().try_for_each(|(name, value)| {
                self.spend(name.len())?;
                self.spend_at(value, depth)
            }),
            _ => Some(()),
        }
    }
}
