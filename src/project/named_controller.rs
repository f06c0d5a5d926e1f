use serde::{Deserialize, Serialize};

use super::name::ControllerName;

/// A controller beside the first one of its kind, as PROJECT lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedController {
    /// What tells it from the others.
    pub name: ControllerName,
}

/// Adds a controller to those of a kind: the first one if it has no name.
pub(crate) fn add_controller(
    first: &mut bool,
    named: &mut Vec<NamedController>,
    name: Option<ControllerName>,
) {
    match name.map(|name| NamedController { name }) {
        None => *first = true,
        Some(name) if named.contains(&name) => {}
        Some(name) => named.push(name),
    }
}
