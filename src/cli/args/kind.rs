//! The flags that name a kind.

use clap::Args;

use crate::project::name::{Group, Kind, Version};

/// A kind. Each command says in its own words which version it takes without `--version`.
#[derive(Debug, Args)]
pub(in crate::cli) struct KindArgs {
    /// API group without the project's domain; `core` for Pods.
    #[arg(long)]
    pub(in crate::cli) group: Group,

    #[arg(long)]
    pub(in crate::cli) version: Option<Version>,

    /// Kind, such as `AppService`.
    #[arg(long)]
    pub(in crate::cli) kind: Kind,
}
