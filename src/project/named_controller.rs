use serde::{Deserialize, Serialize};

use super::name::ControllerName;

/// A controller beside the first one of its kind, as PROJECT lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedController {
    /// What tells it from the others.
    pub name: ControllerName,
}
