//! The test of a conversion, whose lists are its user's: the fields that one version alone has.

use crate::disk::View;
use crate::error::Result;
use crate::plan::{File, LineEnds, Ownership, Tree};
use crate::project::Project;

/// What stands before each list: the fields of the hub, and those of the spoke.
const LISTS: [&str; 2] = [".only_in_hub(", ".only_in_spoke("];

/// How a list ends.
const END: &str = "])";

/// Gives the tests of conversions the lists that are there. Where the hub moves, they change places with it: then the
/// test follows if nothing else was edited, and what is shown of it is whole.
pub(super) fn add_lists(
    view: &View,
    project: &Project,
    before: &mut Tree,
    desired: &mut Tree,
) -> Result<()> {
    for conversion in project.conversions() {
        let path = conversion.test();
        let (Some(given), Some(generated)) = (before.get(&path), desired.get(&path)) else {
            continue;
        };
        if given == generated {
            continue;
        }
        let on_disk = view.read(&path)?.unwrap_or_default();
        let on_disk = LineEnds::read(&on_disk);
        let [Some(hub), Some(spoke)] = LISTS.map(|name| list(&on_disk, name)) else {
            continue;
        };
        let is_moved = hub_line(given.text()) != hub_line(generated.text());
        let lists = if is_moved { [spoke, hub] } else { [hub, spoke] };
        let [given, generated] = [(given, [hub, spoke]), (generated, lists)]
            .map(|(file, lists)| File::new(&*path, Ownership::Seeded, with(file.text(), lists)));
        before.replace(given);
        desired.replace(generated);
    }
    Ok(())
}

/// The line that says which version is the hub.
fn hub_line(text: &str) -> Option<&str> {
    text.lines().find(|line| line.starts_with("type Hub "))
}

/// The list that a call has.
fn list<'a>(text: &'a str, call: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(call)?;
    rest.find(END).map(|end| &rest[..=end])
}

/// A test with these lists.
fn with(text: &str, lists: [&str; 2]) -> String {
    let calls = LISTS.iter().zip(lists);
    calls.fold(text.to_owned(), |text, (call, list)| {
        text.replace(&format!("{call}&[{END}"), &format!("{call}{list})"))
    })
}
