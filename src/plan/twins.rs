//! Rust sources at the two paths that a module can have: rustc takes one.

use crate::disk::View;

use super::decision::{Conflict, WayOut};
use super::sum::is_rust;
use super::{Action, Change, Ownership, Plan};

/// Sources that a plan adds beside another one of the same module.
pub(super) fn find(view: &View, plan: &Plan) -> Vec<Conflict> {
    let goes = |path: &str| {
        let mut changes = plan.changes.iter();
        changes.any(|change| change.path == path && change.action == Action::Delete)
    };
    let conflict = |change: &Change| {
        let is_new = [Action::Create, Action::Move].contains(&change.action)
            && change.ownership != Ownership::Vendored
            && is_rust(&change.path);
        let other = other_path(&change.path).filter(|_| is_new)?;
        (view.is_file(&other) && !goes(&other)).then(|| Conflict {
            path: change.path.clone(),
            reason: format!("would be the same Rust module as `{other}`"),
            way_out: WayOut::Move,
            is_gone: false,
            overlaps: Vec::new(),
        })
    };
    plan.changes.iter().filter_map(conflict).collect()
}

/// The other path of the module that a source is.
fn other_path(path: &str) -> Option<String> {
    let module = module(path);
    let ends = match path.strip_prefix(module)? {
        "/mod.rs" => ".rs",
        _ => "/mod.rs",
    };
    Some(format!("{module}{ends}"))
}

/// The module that a Rust source is, which can be at `MODULE.rs` or `MODULE/mod.rs`.
pub(crate) fn module(path: &str) -> &str {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    path.strip_suffix("/mod").unwrap_or(path)
}
