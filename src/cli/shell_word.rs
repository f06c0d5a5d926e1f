//! Words in commands that a user may paste.

/// A word as a shell takes it for one.
pub(super) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+:@%,".contains(c);
    match word.chars().all(is_plain) && !word.starts_with('-') {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
