use std::ffi::OsString;

use clap::Args;

use crate::control_plane::programs::{self, Release};
use crate::dev::{self, Session};
use crate::error::{Code, Error, Result};
use crate::project::Root;
use crate::versions::VERSIONS;

use super::args::target::project_here;
use super::generate;
use super::invocation::{Access, Invocation};
use crate::address::DEV;
use crate::cli::help::examples;

/// Why flags of other commands have no meaning for it.
const RUNS: &str = "it runs until you stop it";

const EXAMPLES: &str = "\
Examples:
  rop dev
  rop dev --with-controllers
  rop dev -- --log-level debug
  eval \"$(rop dev --kubeconfig)\"    # in another terminal";

/// Run the operator with a temporary control plane, restarting it on each change.
///
/// Starts etcd and kube-apiserver, installs `config/default`, runs the operator with its service account and applies
/// `config/samples`. When you save a file, whatever depends on it is rebuilt. Ctrl-C stops and removes everything.
///
/// etcd and kube-apiserver come from `KUBEBUILDER_ASSETS`, or from an archive that is downloaded once.
///
/// Supports neither `--dry-run` nor `--json`.
#[derive(Debug, Args)]
#[command(after_help = examples(EXAMPLES, &[DEV]))]
pub(super) struct DevArgs {
    /// Also run kube-controller-manager, if available.
    #[arg(long)]
    with_controllers: bool,

    /// Print the shell commands that point kubectl to the running `rop dev`.
    #[arg(long, conflicts_with_all = ["with_controllers", "arguments"])]
    kubeconfig: bool,

    /// Kubernetes release to download, such as 1.37.
    #[arg(long, value_name = "RELEASE", default_value = VERSIONS.envtest)]
    kubernetes: String,

    /// URL of the archive index, such as a mirror's.
    #[arg(long, value_name = "URL", default_value = programs::INDEX, hide_default_value = true)]
    index: String,

    /// Arguments for the operator.
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

pub(super) fn run(args: &DevArgs, invocation: &Invocation) -> Result<()> {
    invocation.refuse_json("dev", RUNS)?;
    if invocation.dry_run {
        return Err(Error::new(
            Code::ConflictingFlags,
            format!("`rop dev` does not support `--dry-run`: {RUNS}"),
        ));
    }
    let root = project_here(invocation)?;
    if args.kubeconfig {
        let kubeconfig = dev::kubeconfig(&root.path)?;
        let line = format!("export KUBECONFIG='{}'\n", kubeconfig.display());
        return invocation.ui.data(&line);
    }
    let release = Release {
        kubernetes: &args.kubernetes,
        index: &args.index,
        patience: programs::PATIENCE,
    };
    let assets = release.folder(&invocation.ui)?;
    let session = Session {
        root: &root,
        assets: &assets,
        controllers: args.with_controllers,
        arguments: &args.arguments,
        generate: &|| generate::refresh(&root.path, invocation),
        project: &|| {
            let entered = invocation.enter(&root.path, Access::Write)?;
            Root::read(&root.path, &entered.view)
        },
        ui: &invocation.ui,
    };
    session.run()
}
