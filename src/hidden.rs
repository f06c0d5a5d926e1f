//! Characters that nobody sees.

/// Whether a terminal or an editor does not show a character, but acts on it: controls, marks that
/// change the direction of others, line breaks that are no `\n`, and what has no width. The joiners
/// that scripts need are shown.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}'
            | '\u{ad}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}
