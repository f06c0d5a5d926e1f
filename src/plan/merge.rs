//! Three texts of a file: what rop gave, what its user made of that, and what rop gives now.

use super::overlap::{self, Overlaps};
use super::renames::Renames;
use super::{File, header};
use super::{doubled, makefile, missing};

/// The text of a user's, with what is given now in place of what was.
///
/// # Errors
/// The user edited lines that change, defined what is new now, or uses what is not there any more.
pub(super) fn merge(
    given: &File,
    text: &str,
    now: &File,
    renames: &Renames,
) -> Result<String, Overlaps> {
    let path = given.path();
    let renamed = |text| renames.apply(path, text);
    let (given, text, now) = (renamed(given.text()), renamed(text), now.text());
    // A license comes or goes above what somebody edited.
    if let Some(license) = now.strip_suffix(&given) {
        return Ok(format!("{license}{text}"));
    }
    if let Some(below) = given.strip_suffix(now).and_then(|it| text.strip_prefix(it)) {
        return Ok(below.to_owned());
    }
    let merged = overlap::merge(&given, &text, now).or_else(|overlaps| {
        let merged = makefile::merge(path, &given, &text, now);
        merged.ok_or(overlaps)
    })?;
    if text == given || now == given {
        return Ok(merged);
    }
    let doubled = doubled::find(path, [&given, &text, now], &merged);
    match doubled.or_else(|| missing::find(path, [&given, now], &merged)) {
        Some(overlaps) => Err(overlaps),
        None => Ok(merged),
    }
}

/// The text of a user's file with the change from `given` to `now`. None if the user edited lines that change.
pub(crate) fn merged(given: &File, text: &str, now: &File) -> Option<String> {
    match header::above(given.path(), given.text(), text) {
        Some(above) => Some(format!("{above}{}", now.text())),
        None => merge(given, text, now, &Renames::default()).ok(),
    }
}
