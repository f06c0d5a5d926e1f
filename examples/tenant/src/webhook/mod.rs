// Owned by rop: its commands rewrite this file, so make changes elsewhere [5ae4ac1ea654]
//! All admission webhooks of this operator. The marker above each function sets which requests it gets.

pub mod tenant {
    //! The webhooks of `Tenant`.

    pub mod validate;
}

use rop_runtime::Manager;

use crate::State;

/// Adds all webhooks to the manager.
pub fn register(manager: &mut Manager<State>) {
    manager.validating_webhook(
        "/validate-platform-example-com-v1-tenant",
        tenant::validate::validator(),
    );
}
