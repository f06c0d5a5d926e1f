//! The command-line flags of an operator.

mod webhook;

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use tracing_subscriber::filter::{LevelFilter, Targets};

use crate::client::LIMIT_OF_WRITES;
use crate::leader::Flags;
use crate::metrics::MetricsOptions;
use crate::scope::WatchNamespaces;
use crate::{duration, serve};
pub use webhook::WebhookOptions;

/// The command-line flags of an operator, with the names of kubebuilder's flags. Flatten them next
/// to your own flags.
///
/// # Examples
///
/// ```
/// use clap::Parser;
/// use rop_runtime::Options;
///
/// #[derive(Parser)]
/// struct Args {
///     /// Registry of the images
///     #[arg(long, default_value = "ghcr.io")]
///     registry: String,
///
///     #[command(flatten)]
///     runtime: Options,
/// }
///
/// let args = Args::parse_from(["app-operator", "--max-concurrent-reconciles=4"]);
/// assert_eq!(args.runtime.max_concurrent_reconciles, 4);
/// assert_eq!(args.registry, "ghcr.io");
/// ```
#[derive(Args, Clone, Debug)]
// A group is named after its type, and a program can have a type of the same name.
#[group(skip)]
pub struct Options {
    /// Namespaces to watch, separated by commas; all if empty
    #[arg(
        long,
        value_name = "NAMESPACES",
        env = "WATCH_NAMESPACE",
        default_value = ""
    )]
    pub watch_namespace: WatchNamespaces,

    /// Address of /livez, /healthz and /readyz
    #[arg(long, value_name = "ADDRESS", value_parser = serve::parse_address, default_value = ":8081")]
    pub health_probe_bind_address: SocketAddr,

    /// Maximum number of concurrent reconciles for each kind; 0 means no limit
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    pub max_concurrent_reconciles: u16,

    /// Interval at which every object is reconciled, even without a change
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "1h")]
    pub resync_period: Duration,

    /// Time that a watch can fail before /readyz fails
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "5m")]
    pub watch_failure_limit: Duration,

    /// Timeout of writes to the API server, including the webhooks that it calls
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "40s")]
    pub write_timeout: Duration,

    /// Flags of leader election.
    #[command(flatten)]
    pub election: Flags,

    /// Flags of the metrics endpoint.
    #[command(flatten)]
    pub metrics: MetricsOptions,

    /// Flags of the webhook server.
    #[cfg_attr(feature = "webhook", command(flatten))]
    #[cfg_attr(not(feature = "webhook"), arg(skip))]
    pub webhook: WebhookOptions,

    /// Log level, or levels by target such as info,kube=debug
    #[arg(long, value_name = "LEVELS", env = "RUST_LOG", default_value = "info")]
    pub log_level: Targets,
}

/// Returns the defaults of the flags, ignoring environment variables.
impl Default for Options {
    fn default() -> Self {
        Self {
            watch_namespace: WatchNamespaces::default(),
            health_probe_bind_address: serve::all_interfaces(8081),
            max_concurrent_reconciles: 10,
            resync_period: Duration::from_secs(3600),
            watch_failure_limit: Duration::from_secs(300),
            write_timeout: LIMIT_OF_WRITES,
            election: Flags::default(),
            metrics: MetricsOptions::default(),
            webhook: WebhookOptions::default(),
            log_level: Targets::new().with_default(LevelFilter::INFO),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, FromArgMatches, Parser};

    /// An operator with flags and types of its own.
    #[derive(Debug, Parser)]
    #[command(version)]
    struct Options {
        /// A flag of the operator
        #[arg(long, default_value = "none")]
        own: String,

        #[command(flatten)]
        flags: Flags,

        #[command(flatten)]
        runtime: super::Options,
    }

    /// More flags of the operator.
    #[derive(Debug, clap::Args)]
    struct Flags {
        #[arg(long)]
        more: bool,
    }

    fn parse(flags: &[&str]) -> Options {
        // Without the variables, which can be set when the tests run.
        let command = Options::command()
            .mut_args(|arg| arg.env(None::<&str>))
            .about("kept");
        let words = ["operator"].iter().chain(flags);
        let matches = command.try_get_matches_from(words).unwrap();
        Options::from_arg_matches(&matches).unwrap()
    }

    #[test]
    fn the_default_is_that_of_the_flags() {
        let parsed = format!("{:?}", parse(&[]).runtime);
        assert_eq!(parsed, format!("{:?}", super::Options::default()));
    }

    #[test]
    fn flags_stand_beside_those_of_the_program() {
        Options::command().debug_assert();
        let about = Options::command().get_about().map(ToString::to_string);
        let own = "An operator with flags and types of its own";
        assert_eq!(about.as_deref(), Some(own));
        let options = parse(&["--own=x", "--more", "--leader-elect"]);
        assert_eq!(options.own, "x");
        assert!(options.flags.more && options.runtime.election.leader_elect);
    }

    #[test]
    fn the_flags_have_their_names() {
        let command = Options::command();
        let names: Vec<_> = command
            .get_arguments()
            .filter_map(|arg| arg.get_long())
            .collect();
        for name in [
            "watch-namespace",
            "health-probe-bind-address",
            "max-concurrent-reconciles",
            "resync-period",
            "watch-failure-limit",
            "write-timeout",
            "leader-elect",
            "leader-elect-lease-duration",
            "leader-elect-renew-deadline",
            "leader-elect-retry-period",
            "leader-elect-resource-name",
            "leader-elect-resource-namespace",
            "metrics-bind-address",
            "metrics-secure",
            "metrics-cert-path",
            "metrics-cert-name",
            "metrics-cert-key",
            "log-level",
        ] {
            assert!(names.contains(&name), "{name}");
        }
    }
}
