//! What a plan does to files.

use serde_json::{Value, json};

use crate::plan::{Action, Change, Ownership, Plan};
use crate::ui::{Entry, Mark};

/// From this number on, the files of a vendored folder are reported in one line.
const MANY: usize = 8;

/// The changes, as JSON.
pub(in crate::cli) fn changes(plan: &Plan) -> Value {
    let change = |change: &Change| {
        let mut json = json!({
            "path": change.path,
            "action": change.action,
            "ownership": change.ownership.name(),
        });
        if let Some(from) = &change.from {
            json["from"] = json!(from);
        }
        json
    };
    plan.reported().map(change).collect()
}

/// One line a file.
pub(in crate::cli) fn lines(plan: &Plan) -> Vec<Entry> {
    plan.reported().map(line).collect()
}

/// One line a file, and one for many files of a vendored folder.
pub(in crate::cli) fn summary(plan: &Plan) -> Vec<Entry> {
    let same = |a: &&Change, b: &&Change| {
        let folder = vendored_folder(a);
        folder.is_some() && folder == vendored_folder(b) && a.action == b.action
    };
    let summary = |changes: &[&Change]| match vendored_folder(changes[0]) {
        Some(folder) if changes.len() >= MANY => {
            let files = format!("{folder}/ ({} files)", changes.len());
            vec![entry(changes[0], files)]
        }
        _ => changes.iter().copied().map(line).collect(),
    };
    let reported: Vec<_> = plan.reported().collect();
    reported.chunk_by(same).flat_map(summary).collect()
}

/// The folder of a file whose folder is rop's as a whole, such as `runtime`.
fn vendored_folder(change: &Change) -> Option<&str> {
    let (folder, _) = change.path.split_once('/')?;
    (change.ownership == Ownership::Vendored).then_some(folder)
}

fn line(change: &Change) -> Entry {
    let what = match &change.from {
        Some(from) => format!("{from} -> {}", change.path),
        None => change.path.clone(),
    };
    entry(change, what)
}

fn entry(change: &Change, what: String) -> Entry {
    let (mark, word) = match change.action {
        Action::Create => (Mark::New, "create"),
        Action::Update => (Mark::Changed, "update"),
        Action::Overwrite => (Mark::Lost, "overwrite"),
        Action::Delete => (Mark::Lost, "delete"),
        Action::Move => (Mark::Changed, "move"),
    };
    Entry { mark, word, what }
}
