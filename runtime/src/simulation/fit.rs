//! What children name of each other must be there.

use super::children::Children;
use super::{backends, ports, selectors};

/// Checks that children fit each other. Returns `None` if not.
pub(super) fn fit(children: &Children) -> Option<()> {
    selectors::check(children)?;
    ports::check(children)?;
    backends::check(children)
}
