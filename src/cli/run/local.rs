use std::ffi::OsString;

use clap::Args;

use crate::cargo::{Build, Target};
use crate::cluster::{self, Mismatch, Operator};
use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::Objects;
use crate::project::Root;
use crate::project::layout::CRD;

use crate::cli::args::target::{TargetArgs, project_here};
use crate::cli::invocation::Invocation;

pub(super) const EXAMPLES: &str = "\
Examples:
  rop run
  rop run --context kind-test --namespace default
  ENABLE_WEBHOOKS=false rop run -- --log-level debug";

/// The operator on this machine.
#[derive(Debug, Args)]
pub(in crate::cli) struct HostArgs {
    /// Build with optimizations.
    #[arg(long)]
    pub(in crate::cli) release: bool,

    /// Namespaces to watch, comma-separated [default: `WATCH_NAMESPACE`].
    #[arg(long, short, alias = "watch-namespace")]
    pub(in crate::cli) namespace: Option<String>,

    /// Arguments for the operator.
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(in crate::cli) arguments: Vec<OsString>,

    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,
}

pub(in crate::cli) fn run(args: &HostArgs, invocation: &Invocation) -> Result<()> {
    invocation.refuse_json("run", "it runs until you stop it")?;
    let root = project_here(invocation)?;
    let kubectl = Kubectl::find(&args.target.target())?;
    let reached = args.target.reach(kubectl, "run the operator", invocation)?;
    check_crds(&root, &reached.kubectl, invocation)?;
    let name = root.project.project_name.as_str();
    if invocation.dry_run {
        let flags = if args.release { " --release" } else { "" };
        return invocation
            .ui
            .data(&format!("cargo run{flags} --bin {name}\n"));
    }
    invocation.ui.building("the operator");
    let build = Build {
        root: &root.path,
        packages: &[name],
        what: "the operator",
        program: Target::Binary(name),
        flags: if args.release { &["--release"] } else { &[] },
        environment: &[],
        quiet: invocation.ui.hides_progress(),
    };
    let program = build.run()?;
    invocation.ui.done(
        "run",
        &format!(
            "{name} against the context `{}`",
            reached.connection.context
        ),
    );
    let target = args.target.target();
    let operator = Operator {
        program,
        arguments: &args.arguments,
        target: &target,
        namespace: args.namespace.as_deref(),
    };
    Err(operator.run())
}

/// Refuses a cluster that does not have the CRDs as the project does.
fn check_crds(root: &Root, kubectl: &Kubectl, invocation: &Invocation) -> Result<()> {
    if !root.path.join(CRD).is_dir() {
        return Ok(());
    }
    let crds = Objects::render(&View::of(&root.path)?, CRD, |_| Ok(kubectl))?.crds();
    let mismatches = match cluster::mismatches(kubectl, &crds) {
        Ok(mismatches) => mismatches,
        // Who works in one namespace may not read CRDs, and can run the operator all the same.
        Err(error) if error.chain().any(|text| text.contains("(Forbidden)")) => {
            invocation
                .ui
                .note("cannot check the cluster's CRDs: you are not allowed to read them");
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    if mismatches.is_empty() {
        return Ok(());
    }
    let lines: String = mismatches
        .iter()
        .map(|mismatch| match mismatch {
            Mismatch::Missing(name) => format!("\n  {name} is not installed"),
            Mismatch::Stale(name) => format!("\n  {name} differs from config/crd"),
        })
        .collect();
    Err(Error::new(
        Code::CrdsOutOfDate,
        format!("the cluster's CRDs are out of date:{lines}"),
    )
    .hint("run `rop install` first"))
}
