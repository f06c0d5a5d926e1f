//! `rop delete …`

mod api;
mod controller;
pub(super) mod left;
mod policy;
mod removal;
mod used;
mod webhook;

use clap::Subcommand;

use crate::error::Result;

use super::invocation::Invocation;

/// Delete an API, a controller, webhooks or policies.
///
/// Removes what `rop create` added. If you edited a file that would be deleted, deletes nothing unless `--force` is
/// given.
#[derive(Debug, Subcommand)]
#[command(arg_required_else_help = true)]
pub(super) enum DeleteCommand {
    Api(api::ApiArgs),
    Controller(controller::ControllerArgs),
    Webhook(webhook::WebhookArgs),
    Policy(policy::PolicyArgs),
}

pub(super) fn run(command: DeleteCommand, invocation: &Invocation) -> Result<()> {
    match command {
        DeleteCommand::Api(args) => api::run(&args, invocation),
        DeleteCommand::Controller(args) => controller::run(&args, invocation),
        DeleteCommand::Webhook(args) => webhook::run(args, invocation),
        DeleteCommand::Policy(args) => policy::run(&args, invocation),
    }
}
