//! Which cluster a command works on, and whether it may.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::cluster::{Connection, Effect, parse_timeout};
use crate::error::{Code, Error, Result};
use crate::kubectl::{Kubectl, Target};
use crate::project::Root;

use crate::cli::invocation::{Access, Invocation};
use crate::cli::report;

/// The cluster, in the words of kubectl.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub(in crate::cli) struct TargetArgs {
    /// kubeconfig context [default: the current context].
    #[arg(long)]
    context: Option<String>,

    /// Path of the kubeconfig [default: $KUBECONFIG, or ~/.kube/config].
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Skip confirmations, even if data will be deleted.
    #[arg(long, short)]
    pub(in crate::cli) yes: bool,
}

/// How long a command waits for the cluster.
#[derive(Debug, Args)]
pub(in crate::cli) struct TimeoutArgs {
    /// Timeout for each step, such as `90s` or `5m`.
    #[arg(long, value_name = "TIME", value_parser = parse_timeout, default_value = "2m")]
    pub(in crate::cli) timeout: Duration,
}

/// A reachable cluster.
pub(in crate::cli) struct Reached {
    pub(in crate::cli) kubectl: Kubectl,
    pub(in crate::cli) connection: Connection,
}

impl TargetArgs {
    /// The selected cluster.
    pub(in crate::cli) fn target(&self) -> Target {
        Target {
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
        }
    }

    /// Finds a cluster that runs generated operators, and asks whether `what` may be done there, where
    /// somebody can answer and it is not one of this machine.
    pub(in crate::cli) fn reach(
        &self,
        kubectl: Kubectl,
        what: &str,
        invocation: &Invocation,
    ) -> Result<Reached> {
        self.reach_with(kubectl, what, invocation, Connection::check)
    }

    /// The same, of a cluster of any version: for what concerns no operator that rop generates.
    pub(in crate::cli) fn reach_any(
        &self,
        kubectl: Kubectl,
        what: &str,
        invocation: &Invocation,
    ) -> Result<Reached> {
        self.reach_with(kubectl, what, invocation, Connection::greet)
    }

    fn reach_with(
        &self,
        kubectl: Kubectl,
        what: &str,
        invocation: &Invocation,
        ask: impl FnOnce(&Connection, &Kubectl) -> Result<()>,
    ) -> Result<Reached> {
        let connection = self.confirm(&kubectl, what, invocation)?;
        ask(&connection, &kubectl)?;
        Ok(Reached {
            kubectl,
            connection,
        })
    }

    fn confirm(
        &self,
        kubectl: &Kubectl,
        what: &str,
        invocation: &Invocation,
    ) -> Result<Connection> {
        let connection = Connection::read(kubectl)?;
        if !(self.yes || invocation.dry_run || connection.is_local()) {
            let (name, server) = (&connection.context, &connection.server);
            let question = format!("{what} in the remote cluster of context `{name}` ({server})?");
            if invocation.ui.ask(&question)? == Some(false) {
                return Err(Error::new(Code::NotConfirmed, "nothing was done")
                    .hint("confirm with `--yes`, or choose another cluster with `--context`"));
            }
        }
        Ok(connection)
    }
}

/// The project that the command was started in. What a killed command left there is finished first. Others may
/// work in it afterwards: what follows takes its time and only reads.
pub(in crate::cli) fn project_here(invocation: &Invocation) -> Result<Root> {
    Ok(invocation.open_on_disk(Access::Write)?.root)
}

impl Reached {
    /// Tells what was done in the cluster, or would be.
    pub(in crate::cli) fn report(
        &self,
        command: &str,
        effects: &[Effect],
        invocation: &Invocation,
    ) -> Result<()> {
        if invocation.json {
            let objects: Vec<_> = effects
                .iter()
                .map(|Effect { id, action }| {
                    json!({"kind": id.kind, "namespace": id.namespace, "name": id.name, "action": action})
                })
                .collect();
            let Connection {
                context: name,
                server,
                ..
            } = &self.connection;
            let mut report = json!({
                "command": command, "dryRun": invocation.dry_run,
                "context": name, "server": server, "objects": objects,
            });
            invocation.report_interrupted(&mut report);
            report["notes"] = json!(invocation.ui.notes());
            let printed = invocation.ui.json(&report);
            return if invocation.dry_run || effects.is_empty() {
                printed
            } else {
                report::of_done(command, printed)
            };
        }
        if effects.is_empty() {
            return Ok(());
        }
        if invocation.dry_run {
            invocation
                .ui
                .note("dry run: the API server accepted all requests; nothing was changed");
            invocation.ui.found_list(&report::effects(effects))
        } else {
            invocation.ui.list(&report::effects(effects));
            Ok(())
        }
    }
}
