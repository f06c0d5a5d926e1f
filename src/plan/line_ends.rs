//! A text with the line ends that a file has, and with its byte order mark.

use crate::error::Result;

use super::Change;
use super::decision::Decision;

/// What some editors put in front of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// How the lines of a file end, and whether a byte order mark precedes them: a checkout or an editor of another system
/// may have brought both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineEnds {
    is_crlf: bool,
    has_mark: bool,
}

impl LineEnds {
    /// Those of a text: all of them, or it is left as it is.
    pub(super) fn of(text: &str) -> Self {
        // Most texts have no other end than a line feed.
        let is_crlf = text.as_bytes().contains(&b'\r') && {
            let lines = text.matches('\n').count();
            lines > 0 && text.matches("\r\n").count() == lines
        };
        Self {
            is_crlf,
            has_mark: text.starts_with(BYTE_ORDER_MARK),
        }
    }

    /// Lets `change` see a text as rop would write it, and gives what it makes the ends of the text.
    pub(super) fn preserve(
        self,
        text: String,
        change: impl FnOnce(String) -> Result<Decision>,
    ) -> Result<Decision> {
        if self == Self::default() {
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
        let is_crlf = Self::of(text).is_crlf;
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if is_crlf {
            text.replace("\r\n", "\n")
        } else {
            text.to_owned()
        }
    }

    /// A text of rop's with these ends and this mark.
    pub(super) fn restore(self, text: &str) -> String {
        let mark = self.has_mark.then_some(BYTE_ORDER_MARK);
        let text = if self.is_crlf {
            &text.replace('\n', "\r\n")
        } else {
            text
        };
        mark.into_iter().chain(text.chars()).collect()
    }
}
