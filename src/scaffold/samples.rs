//! The samples that the tests in a cluster use, without those that the user deleted.

use crate::disk::View;
use crate::plan::{File, Tree};
use crate::project::layout::SAMPLES;
use crate::rustfmt::break_lines;

/// The file with the lists.
const LISTS: &str = "tests/e2e/samples.rs";

/// What a list of names begins and ends with.
const BEGIN: &str = "&[&str] = &[";
const END: &str = "];";

/// Leaves the samples out of the lists that were given and are missing.
pub(super) fn leave_out_deleted(view: &View, before: &Tree, desired: &mut Tree) {
    let Some(lists) = desired.get(LISTS) else {
        return;
    };
    let is_deleted = |name: &str| {
        let path = format!("{SAMPLES}/{name}");
        before.get(&path).is_some() && !view.is_file(&path)
    };
    let mut parts = lists.body().split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (list, rest) = part.split_once(END).unwrap_or((part, ""));
        let names = list.split('"').skip(1).step_by(2);
        let names = names.filter(|name| !is_deleted(name));
        let names: Vec<_> = names.map(|name| format!("\"{name}\"")).collect();
        text.extend([BEGIN, &names.join(", "), END, rest]);
    }
    desired.replace(File::owned(LISTS, break_lines(&text)));
}
