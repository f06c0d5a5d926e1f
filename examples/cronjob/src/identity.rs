// Owned by rop: its commands rewrite this file, so make changes elsewhere [870c2df22744]
//! The names of this operator in a cluster.

use rop_runtime::Identity;

/// The field manager, the user agent and the `app.kubernetes.io/managed-by` label.
const NAME: &str = "cronjob";

/// The lease that replicas use to elect a leader.
const LEASE: &str = "83be2620.tutorial.kubebuilder.io";

/// Who this operator is.
pub const IDENTITY: Identity = Identity::new(NAME, env!("CARGO_PKG_VERSION")).lease(LEASE);
