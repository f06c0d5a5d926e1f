//! The flags of leader election.

use std::time::Duration;

use clap::Args;

use super::{InvalidSettings, Settings};
use crate::duration::{self, LONGEST};
use crate::identity::Identity;

/// The flags of leader election, with the names of Kubernetes' own components.
///
/// ```
/// use std::time::Duration;
/// use rop_runtime::{ElectionOptions, Options};
///
/// let options = Options {
///     election: ElectionOptions {
///         leader_elect: true,
///         leader_elect_lease_duration: Duration::from_secs(60),
///         leader_elect_renew_deadline: Duration::from_secs(40),
///         ..ElectionOptions::default()
///     },
///     ..Options::default()
/// };
/// # assert!(options.election.leader_elect);
/// ```
#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Flags {
    /// Enable leader election; required if you run more than one replica
    #[arg(long)]
    pub leader_elect: bool,

    /// Time that other replicas wait after the last renewal before they take over
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "15s")]
    pub leader_elect_lease_duration: Duration,

    /// Time that the leader keeps writing if it cannot renew its lease
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "10s")]
    pub leader_elect_renew_deadline: Duration,

    /// Fill the caches of standby replicas, for a faster failover at the cost of memory and watches
    #[arg(long)]
    pub leader_elect_warm_standby: bool,

    /// Interval of attempts to acquire or renew the lease
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "2s")]
    pub leader_elect_retry_period: Duration,

    /// Name of the lease [default: the lease of the operator]
    #[arg(long, value_name = "NAME")]
    pub leader_elect_resource_name: Option<String>,

    /// Namespace of the lease [default: the namespace of the operator]
    #[arg(long, value_name = "NAMESPACE")]
    pub leader_elect_resource_namespace: Option<String>,
}

/// Returns the defaults: leader election is disabled, with the durations of Kubernetes.
impl Default for Flags {
    fn default() -> Self {
        Self {
            leader_elect: false,
            leader_elect_warm_standby: false,
            leader_elect_lease_duration: Duration::from_secs(15),
            leader_elect_renew_deadline: Duration::from_secs(10),
            leader_elect_retry_period: Duration::from_secs(2),
            leader_elect_resource_name: None,
            leader_elect_resource_namespace: None,
        }
    }
}

impl Flags {
    /// The election that the flags ask for, if any. `holder` names this process, and `namespace` is the
    /// operator's own. Fails if the flags break a rule, even without an election.
    pub(crate) fn settings(
        &self,
        identity: &Identity,
        holder: &str,
        namespace: &str,
    ) -> Result<Option<Settings>, InvalidSettings> {
        let name = self.leader_elect_resource_name.as_deref();
        let own_namespace = self.leader_elect_resource_namespace.as_deref();
        let settings = Settings {
            name: name.unwrap_or_else(|| identity.lease_name()).to_owned(),
            namespace: own_namespace.unwrap_or(namespace).to_owned(),
            identity: holder.to_owned(),
            lease_duration: self.leader_elect_lease_duration.min(LONGEST),
            renew_deadline: self.leader_elect_renew_deadline.min(LONGEST),
            retry_period: self.leader_elect_retry_period.min(LONGEST),
        };
        settings.check()?;
        Ok(self.leader_elect.then_some(settings))
    }
}

#[cfg(test)]
mod tests {
    use super::{Flags, Identity};

    const IDENTITY: Identity = Identity::new("app", "1.0.0").lease("app.example.com");

    #[test]
    fn the_lease_is_that_of_the_identity_unless_a_flag_names_one() {
        let mut flags = Flags {
            leader_elect: true,
            ..Flags::default()
        };
        let settings = flags.settings(&IDENTITY, "pod", "default");
        assert_eq!(settings.unwrap().unwrap().name, "app.example.com");
        flags.leader_elect_resource_name = Some("other".to_owned());
        let settings = flags.settings(&IDENTITY, "pod", "default");
        assert_eq!(settings.unwrap().unwrap().name, "other");
    }

    #[test]
    fn without_the_flag_there_is_no_election() {
        let settings = Flags::default().settings(&IDENTITY, "pod", "default");
        assert!(settings.unwrap().is_none());
    }
}
