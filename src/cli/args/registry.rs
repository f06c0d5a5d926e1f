use std::time::Duration;

use clap::Args;

/// How a registry is reached.
#[derive(Debug, Args)]
pub(in crate::cli) struct RegistryArgs {
    /// Allow registries without TLS; not needed for localhost.
    #[arg(long)]
    pub(in crate::cli) insecure: bool,

    /// Registry timeout.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

impl RegistryArgs {
    pub(in crate::cli) fn patience(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }
}
