//! Notes on the test fixtures of other operators' kinds.

use crate::disk::View;
use crate::error::Result;
use crate::listed::listed;
use crate::plan::Tree;
use crate::project::Project;
use crate::scaffold;
use crate::ui::Ui;

/// How many fields a note lists.
const LISTED: usize = 4;

/// Names what is to be filled in or checked in new objects: schemas do not say all.
pub(super) fn note_fields_to_check(
    view: &View,
    project: &Project,
    before: &Tree,
    ui: &Ui,
) -> Result<()> {
    for (path, sample) in scaffold::unsure_fixtures(view, project)? {
        if before.get(&path).is_some() {
            continue;
        }
        if !sample.faults.is_empty() {
            ui.note(&format!(
                "edit `{path}`: {}",
                listed(&sample.faults, LISTED)
            ));
        }
        if !sample.rules.is_empty() {
            let rules = listed(&sample.rules, LISTED);
            ui.note(&format!(
                "check `{path}` against the CEL rules, which rop does not evaluate: {rules}"
            ));
        }
    }
    Ok(())
}
