// Owned by rop: its commands rewrite this file, so make changes elsewhere [e2f3e77b4050]
//! The names of this operator in a cluster.

use rop_runtime::Identity;

/// The field manager, the user agent and the `app.kubernetes.io/managed-by` label.
const NAME: &str = "tenant-operator";

/// The lease that replicas use to elect a leader.
const LEASE: &str = "95b89a08.example.com";

/// Who this operator is.
pub const IDENTITY: Identity = Identity::new(NAME, env!("CARGO_PKG_VERSION")).lease(LEASE);
