//! Deletes objects from a cluster.

use crate::cluster::{self, Deletion};
use crate::error::{Code, Error, Result};
use crate::objects::Objects;

use super::args::target::{Reached, TargetArgs, TimeoutArgs};
use super::invocation::Invocation;

/// Objects to delete from a cluster.
pub(super) struct Removal<'a> {
    pub(super) command: &'a str,
    pub(super) objects: &'a Objects,
    pub(super) reached: &'a Reached,
    pub(super) target: &'a TargetArgs,
    pub(super) timeout: &'a TimeoutArgs,
    pub(super) invocation: &'a Invocation,
}

/// Deletes objects, after a confirmation if data is deleted with them.
pub(super) fn remove(removal: &Removal<'_>) -> Result<()> {
    let Removal {
        reached,
        invocation,
        ..
    } = removal;
    let kubectl = &reached.kubectl;
    let deletion = Deletion::new(kubectl, removal.objects)?;
    let data = cluster::of_crds(kubectl, &removal.objects.crds())?;
    if !data.is_empty() {
        let lines: String = data.iter().map(|data| format!("\n  {data}")).collect();
        if !(removal.target.yes || invocation.dry_run) {
            return Err(Error::new(
                Code::ObjectsAtRisk,
                format!(
                    "deleting the CRDs would delete these objects, so nothing was deleted:{lines}"
                ),
            )
            .hint("delete the objects first, or confirm with `--yes`"));
        }
        invocation
            .ui
            .note(&format!("deleting the CRDs deletes these objects:{lines}"));
        if data.iter().any(|data| data.finalized) {
            invocation.ui.note(
                "some of them have finalizers, which the operator removes: if it is not running, start it in \
                another terminal with `rop run`",
            );
        }
    }
    let effects = deletion.effects();
    if !(invocation.dry_run || effects.is_empty()) {
        let progress = invocation
            .ui
            .progress("waiting", "until all objects are deleted", None);
        let mut say = |text: &str| progress.say(text);
        cluster::delete(kubectl, &deletion, removal.timeout.timeout, &mut say)?;
    }
    reached.report(removal.command, &effects, invocation)?;
    if effects.is_empty() {
        invocation.ui.done("unchanged", "nothing to delete");
    }
    Ok(())
}
