//! `rop create …`

mod api;
mod crd_file;
mod edits;
mod extend;
mod external;
mod external_version;
mod fixture;
mod moved;
mod own_kind;
mod policy;
mod webhook;

pub(super) use extend::extend;

use clap::Subcommand;

use crate::error::Result;

use super::invocation::Invocation;

/// Add an API, webhooks or policies.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(super) enum CreateCommand {
    Api(Box<api::ApiArgs>),
    Webhook(Box<webhook::WebhookArgs>),
    Policy(policy::PolicyArgs),
}

pub(super) fn run(command: CreateCommand, invocation: &Invocation) -> Result<()> {
    match command {
        CreateCommand::Api(args) => api::run(*args, invocation),
        CreateCommand::Webhook(args) => webhook::run(*args, invocation),
        CreateCommand::Policy(args) => policy::run(&args, invocation),
    }
}
