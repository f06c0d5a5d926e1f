//! The flags of the election.

use std::time::Duration;

use clap::Args;

use super::{InvalidSettings, Settings};
use crate::duration;

/// The name of the lease by default.
#[rustfmt::skip] // It is as long as the domain.
const LEASE: &str = "rop.lease";

/// The flags of the election, named as those of Kubernetes' own controllers.
#[derive(Args, Clone, Debug)]
pub struct Flags {
    /// Elect a leader; needed where several replicas run
    #[arg(long)]
    leader_elect: bool,

    /// How long other replicas wait for a leader that does not renew its lease
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "15s")]
    leader_elect_lease_duration: Duration,

    /// How long a leader goes on that cannot renew its lease
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "10s")]
    leader_elect_renew_deadline: Duration,

    /// How long to wait between two tries to take or renew the lease
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "2s")]
    leader_elect_retry_period: Duration,

    /// The name of the lease
    #[arg(long, value_name = "NAME", default_value = LEASE)]
    leader_elect_resource_name: String,

    /// The namespace of the lease; the operator's own by default
    #[arg(long, value_name = "NAMESPACE")]
    leader_elect_resource_namespace: Option<String>,
}

impl Flags {
    /// The election that they ask for, if any. `namespace` is the operator's own.
    ///
    /// # Errors
    /// Where they break a rule.
    pub fn settings(
        self,
        identity: &str,
        namespace: &str,
    ) -> Result<Option<Settings>, InvalidSettings> {
        let settings = Settings {
            name: self.leader_elect_resource_name,
            namespace: self
                .leader_elect_resource_namespace
                .unwrap_or_else(|| namespace.to_owned()),
            identity: identity.to_owned(),
            lease_duration: self.leader_elect_lease_duration,
            renew_deadline: self.leader_elect_renew_deadline,
            retry_period: self.leader_elect_retry_period,
        };
        settings.check()?;
        Ok(self.leader_elect.then_some(settings))
    }
}
