//! The text of a file.

use std::fmt;
use std::ops::Deref;

use super::sum::sum;

/// The text of a file: its own, or one of those that stand packed in rop.
#[derive(Clone)]
pub enum Text {
    /// Any text.
    Own(String),
    /// One that most commands need not unpack.
    Packed(Packed),
}

/// A text that stands packed in rop.
#[derive(Clone, Copy)]
pub struct Packed {
    /// Its sum, by the path of its file in the folder that is packed.
    pub sum: &'static str,
    /// Its place among those that `unpack` gives.
    pub index: usize,
    /// Unpacks it.
    pub unpack: fn(usize) -> &'static str,
}

impl Text {
    /// Its sum as that of a file at `path`.
    pub(super) fn sum(&self, path: &str) -> String {
        match self {
            Self::Own(text) => sum(path, text),
            Self::Packed(packed) => packed.sum.to_owned(),
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Own(text) => text,
            Self::Packed(packed) => (packed.unpack)(packed.index),
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Own(text)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // Few texts have one sum, and those differ in nothing that counts.
            (Self::Packed(left), Self::Packed(right)) => {
                (left.index, left.sum) == (right.index, right.sum)
            }
            _ => **self == **other,
        }
    }
}

impl Eq for Text {}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}
