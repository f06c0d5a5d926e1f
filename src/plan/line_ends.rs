//! A text with the line ends that a file has.

use crate::error::Result;

use super::Change;
use super::decision::Decision;

/// How the lines of a file end: a checkout may have brought those of another system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnds {
    Lf,
    CrLf,
}

impl LineEnds {
    /// Those of a text: all of them, or it is left as it is.
    pub(super) fn of(text: &str) -> Self {
        // Most texts have no other end than a line feed.
        if !text.as_bytes().contains(&b'\r') {
            return Self::Lf;
        }
        let lines = text.matches('\n').count();
        if lines > 0 && text.matches("\r\n").count() == lines {
            Self::CrLf
        } else {
            Self::Lf
        }
    }

    /// Lets `change` see a text as rop would write it, and gives what it makes the ends of the text.
    pub(super) fn preserve(
        self,
        text: String,
        change: impl FnOnce(String) -> Result<Decision>,
    ) -> Result<Decision> {
        if self == Self::Lf {
            return change(text);
        }
        let restored = |change: Change| Change {
            before: Some(text.clone()),
            after: change.after.map(|after| self.restore(&after)),
            ..change
        };
        Ok(match change(Self::read(&text))? {
            Decision::Change(change) => Decision::Change(restored(change)),
            Decision::Overlaps(overlaps, change) => Decision::Overlaps(overlaps, restored(change)),
            other => other,
        })
    }

    /// A text as rop would write it. Where not all lines end so, the others are part of the text.
    pub(crate) fn read(text: &str) -> String {
        match Self::of(text) {
            Self::Lf => text.to_owned(),
            Self::CrLf => text.replace("\r\n", "\n"),
        }
    }

    /// A text of rop's with these ends.
    pub(super) fn restore(self, text: &str) -> String {
        match self {
            Self::Lf => text.to_owned(),
            Self::CrLf => text.replace('\n', "\r\n"),
        }
    }
}
