//! A bundle of a project that has another name since.

use crate::disk::View;
use crate::error::Result;
use crate::plan::File;

use super::{BASES, Made, SUFFIX, base as base_path, on_disk, seeded};

/// The base that has the former name of the package, if there is one. It gets the new name.
pub(super) fn base(view: &View, package: &str, made: &mut Made) -> Result<Option<String>> {
    let files = view.own_files_in(BASES)?;
    let bases: Vec<_> = files.iter().filter(|it| it.ends_with(SUFFIX)).collect();
    let [former] = bases[..] else {
        return Ok(None);
    };
    let Some(text) = on_disk(view, former)? else {
        return Ok(None);
    };
    let name = former.trim_start_matches(BASES).trim_start_matches('/');
    let old = format!("name: {}.v", name.trim_end_matches(SUFFIX));
    let renamed = text.replace(&old, &format!("name: {package}.v"));
    let path = base_path(package);
    made.notes.push(format!("`{former}` is `{path}` now"));
    made.before.insert(seeded(former, text));
    made.after.insert(seeded(&path, renamed.clone()));
    Ok(Some(renamed))
}

/// Merges the edits of a `ClusterServiceVersion` of the former name into the new one.
pub(super) fn keep_edits(view: &View, made: &mut Made) -> Result<()> {
    let is_csv = |file: &&File| file.path().ends_with(SUFFIX) && !file.path().starts_with(BASES);
    let is_gone = |file: &&File| is_csv(file) && made.after.get(file.path()).is_none();
    let former = made.before.files().find(is_gone).cloned();
    let now = made.after.files().find(is_csv).cloned();
    let (Some(given), Some(new)) = (former, now) else {
        return Ok(());
    };
    let packages = [given.path(), new.path()].map(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.trim_end_matches(SUFFIX).to_owned()
    });
    let Some(edited) = on_disk(view, given.path())? else {
        return Ok(());
    };
    if edited == given.text() || view.is_file(new.path()) {
        return Ok(());
    }
    let [renamed, merged] = [given.text(), &edited].map(|text| with_package(text, &packages));
    made.merge(&seeded(given.path(), renamed), merged, &new)?;
    // All edits are in the new one.
    made.before.replace(seeded(given.path(), edited));
    Ok(())
}

/// A text in which names of objects start with the new name of the package.
fn with_package(text: &str, [former, package]: &[String; 2]) -> String {
    let mut renamed = String::with_capacity(text.len());
    let mut done = 0;
    for (start, _) in text.match_indices(&**former) {
        let (before, after) = (&text[..start], &text[start + former.len()..]);
        let is_part = before.ends_with(|c: char| c.is_alphanumeric() || "-_./".contains(c));
        let is_name = after.starts_with('-')
            || after.starts_with(".v") && after[2..].starts_with(|c: char| c.is_ascii_digit());
        if start >= done && !is_part && is_name {
            renamed.push_str(&text[done..start]);
            renamed.push_str(package);
            done = start + former.len();
        }
    }
    renamed + &text[done..]
}
