//! Three texts of a file: what rop gave, what its user made of that, and what rop gives now.

use super::File;
use super::renames::Renames;

/// The text of a user's, with what is given now in place of what was. None if the user edited lines that change.
pub(super) fn merge(given: &File, text: &str, now: &File, renames: &Renames) -> Option<String> {
    let renamed = |text| renames.apply(given.path(), text);
    let (given, text, now) = (renamed(given.text()), renamed(text), now.text());
    // A license comes or goes above what somebody edited.
    if let Some(license) = now.strip_suffix(&given) {
        return Some(format!("{license}{text}"));
    }
    if let Some(below) = given.strip_suffix(now).and_then(|it| text.strip_prefix(it)) {
        return Some(below.to_owned());
    }
    diffy::merge(&given, &text, now).ok()
}
