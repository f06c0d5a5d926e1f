//! Shortens untrusted text for logs and messages.

use std::fmt::Display;

/// Maximum number of characters: longer than any name.
const MOST: usize = 300;

/// The beginning of a text, in one line.
pub(crate) fn short(text: impl Display) -> String {
    let text = text.to_string();
    let line = |part: &str| part.replace(char::is_control, " ");
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({} bytes)", line(&text[..end]), text.len()),
        None => line(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        assert_eq!(short("a\nb"), "a b");
        let whole = "é".repeat(MOST);
        assert_eq!(short(&whole), whole);
        assert_eq!(short(whole.clone() + "é"), format!("{whole}… (602 bytes)"));
    }
}
