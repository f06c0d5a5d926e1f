// Owned by rop: its commands rewrite this file, so make changes elsewhere [6d662b742962]
//! The names of this operator in a cluster.

use rop_runtime::Identity;

/// The field manager, the user agent and the `app.kubernetes.io/managed-by` label.
const NAME: &str = "instance-operator";

/// The lease that replicas use to elect a leader.
const LEASE: &str = "73d36105.example.com";

/// Who this operator is.
pub const IDENTITY: Identity = Identity::new(NAME, env!("CARGO_PKG_VERSION")).lease(LEASE);
