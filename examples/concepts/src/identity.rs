// Owned by rop: its commands rewrite this file, so make changes elsewhere [329ec759eddb]
//! The identity of this operator in a cluster.

use rop_runtime::Identity;

/// The field manager, user agent and value of the `app.kubernetes.io/managed-by` label.
const NAME: &str = "instance-operator";

/// The Lease for leader election.
const LEASE: &str = "73d36105.example.com";

/// The identity of this operator.
pub const IDENTITY: Identity = Identity::new(NAME, env!("CARGO_PKG_VERSION")).lease(LEASE);
