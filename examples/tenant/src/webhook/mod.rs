// Owned by rop: its commands rewrite this file, so make changes elsewhere [db0000b0d292]
//! Every admission webhook of this operator. The marker beside each function says what it is asked about.

pub mod tenant {
    //! Those of `Tenant`.

    pub mod validate;
}

use rop_runtime::Manager;

use crate::State;

/// Serves every webhook.
pub fn register(manager: &mut Manager<State>) {
    manager.validating_webhook(
        "/validate-platform-example-com-v1-tenant",
        tenant::validate::validator(),
    );
}
